"""Pi sessions: what becomes of each entry."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from small_logs import (
    PI_HEADER,
    REAL,
    kinds,
    lines,
    pi_agent,
    pi_entry,
    pi_log,
    pi_result,
    pi_user,
    run_of,
    runs_of,
    stamp,
)

from tabcore.trajectory import Observation, Span, Usage, without

LS = ("c1", "bash", {"command": "ls"})
CAT = ("c2", "read", {"path": "a.txt"})


def observation(*texts: str, tool: str = "bash", **more: object) -> Observation:
    """The observation of one call that returned these blocks."""
    run = run_of(pi_log(pi_user("x"), pi_agent("", LS), pi_result("c1", *texts, tool=tool, **more)))
    [shown] = run.turns[0].observations
    return shown


def test_a_session_is_one_run_with_its_header() -> None:
    run = run_of(pi_log(pi_user("Do it"), pi_agent("Listing", LS), pi_result("c1", "a.txt"), pi_agent("Done")))
    header = run.header
    assert (header.format, header.session, header.cwd, header.fresh_cwd, header.model) == ("pi", "s1", "/ws", True, "m")
    assert header.started == 1790848800.0
    assert [(turn.number, turn.text, turn.is_stop) for turn in run.turns] == [(1, "Listing", False), (2, "Done", True)]
    assert [message.text for message in run.turns[0].before] == ["Do it"]
    assert (run.problems, str(run.tally)) == ((), "5 lines: 5 read")


def test_a_call_and_its_result_name_their_lines() -> None:
    run = run_of(pi_log(pi_user("x"), pi_agent("", LS, CAT), pi_result("c2", "A"), pi_result("c1", "B")))
    [turn] = run.turns
    assert [(call.call_id, call.name, dict(call.arguments), call.line) for call in turn.calls] == [
        ("c1", "bash", {"command": "ls"}, 3),
        ("c2", "read", {"path": "a.txt"}, 3),
    ]
    assert [(shown.call_id, shown.text, shown.line) for shown in turn.observations] == [("c2", "A", 4), ("c1", "B", 5)]


def test_usage_and_cost_are_those_of_the_record() -> None:
    usage = {"input": 3, "output": 7, "cacheRead": 100, "cacheWrite": 20, "cost": {"total": 0.25}}
    run = run_of(pi_log(pi_user("x"), pi_agent("hi", usage=usage)))
    assert run.turns[0].usage == Usage(3, 7, 100, 20, 0.25)


def test_version_1_has_no_ids_and_is_linear() -> None:
    header = {"type": "session", "id": "s1", "timestamp": stamp(0), "cwd": "/ws", "provider": "p", "modelId": "m0"}
    messages = (pi_user("x"), pi_agent("", LS), pi_result("c1", "y"), pi_agent("z"))
    run = run_of(lines(header, *({"type": "message", "timestamp": stamp(1), "message": m} for m in messages)))
    assert (len(run.turns), run.abandoned, run.header.model) == (2, (), "m0")


def test_an_aborted_or_failed_response_is_no_stop() -> None:
    log = pi_log(
        pi_user("x"),
        pi_agent("", stopReason="aborted", errorMessage="Request was aborted."),
        pi_agent("half", stopReason="error", errorMessage="400 no"),
        pi_agent("cut", stopReason="length"),
    )
    run = run_of(log)
    assert [turn.outcome for turn in run.turns] == ["aborted", "failed", "failed"]
    assert not any(turn.is_stop for turn in run.turns)
    assert [(p.kind, p.line, p.what) for p in run.problems] == [("failed response", 4, "400 no")]


def test_a_persons_own_command_is_theirs_and_no_turn() -> None:
    shell = {"role": "bashExecution", "command": "ls", "output": "a.txt\n", "exitCode": 0}
    run = run_of(pi_log(pi_user("x"), shell, pi_agent("ok")))
    assert [(m.origin, m.kind, m.text) for m in run.turns[0].before] == [
        ("person", "prompt", "x"),
        ("person", "shell", "!ls\na.txt\n"),
    ]


def test_a_compaction_is_the_harness_speaking() -> None:
    compaction = {"type": "compaction", "id": "e3", "parentId": "e2", "timestamp": stamp(3), "summary": "So far: 7"}
    log = lines(
        PI_HEADER,
        pi_entry(1, pi_user("x")),
        pi_entry(2, pi_agent("a")),
        compaction,
        pi_entry(4, pi_user("go on")),
        pi_entry(5, pi_agent("b")),
    )
    run = run_of(log)
    assert [(m.origin, m.kind) for m in run.turns[1].before] == [("harness", "compaction"), ("person", "prompt")]


def test_the_branch_of_the_last_entry_is_live_and_the_other_is_abandoned() -> None:
    log = lines(
        PI_HEADER,
        pi_entry(1, pi_user("x")),
        pi_entry(2, pi_agent("one", LS)),
        pi_entry(3, pi_result("c1", "y")),
        pi_entry(4, pi_user("wrong way")),
        pi_entry(5, pi_agent("given up", CAT)),
        pi_entry(6, pi_result("c2", "secret")),
        pi_entry(7, pi_user("right way"), parent="e3"),
        pi_entry(8, pi_agent("kept")),
    )
    run = run_of(log)
    assert [(turn.number, turn.text) for turn in run.turns] == [(1, "one"), (2, "kept")]
    assert [message.text for message in run.turns[1].before] == ["right way"]
    [given_up] = run.abandoned
    assert (given_up.number, given_up.text, given_up.before[0].text) == (2, "given up", "wrong way")
    assert given_up.observations[0].text == "secret"
    assert kinds(run) == []


def test_a_parent_that_is_not_in_the_file_follows_the_entry_before() -> None:
    log = lines(
        PI_HEADER,
        pi_entry(1, pi_user("x")),
        pi_entry(2, pi_agent("one")),
        pi_entry(3, pi_user("more"), parent="left-out"),
        pi_entry(4, pi_agent("two")),
    )
    assert [turn.text for turn in run_of(log).turns] == ["one", "two"]


def test_an_entry_that_stands_twice_is_read_once() -> None:
    entries = [pi_entry(1, pi_user("x")), pi_entry(2, pi_agent("one", LS)), pi_entry(3, pi_result("c1", "y"))]
    run = run_of(lines(PI_HEADER, *entries, *entries))
    assert (len(run.turns), len(run.abandoned), kinds(run)) == (1, 0, ["repeated record"] * 3)


def test_the_status_line_of_a_tab_is_marked_where_it_is_a_last_block_of_its_own() -> None:
    status = "[tab] 1 open | candidates: 3 unopened"
    shown = observation("a.txt\n", status)
    assert shown.text == f"a.txt\n\n{status}"
    assert [(shown.text[s.start : s.end], s.origin) for s in shown.spans] == [("\n", "tab"), (status, "tab")]
    assert without(shown.text, shown.spans, {"tab"}) == "a.txt\n"


def test_a_file_that_contains_tab_text_stays_content() -> None:
    assert observation("[tab] 1 open").spans == ()
    assert observation("x\n[tab] 1 open").spans == ()
    assert observation("[tab] 1 open", "x").spans == ()


def test_a_finish_check_is_the_tabs_only_in_a_run_that_has_a_tab() -> None:
    check = "[tab] Finish check 1 of at most 1: you stopped."
    add = ("c1", "tab_add", {"items": ["x"]})
    having = run_of(pi_log(pi_user("x"), pi_agent("", add), pi_result("c1", "r1"), pi_agent("a"), pi_user(check)))
    lacking = run_of(pi_log(pi_user("x"), pi_agent("a"), pi_user(check)))
    assert [message.origin for message in having.after] == ["tab"]
    assert [message.origin for message in lacking.after] == ["person"]
    with_status = pi_log(
        pi_user("x"), pi_agent("", LS), pi_result("c1", "y", "[tab] 0 open"), pi_agent("a"), pi_user(check)
    )
    assert [message.origin for message in run_of(with_status).after] == ["tab"]


@pytest.mark.parametrize(
    ("text", "tool", "marked", "code"),
    [
        ("out\n\nCommand exited with code 2", "bash", ["\n\nCommand exited with code 2"], 2),
        ("Command exited with code 127", "bash", ["Command exited with code 127"], 127),
        ("out\n\nCommand aborted", "bash", ["\n\nCommand aborted"], None),
        ("(no output)", "bash", ["(no output)"], None),
        ("a\n\n[605 more lines in file. Use offset=940 to continue]", "read", None, None),
        ("a\n\n[Showing lines 1-9 of 90 (50.0KB limit). Full output: /tmp/x]", "bash", None, None),
        ("a\n[605 more lines in file. Use offset=940 to continue] b", "read", [], None),
        ("Command exited with code 1\n\nis what it said", "bash", [], None),
        ("out\n\nCommand exited with code 2", "grep", [], None),
    ],
)
def test_what_pi_adds_to_a_result_is_marked(text: str, tool: str, marked: list[str] | None, code: int | None) -> None:
    shown = observation(text, tool=tool)
    assert [shown.text[s.start : s.end] for s in shown.spans] == ([text[1:]] if marked is None else marked)
    assert shown.exit_code == code
    assert shown.text == text


def test_the_exit_status_is_found_before_a_status_line_of_the_tab() -> None:
    shown = observation("out\n\nCommand exited with code 2", "[tab] 0 open")
    assert shown.exit_code == 2
    assert without(shown.text, shown.spans, {"tab", "harness"}) == "out"


def test_pictures_are_counted_and_not_text() -> None:
    picture = {"type": "image", "data": "A" * 100, "mimeType": "image/png"}
    log = pi_log(
        pi_user("x"), pi_agent("", CAT), pi_result("c2") | {"content": [picture, {"type": "text", "text": "t"}]}
    )
    shown = run_of(log).turns[0].observations[0]
    assert (shown.text, shown.images) == ("t", 1)


def test_arguments_that_are_no_object_are_kept_whole() -> None:
    run = run_of(pi_log(pi_user("x"), pi_agent("", ("c1", "bash", "ls")), pi_result("c1", "y")))  # type: ignore[arg-type]
    assert (dict(run.turns[0].calls[0].arguments), kinds(run)) == ({"": "ls"}, ["odd arguments"])


def test_an_entry_of_an_unknown_type_is_counted_once_and_named() -> None:
    odd = {"type": "hologram", "id": "e2", "parentId": "e1", "timestamp": stamp(2)}
    run = run_of(lines(PI_HEADER, pi_entry(1, pi_user("x")), odd, odd | {"id": "e3"}, pi_entry(4, pi_agent("y"))))
    [problem] = run.problems
    assert (problem.line, problem.what) == (3, '2 records of the unknown type "hologram"')
    assert str(run.tally) == "5 lines: 3 read, 2 skipped (line 3, 4)"


def test_a_log_without_a_response_is_kept_and_named() -> None:
    run = run_of(lines(PI_HEADER, pi_entry(1, pi_user("x"))))
    assert (run.turns, [message.text for message in run.after], kinds(run)) == ((), ["x"], ["no turns"])


GOLDEN = sorted(
    path
    for path in (Path(__file__).parent / "golden" / "readers").glob("*.json")
    if json.loads(path.read_text()).get("counted_by") == "pi.jq"
)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_a_real_log_holds_what_was_counted_without_the_reader(golden: Path) -> None:
    expected = json.loads(golden.read_text())
    if not (REAL / expected["log"]).exists():
        pytest.skip("the real logs are not on this machine")
    runs = runs_of((REAL / expected["log"]).read_bytes())
    [run] = runs
    calls = [call for turn in run.turns for call in turn.calls]
    shown = [observation for turn in run.turns for observation in turn.observations]
    said = [message for turn in run.turns for message in turn.before] + list(run.after)
    found = {
        "runs": len(runs),
        "turns": len(run.turns),
        "calls": len(calls),
        "results": len(shown),
        "prompts": sum(message.kind == "prompt" for message in said),
        "shells": sum(message.kind == "shell" for message in said),
        "compactions": sum(message.kind == "compaction" for message in said),
        "aborted": sum(turn.outcome == "aborted" for turn in run.turns),
        "failed": sum(turn.outcome == "failed" for turn in run.turns),
        "unanswered": kinds(run).count("unanswered call"),
        "orphans": kinds(run).count("orphan result"),
        "errors": sum(observation.is_error for observation in shown),
        "output_tokens": sum(turn.usage.output for turn in run.turns if turn.usage),
        "observation_chars": sum(len(observation.text) for observation in shown),
        "tools": {name: sum(call.name == name for call in calls) for name in sorted({call.name for call in calls})},
    }
    assert found == expected["counts"]
    assert run.tally.total == expected["lines"]
    assert sha256(run.turns[0].text.encode()).hexdigest() == expected["first_text_sha256"]
    assert sha256(run.turns[-1].text.encode()).hexdigest() == expected["last_text_sha256"]


def test_spans_never_overlap_and_lie_inside_their_text() -> None:
    shown = observation(
        "a\n\n[Showing lines 1-9 of 90. Use offset=9 to continue]\n\nCommand exited with code 2", "[tab] x"
    )
    ends = [0]
    for span in sorted(shown.spans, key=lambda span: span.start):
        assert isinstance(span, Span)
        assert ends[-1] <= span.start < span.end <= len(shown.text)
        ends.append(span.end)
    assert len(ends) == 5
