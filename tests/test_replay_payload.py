from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_replay import made_replay, path_of, read_turn

from tabcore.presentation.plain import plain, plain_line, shown
from tabcore.presentation.replay_widget import feed_widget, replay_widget, turn_text_widget
from tabcore.presentation.replay_widget.orders import are_few, by_path, moves, orders, replayed
from tabcore.presentation.replay_widget.payload import (
    ReviewLine,
    order_message,
    replay_payload,
    review_message,
    turn_order_message,
)
from tabcore.presentation.replay_widget.turn_list import (
    PLACES_NAMED,
    Group,
    correction_groups,
    turn_list_payload,
    undecided_groups,
)
from tabcore.presentation.replay_widget.turn_text import turn_text_payload
from tabcore.rows import CallBody, CallRow, CorrectionRow, Decision, ObservationBody, TurnBody, TurnRow
from tabcore.tab.events import CaptureUndecided, Event, FileAuthored, FileListed, FileRead, FileRenamed, TaskStated
from tabcore.tab.history import Difference
from tabcore.tab.review import Reviewer
from tabcore.tab.timeline import Timeline, timeline_of
from tabcore.trajectory import Message, Span

REPLAY = made_replay()


def _payload() -> Any:
    return json.loads(json.dumps(replay_payload(REPLAY)))


def _held(candidates: list[list[Any]], turn: int) -> set[str]:
    return {path for path, since, _, left, _ in candidates if since <= turn and (left < 0 or turn < left)}


@pytest.mark.parametrize("turn", [1, 2, 3, 100, 300])
def test_the_payload_holds_the_tab_of_every_turn(turn: int) -> None:
    payload, tab = _payload(), REPLAY.timeline.at(turn)
    assert _held(payload["candidates"], turn) == set(tab.candidates)
    assert [e["id"] for e in payload["entries"] if e["turn"] <= turn] == list(tab.read_log)
    assert [r["id"] for r in payload["requirements"] if r["turn"] <= turn] == list(tab.requirements)
    starred = [c for c in payload["candidates"] if 0 <= c[2] <= turn and c[0] in tab.candidates]
    assert len(starred) == tab.starred


def test_no_body_of_a_turn_is_in_the_payload() -> None:
    assert len(json.dumps(replay_payload(REPLAY))) < 200_000


def test_the_version_changes_with_the_content_and_only_with_it() -> None:
    other = replace(REPLAY, run=replace(REPLAY.run, simulated=None))
    assert replay_payload(REPLAY)["version"] == replay_payload(made_replay())["version"]
    assert replay_payload(REPLAY)["version"] != replay_payload(other)["version"]


def test_marks_count_what_a_turn_did() -> None:
    turns = _payload()["turns"]
    assert turns[0]["marks"] == {"added": 6}
    assert turns[1]["marks"] == {"listed": 300}
    assert turns[2]["marks"] == {"read": 1, "different": 1}
    assert turns[299]["marks"] == {"finish": 1, "stop": 1}


def test_decisions_of_one_rule_are_one_group_that_names_some_paths_and_counts_all() -> None:
    [group] = _payload()["turns"][1]["calls"][0]["found"]
    assert (group["count"], len(group["paths"]), group["rule"]) == (300, 30, "ls: lists paths")


def test_a_review_names_candidates_by_their_position() -> None:
    turn = read_turn(3, 300, 40)
    line = ReviewLine("r1", ("L1",), (path_of(50), "no/such/file"), "Article 7")
    message: Any = review_message("v", REPLAY.timeline, turn, [line])
    opening: Any = turn_order_message("v", REPLAY.timeline, turn, [path_of(51)])
    [[requirement, entries, [position], text]] = message["review"]
    assert (requirement, entries, text) == ("r1", ["L1"], "Article 7")
    assert by_path(REPLAY.timeline)[position].path == path_of(50)
    assert by_path(REPLAY.timeline)[opening["order"][0]].path == path_of(51)


PATHS = st.sampled_from([f"{a}/{b}_{c}.txt" for a in "xy" for b in ("travel", "policy", "bill") for c in "12"])
EVENTS = st.lists(
    st.one_of(
        st.builds(FileListed, st.integers(1, 9), st.just(0), PATHS),
        st.builds(FileAuthored, st.integers(1, 9), st.just(0), PATHS),
        st.builds(FileRenamed, st.integers(1, 9), st.just(0), PATHS, PATHS),
        st.builds(FileRead, st.integers(1, 9), st.just(0), PATHS, st.just("cat"), st.just(""), st.just(1)),
        st.builds(TaskStated, st.integers(0, 9), st.sampled_from(["travel policy", "bill x", "1 2"])),
    ),
    max_size=40,
).map(lambda events: sorted(events, key=lambda event: event.turn))


def _ranked(timeline: Timeline, turn: int) -> list[str]:
    return [c.path for c, score in Reviewer(timeline.at(turn)).candidates_by_relevance() if score > 0]


