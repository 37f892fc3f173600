"""Whatever lies beside a log, reading it never raises: what is wrong becomes a problem, and the log stays."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_logs import pi_agent, pi_log, pi_user

from tabcore import readers
from tabcore.bundles import Bundle, layout_of, shared_bundle
from tabcore.errors import UnknownFormat
from tabcore.source import Folder, Source

LOG = pi_log(pi_user("Write it"), pi_agent("Done"))

ROW = {"index": 0, "passed": True, "confidence": 0.9, "evidence": "seen"}
VERIFIER = {"verifier_id": "v", "verifier_index": 0, "verifier_values": {"criteria": "States it"}}
GRADE = {"verifier_id": "v", "score": 1.0, "status": "ok", "verifier_result_values": {"judge_grade": "pass"}}
POINTS = {"total": 2, "result": 1}

LAYOUTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "workspace_bench": (
        "session.jsonl",
        {
            "metadata.json": {"id": "1", "task": "Write it", "rubrics": ["a", "b"]},
            "rubrics_judge--m.json": {"rubrics": [ROW], "judge": {"error": None}},
            "agent.json": {"workDir": "/ws", "trace": {"llm": {"model": "m"}}},
        },
    ),
    "harbor_trial": (
        "agent/session.jsonl",
        {
            "result.json": {"task_name": "t", "agent_info": {"model_info": {"name": "m"}}},
            "verifier/ctrf.json": {"results": {"tests": [{"name": "a", "status": "passed"}]}},
            "verifier/reward.json": {"reward": 1.0},
        },
    ),
    "run_folder": (
        "session.jsonl",
        {
            "run.json": {"task": "Write it", "attempt": 1},
            "rubrics.json": [{"id": "a", "text": "States it"}],
            "verdicts.json": [{"rubric": "a", "passed": True}],
        },
    ),
    "apex": ("a.trajectory.json", {"a/verifiers.json": [VERIFIER], "a/grades.json": {"verifier_results": [GRADE]}}),
    "the_agent_company": ("traj_a.json", {"eval_a.json": {"checkpoints": [POINTS], "final_score": POINTS}}),
    "officeqa": ("uid0001.jsonl", {"scores.jsonl": {"uid": "UID0001", "score": 1, "expected": "2"}, "officeqa.csv": 0}),
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def spoiled(draw: st.DrawFn, sound: Any) -> bytes:
    """A part as another program might leave it: with a member of another kind, cut, or of other bytes."""
    text = json.dumps(_replaced(draw, sound) if draw(st.booleans()) else sound).encode()
    way = draw(st.sampled_from(["whole", "cut", "bytes", "marked", "wide"]))
    if way == "cut":
        return text[: draw(st.integers(0, len(text)))]
    if way == "bytes":
        return text + draw(st.binary(max_size=20))
    return b"\xef\xbb\xbf" + text if way == "marked" else text.decode().encode("utf-16") if way == "wide" else text


def _replaced(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, dict) and value and draw(st.integers(0, 3)):
        name = draw(st.sampled_from(sorted(value)))
        return value | {name: _replaced(draw, value[name])}
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        return [_replaced(draw, value[0]), *value]
    return draw(JSON)


def is_log(source: Source) -> bool:
    try:
        return readers.identify(source) is not None
    except UnknownFormat:
        return False


def read(place: Path, log: str) -> Bundle | None:
    folder = Folder.of_path(place)
    layout = layout_of(folder)
    return layout.read(folder, is_log) if layout else shared_bundle(folder, log)


@pytest.mark.parametrize("name", LAYOUTS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_part_however_spoiled_raises_or_costs_the_log(name: str, data: st.DataObject) -> None:
    log, parts = LAYOUTS[name]
    with tempfile.TemporaryDirectory() as made:
        for path, sound in ((log, None), *parts.items()):
            file = Path(made, path)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(LOG.encode() if sound is None else data.draw(spoiled(sound)))
        bundle = read(Path(made), log)
        assert bundle is not None
        assert bundle.log is not None
        assert bundle.log.path == str(Path(made, log))
        assert all(verdict.passed is None for verdict in bundle.verdicts if verdict.judge_failed)


@pytest.mark.parametrize("name", LAYOUTS)
def test_sound_parts_give_no_problem_but_for_what_is_not_there(name: str, tmp_path: Path) -> None:
    log, parts = LAYOUTS[name]
    for path, sound in ((log, None), *parts.items()):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        text = LOG if sound is None else "uid,answer\n" if path.endswith(".csv") else json.dumps(sound)
        (tmp_path / path).write_text(text)
    bundle = read(tmp_path, log)
    assert bundle is not None
    assert bundle.problems == ()
    assert len(bundle.rubrics) >= len(bundle.verdicts) > 0
