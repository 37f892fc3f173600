"""Costs grow in proportion, and sessions do not disturb one another: the short forms of what tests/benchmarks measures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from dashboard_server import chromium

BENCHMARKS = Path(__file__).parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from growth import CASES, LINEAR, growth  # noqa: E402


@pytest.mark.parametrize("name", CASES)
def test_ten_times_as_much_costs_about_ten_times_as_many_function_calls(name: str) -> None:
    grown = growth(name, short=True, rounds=1)
    assert grown.of_calls < LINEAR
    assert grown.of_seconds < 3 * LINEAR  # generous: a busy machine's caches are others' too; quadratic would be 10


@pytest.mark.long
@pytest.mark.skipif(chromium() is None, reason="no chromium on PATH: install one")
def test_three_sessions_click_for_a_minute_without_a_fault_and_none_sees_anothers_run(tmp_path: Path) -> None:
    told = tmp_path / "sessions.json"
    command = [
        sys.executable,
        str(BENCHMARKS / "sessions.py"),
        "--sessions",
        "3",
        "--minutes",
        "1",
        "--json",
        str(told),
    ]
    subprocess.run(command, check=True, timeout=600)
    outcome = json.loads(told.read_text())
    assert (outcome["faults"], outcome["crossed"]) == ([], [])
    assert outcome["loads"][0] == outcome["loads"][1] >= 1
    assert outcome["labels"][0] >= outcome["labels"][1] >= 2
    assert set(outcome["visits"]) >= {"replay", "runs", "missing", "taxonomy", "query"}