@settings(max_examples=200, deadline=None)
@given(EVENTS)
def test_the_moves_replayed_give_the_ranking_of_every_turn(events: list[Event]) -> None:
    timeline = timeline_of(events)
    intervals = by_path(timeline)
    sent = tuple(moves(orders(timeline)))
    for turn in range(10):
        assert [intervals[position].path for position in replayed(sent, turn, intervals)] == _ranked(timeline, turn)


def test_the_orders_of_all_turns_are_few_numbers() -> None:
    assert are_few(REPLAY.timeline)
    assert not are_few(made_replay(300, 5_000, 200).timeline)
    message = order_message("v", moves(orders(REPLAY.timeline)))
    assert len(json.dumps(message)) < 20_000


@given(st.text())
def test_plain_text_can_be_sent_and_hides_nothing(text: str) -> None:
    clean = plain(text)
    clean.encode("utf-8")
    assert not any(
        (ord(c) < 32 and c not in "\n\t") or 0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069 for c in clean
    )
    assert plain(clean) == clean
    assert "\n" not in plain_line(text)


SPANS = st.builds(lambda a, b: Span(min(a, b), max(a, b), "tab"), st.integers(0, 30), st.integers(0, 30))


@given(st.text("abcdefgh", max_size=30), st.lists(SPANS, max_size=5), st.integers(0, 40))
def test_pieces_are_the_text_up_to_the_cap_and_say_whose_each_is(text: str, spans: list[Span], cap: int) -> None:
    cut = shown(text, spans, cap)
    assert "".join(piece.text for piece in cut.pieces) == text[:cap]
    assert (cut.length, cut.shown) == (len(text), min(len(text), cap))
    told = "".join(("T" if piece.origin else ".") * len(piece.text) for piece in cut.pieces)
    wanted = "".join("T" if any(s.start <= i < s.end for s in spans) else "." for i in range(len(text[:cap])))
    assert told == wanted


def test_a_turns_texts_are_told_apart_by_whose_they_are_and_a_cut_is_said() -> None:
    row = TurnRow(
        3,
        9,
        4,
        "complete",
        False,
        "",
        (CallRow(0, "c", "bash", "ls", 9, False, True, "", (Decision("read", "a", "cat: takes content"),)),),
    )
    status = Span(8, 21, "tab", "status line")
    body = TurnBody(
        3,
        (Message("Go on", "person", "prompt"), Message("Remember", "harness", "reminder")),
        "I look.",
        "thinking",
        (CallBody(0, "c", "bash", '{"command": "cat a"}', 5),),
        (ObservationBody(0, "c", "content\n[tab] 6 open " + "x" * 500, (status,), False, 0, 6),),
        (Difference(3, 0, "status line", "[tab] 5 open", "[tab] 6 open"),),
        "made",
        4,
    )
    payload: Any = turn_text_payload("run", row, body, cap=100)
    assert [part["origin"] for part in payload["parts"]] == ["person", "harness", "agent", "agent", "call", "tool"]
    call, result = payload["parts"][-2:]
    assert call["decisions"] == [["read", "a", "cat: takes content"]]
    assert result["pieces"][1] == ["[tab] 6 open ", "tab", "status line"]
    assert (result["shown"], result["length"]) == (100, 521)
    assert payload["differences"] == [
        {"what": "status line", "call": 1, "recorded": "[tab] 5 open", "derived": "[tab] 6 open"}
    ]


@pytest.mark.parametrize("widget", [replay_widget(), turn_text_widget(), feed_widget()])
def test_a_widget_never_turns_text_into_markup_and_asks_nobody(widget: Any) -> None:
    for word in (
        "innerHTML",
        "insertAdjacentHTML",
        "outerHTML",
        "document.write",
        "eval(",
        "fetch(",
        "http:",
        "https:",
    ):
        assert word not in widget.js.replace("http://www.w3.org/2000/svg", "")
        assert word not in widget.html + widget.css
    assert widget.js.count("export default") == 1


def test_a_list_of_places_names_so_many_and_counts_all_in_plain_lines() -> None:
    undecided = [CaptureUndecided(n, 0, "a\x1b[31m\u202e\nb", "why" if n % 3 else "seldom") for n in range(1, 601)]
    payload = turn_list_payload("0" * 16, undecided_groups(undecided))
    groups = payload["groups"]
    assert isinstance(groups, list)
    assert [(g["title"], g["count"], len(g["places"]), g["open"]) for g in groups if isinstance(g, dict)] == [
        ("why", 400, PLACES_NAMED, False),
        ("seldom", 200, 200, False),
    ]
    assert '[1, 1, "a b", ""]' in json.dumps(payload)


def test_a_list_of_places_is_a_new_one_when_what_it_says_changes() -> None:
    row = CorrectionRow(1, 0, "a", "read", "Ann", 0.0, "ls", "counts", "nothing")
    first, then = (
        turn_list_payload("0" * 16, correction_groups([one])) for one in (row, replace(row, state="replaced"))
    )
    assert first["version"] != then["version"]
    assert turn_list_payload("0" * 16, []) == turn_list_payload("0" * 16, [Group("said", "none", ())])
