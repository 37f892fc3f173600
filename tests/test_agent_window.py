"""What a live agent's model is sent at each level of context management, beside what the record says has left."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcore.agent import (
    METHODS,
    Limits,
    PiRecorder,
    Response,
    ScriptedModel,
    SteppingClock,
    Terminal,
    companion_for,
    run_agent,
)
from tabcore.agent.models import Entry, Instruction, ToolResult, ToolSpec, UserText
from tabcore.agent.window import left_before, request
from tabcore.memory import read_runs
from tabcore.tab.context_window import LEVELS, Level, displaced_at
from tabcore.tab.messages import CLEARED, SUMMARY_REQUEST
from tabcore.trajectory import ToolCall


class Watched(ScriptedModel):
    """A scripted model that keeps what it was sent."""

    def __init__(self, responses: Sequence[Response]) -> None:
        super().__init__(responses)
        self.sent: list[tuple[Entry, ...]] = []

    def respond(self, conversation: Sequence[Entry], tools: Sequence[ToolSpec], seconds: float) -> Response:
        self.sent.append(tuple(conversation))
        return super().respond(conversation, tools, seconds)


def printing(characters: int) -> Response:
    return Response("", (ToolCall("c", "bash", {"command": f"printf '%0{characters}d' 0"}),))


def ran(folder: Path, responses: Sequence[Response], level: Level) -> tuple[Watched, str]:
    """The model with what it was sent, and the session's text."""
    model, file, clock = Watched(responses), io.StringIO(), SteppingClock(0.0, 1.0)
    recorder = PiRecorder(file, session="s", cwd="/w", provider="scripted", model="scripted", time=0.0)
    method = METHODS["dci"]
    companion = companion_for(method, "t", "/w")
    run_agent("t", model, method, companion, Terminal(folder, folder), recorder, clock, Limits(level=level))
    return model, file.getvalue()


def cleared_turns(sent: Sequence[Entry]) -> list[bool]:
    """For each turn so far, whether its result is gone from a request."""
    return [entry.blocks == (CLEARED,) for entry in sent if isinstance(entry, ToolResult)]


def test_a_result_longer_than_the_cap_is_cut_when_it_is_made_and_the_record_holds_the_cut_text(tmp_path: Path) -> None:
    model, log = ran(tmp_path, [printing(20_005), Response("Done.")], LEVELS[3])
    shown = "0" * 20_000 + "\n[...truncated, 5 chars omitted]"
    [result] = [entry for entry in model.sent[1] if isinstance(entry, ToolResult)]
    assert result.blocks == (shown,)
    (tmp_path / "s.jsonl").write_text(log)
    [loaded] = read_runs(str(tmp_path / "s.jsonl"))
    assert loaded.run.turns[0].observations[0].text == shown


@pytest.mark.parametrize(
    ("level", "most"), [(0, 20_005), (1, 20_005), (2, 20_000), (3, 20_000), (4, 20_000), (5, 10_000)]
)
def test_each_level_cuts_at_its_cap(tmp_path: Path, level: int, most: int) -> None:
    model, _ = ran(tmp_path, [printing(20_005), Response("Done.")], LEVELS[level])
    [result] = [entry for entry in model.sent[1] if isinstance(entry, ToolResult)]
    assert len(result.blocks[0].partition("\n")[0]) == most


def test_older_results_leave_the_request_when_the_record_says_so(tmp_path: Path) -> None:
    level = Level(None, 250, 2)
    model, log = ran(tmp_path, [*[printing(100)] * 6, Response("Done.")], level)
    (tmp_path / "s.jsonl").write_text(log)
    [loaded] = read_runs(str(tmp_path / "s.jsonl"))
    results = [[len(shown.text) for shown in turn.observations] for turn in loaded.run.turns]
    leaves = displaced_at(results, level)
    assert leaves[:6] == (4, 5, 6, 7, 8, None)
    for number, sent in enumerate(model.sent, 1):
        assert cleared_turns(sent) == [gone is not None and gone <= number for gone in leaves[: number - 1]]


@given(
    st.lists(st.lists(st.integers(0, 90), max_size=3), max_size=9),
    st.integers(0, 400),
    st.integers(0, 4),
    st.sampled_from([None, 40]),
)
def test_what_is_sent_and_what_a_record_computes_agree(
    results: list[list[int]], budget: int, kept: int, cap: int | None
) -> None:
    level = Level(cap, budget, kept)
    conversation: list[Entry] = [Instruction("i"), UserText("t")]
    for turn in results:
        conversation.append(Response("", tuple(ToolCall(str(i), "bash", {}) for i in range(len(turn)))))
        conversation += [ToolResult(str(i), "bash", ("x" * length,)) for i, length in enumerate(turn)]
    sent = request(conversation, left_before(conversation, level))
    gone = [leaves is not None and leaves <= len(results) + 1 for leaves in displaced_at(results, level)]
    expected = [gone[number] for number, turn in enumerate(results) for _ in turn]
    assert cleared_turns(sent) == expected
    assert len(sent) == len(conversation)


def test_at_level_four_the_model_writes_down_what_it_needs_before_anything_leaves(tmp_path: Path) -> None:
    level = Level(None, 250, 2, summarised=True)
    notes = [Response("Rate 240 in a.txt."), Response("Rate 240 in a.txt, meals 38.")]
    script = [*[printing(100)] * 3, notes[0], *[printing(100)] * 3, notes[1], Response("Done.")]
    model, log = ran(tmp_path, script, level)
    asked = [number for number, sent in enumerate(model.sent) if UserText(SUMMARY_REQUEST, "harness") in sent]
    assert asked == [3, 7]
    assert not any(cleared_turns(model.sent[3]))
    assert cleared_turns(model.sent[4]) == [True, False, False]
    task = [entry.text for entry in model.sent[4] if isinstance(entry, UserText)]
    assert task == ["t\n\nWhat you wrote down of results that were cleared since:\nRate 240 in a.txt."]
    assert "meals 38." in str(model.sent[-1][1])
    (tmp_path / "s.jsonl").write_text(log)
    [loaded] = read_runs(str(tmp_path / "s.jsonl"))
    kept = [(message.kind, message.text) for turn in loaded.run.turns for message in turn.before]
    assert kept[1:] == [("compaction", note.text) for note in notes]
    assert len(loaded.run.turns) == 7
