"""Calls of harnesses' own tools in the shapes that their logs have: `golden/capture_calls.jsonl`, one a line with its answer.

The answers were written by the rules before capture saw the calls.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from score_capture import load_cases

from tabcore.capture import Workspace, capture
from tabcore.trajectory import Observation, ToolCall

CALLS = load_cases(Path(__file__).parent / "golden" / "capture_calls.jsonl")


@pytest.mark.parametrize("case", CALLS, ids=lambda case: f"{case['tool']} {list(case['arguments'].values())[:1]}"[:60])
def test_a_call_of_a_harness_gives_the_findings_of_the_table(case: dict[str, Any]) -> None:
    workspace = Workspace("/workspace", "/workspace")
    call = ToolCall("1", case["tool"], case["arguments"])
    result = capture(call, Observation("1", case["observation"], images=case["images"]), workspace)
    found = sorted(f"{finding.kind} {finding.path}" for finding in result.findings if finding.kind != "unknown")
    assert found == case["findings"]
