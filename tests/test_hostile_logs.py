"""Logs with the faults that real ones were reported to have: all that is readable is there, and the rest is named.

Each test makes its own small log; the last ones read the shared collection where it is on the machine.
"""

import json
from typing import Any

import pytest
from small_logs import HOSTILE, cc_agent, cc_log, cc_user, kinds, lines, result, run_of, text, use

LINES = cc_log().splitlines(keepends=True)


def test_a_torn_last_line_is_skipped_and_named() -> None:
    run = run_of(cc_log()[:-60])
    assert (len(run.turns), str(run.tally)) == (3, "8 lines: 7 read, 1 skipped (line 8)")
    [problem] = run.problems
    assert (problem.kind, problem.line, problem.lost) == ("torn line", 8, True)


def test_a_torn_line_without_times_beside_is_told_in_one_sentence() -> None:
    untimed = [
        json.dumps({name: value for name, value in json.loads(line).items() if name != "timestamp"}) + "\n"
        for line in LINES[:3]
    ]
    run = run_of("".join([*untimed, LINES[3][:99] + "\n", *LINES[4:]]))
    assert str(run.tally) == "8 lines: 7 read, 1 skipped (line 4), 3 without time"


def test_two_records_on_one_line_are_both_read() -> None:
    run = run_of("".join([*LINES[:3], LINES[3].rstrip("\n") + LINES[4], *LINES[5:]]))
    assert [o.text for turn in run.turns for o in turn.observations] == ["notes.md", "patents: 3", "ok"]
    assert ([(p.kind, p.line, p.lost) for p in run.problems]) == [("glued records", 4, False)]
    assert str(run.tally) == "7 lines: 7 read"


def test_a_record_that_stands_inside_a_torn_one_is_read() -> None:
    run = run_of("".join([*LINES[:3], LINES[3][:120] + LINES[4], *LINES[5:]]))
    assert [o.text for turn in run.turns for o in turn.observations] == ["notes.md", "patents: 3", "ok"]
    assert kinds(run) == ["torn line", "orphan result"]


def test_rubbish_before_and_after_a_record_costs_only_the_rubbish() -> None:
    run = run_of("".join([*LINES[:3], "@@ " + LINES[3].rstrip("\n") + " @@\n", *LINES[4:]]))
    assert (len(run.turns), kinds(run)) == (4, ["torn line", "torn line"])
    assert run.tally.skipped == ()


def test_separators_of_unicode_do_not_end_lines() -> None:
    run = run_of(cc_log().replace("patents: 3", "patents:\u2028 3\u0085"))
    assert run.turns[1].observations[0].text == "patents:\u2028 3\u0085"
    assert run.tally.total == 8


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_marks_and_other_encodings_lose_nothing(encoding: str) -> None:
    plain, other = run_of(cc_log()), run_of(cc_log().encode(encoding))
    assert (other.turns, other.tally) == (plain.turns, plain.tally)
    assert kinds(other) == ([] if encoding == "utf-8-sig" else ["other encoding"])


def test_blank_lines_and_carriage_returns_cost_nothing() -> None:
    run = run_of("\n\r\n" + cc_log().replace("\n", "\r\n\r\n") + "   \n\0\0\0\n")
    assert ([len(turn.observations) for turn in run.turns], kinds(run)) == ([1, 1, 1, 0], ["padding"])
    assert str(run.tally) == "8 lines: 8 read"


def test_missing_times_drop_and_reorder_nothing() -> None:
    def untimed(line: str, number: int) -> str:
        record = json.loads(line)
        if number in (3, 4, 5):
            del record["timestamp"]
        return json.dumps(record) + "\n"

    run = run_of("".join(untimed(line, number) for number, line in enumerate(LINES)))
    assert [turn.time is None for turn in run.turns] == [False, True, True, False]
    assert str(run.tally) == "8 lines: 8 read, 3 without time"


@pytest.mark.parametrize("when", ["yesterday", "", 0, -1, 1e300, True, [], {"a": 1}, None])
def test_a_time_that_is_none_is_no_time(when: Any) -> None:
    record = json.loads(LINES[1]) | {"timestamp": when}
    run = run_of("".join([LINES[0], json.dumps(record) + "\n", *LINES[2:]]))
    assert len(run.turns) == 4
    assert run.turns[0].time in (None, 0.0)


def test_parallel_calls_of_one_tool_get_each_their_own_result() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("a", command="cat a.txt"), use("b", command="cat b.txt")),
        cc_user("u2", "u1", [result("b", "BBB")]),
        cc_user("u3", "u2", [result("a", "AAA")]),
    )
    [turn] = run_of(log).turns
    assert {o.call_id: o.text for o in turn.observations} == {"a": "AAA", "b": "BBB"}


def test_escaped_characters_inside_json_inside_a_string_are_the_record_s() -> None:
    inner = json.dumps({"特許": 3})
    run = run_of(
        lines(cc_user("u0", None, "x"), cc_agent("u1", "u0", "m1", use("t")), cc_user("u2", "u1", [result("t", inner)]))
    )
    assert json.loads(run.turns[0].observations[0].text) == {"特許": 3}


def test_a_lone_surrogate_is_replaced_so_that_it_can_be_stored() -> None:
    run = run_of(cc_log().replace("patents: 3", "patents: \\ud83d 3 \\ud83d\\ude00"))
    shown = run.turns[1].observations[0].text
    assert shown == "patents: \ufffd 3 😀"
    assert (shown.encode(), kinds(run)) == ("patents: \ufffd 3 😀".encode(), ["bad encoding"])


def test_bytes_that_are_no_utf_8_are_shown_as_such() -> None:
    run = run_of(cc_log().encode().replace(b"patents: 3", b"patents: \xff3"))
    assert (run.turns[1].observations[0].text, kinds(run)) == ("patents: \ufffd3", ["bad encoding"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_a_number_that_json_does_not_have_is_kept_as_text(number: str) -> None:
    run = run_of(cc_log().replace('"command": "ls"', f'"command": "ls", "limit": {number}'))
    assert run.turns[0].calls[0].arguments["limit"] in (number, number[:4000])
    assert kinds(run) == ["not a number"]


def test_a_big_whole_number_is_itself() -> None:
    run = run_of(cc_log().replace('"command": "ls"', f'"command": "ls", "limit": {10**40}'))
    assert run.turns[0].calls[0].arguments["limit"] == 10**40


@pytest.mark.parametrize("place", ['"input": {"command": "ls"}', '"version": "2.1.0"'])
@pytest.mark.parametrize("bracket", ["[", '{"a":'])
def test_deep_nesting_costs_its_line_only(place: str, bracket: str) -> None:
    deep = LINES[1].replace(place, place.split(":")[0] + ": " + bracket * 100_000)
    run = run_of("".join([LINES[0], deep, *LINES[2:]]))
    assert len(run.turns) == 4
    assert "torn line" in kinds(run)


@pytest.mark.parametrize("content", [None, "", [], {}, 5, [None], [5], ["words"], [{}], [{"type": None}], [[]]])
@pytest.mark.parametrize("line", [1, 2, 7])
def test_a_content_of_any_kind_breaks_nothing(line: int, content: Any) -> None:
    record = json.loads(LINES[line])
    record["message"]["content"] = content
    run = run_of("".join([*LINES[:line], json.dumps(record) + "\n", *LINES[line + 1 :]]))
    assert len(run.turns) == 4
    assert run.tally.total == 8


@pytest.mark.parametrize("field", ["parentUuid", "uuid", "cwd", "sessionId", "isSidechain", "timestamp"])
@pytest.mark.parametrize("value", [None, 5, [], {"a": []}, True])
def test_a_field_of_any_kind_breaks_nothing(field: str, value: Any) -> None:
    record = json.loads(LINES[3]) | {field: value}
    run = run_of("".join([*LINES[:3], json.dumps(record) + "\n", *LINES[4:]])) if field != "isSidechain" else None
    if run is not None:
        assert [turn.text for turn in run.turns][-1] == "Done."
        assert (len(run.turns), run.abandoned) == (4, ())


def test_a_field_of_an_unexpected_type_is_named_and_the_rest_is_read() -> None:
    record = json.loads(LINES[3])
    record["message"]["content"][0]["input"] = "ls"
    record["message"]["usage"] = "many"
    record["cwd"] = 5
    run = run_of("".join([*LINES[:3], json.dumps(record) + "\n", *LINES[4:]]))
    assert dict(run.turns[1].calls[0].arguments) == {"": "ls"}
    [odd, arguments] = run.problems
    assert (odd.kind, arguments.kind) == ("unexpected type", "odd arguments")
    assert "cwd" in odd.what
    assert "message.usage" in odd.what


def test_a_repeated_name_keeps_its_last_value() -> None:
    run = run_of(cc_log().replace('"command": "ls"', '"command": "no", "command": "ls"'))
    assert run.turns[0].calls[0].arguments == {"command": "ls"}


def test_problems_of_one_kind_are_listed_up_to_a_number_and_counted_beyond() -> None:
    run = run_of(cc_log() + "{torn\n" * 1000)
    assert kinds(run) == ["torn line"] * 201
    assert "800 more of this kind" in str(run.problems[-1])
    assert len(run.tally.skipped) == 1000


def test_html_and_control_characters_are_text_like_any_other() -> None:
    words = "<script>alert(1)</script>\u001b[31mred\u001b[0m```"
    log = lines(cc_user("u0", None, words), cc_agent("u1", "u0", "m1", text(words)))
    run = run_of(log)
    assert (run.turns[0].text, run.turns[0].before[0].text) == (words, words)


def shared(name: str) -> Any:
    [path] = HOSTILE.glob(f"{name}*.jsonl") if HOSTILE.exists() else [None]
    if path is None:
        pytest.skip("the shared collection is not on this machine")
    return run_of(path.read_bytes())


BASE = ["annual.pdf\nnotes.md\nsales/q1.csv", "patents: 3\nrevenue: 41.2", "ok"]


@pytest.mark.parametrize("name", ["00", "03", "05", "06", "09", "17", "19", "21", "26"])
def test_a_shared_log_has_all_its_turns_and_results(name: str) -> None:
    run = shared(name)
    assert len(run.turns) == 4
    assert [len(turn.observations) for turn in run.turns] == [1, 1, 1, 0]
    if name not in ("05", "19", "21"):
        assert [o.text for turn in run.turns for o in turn.observations] == BASE
    assert [turn.text for turn in run.abandoned] == (["abandoned branch: 999"] if name == "17" else [])


@pytest.mark.parametrize(
    ("name", "tally", "problems"),
    [
        ("00", "8 lines: 8 read", []),
        ("01", "8 lines: 7 read, 1 skipped (line 8)", ["torn line"]),
        ("03", "7 lines: 7 read", ["glued records"]),
        ("06", "8 lines: 8 read", []),
        ("09", "8 lines: 8 read, 3 without time", []),
        ("12", "5 lines: 5 read", []),
        ("13", "6 lines: 6 read", []),
        ("15", "4 lines: 4 read", ["orphan result", "unanswered call"]),
        ("17", "9 lines: 9 read", []),
        ("25", "8 lines: 8 read", []),
        ("26", "10 lines: 10 read", []),
        ("29", "4 lines: 4 read", ["unanswered call"]),
    ],
)
def test_a_shared_log_says_what_was_wrong_and_where(name: str, tally: str, problems: list[str]) -> None:
    run = shared(name)
    assert (str(run.tally), kinds(run)) == (tally, problems)


def test_the_shared_parallel_results_stand_with_their_calls() -> None:
    [turn, _] = shared("12").turns
    commands = {call.call_id: call.arguments["command"] for call in turn.calls}
    assert {commands[o.call_id]: o.text for o in turn.observations} == {"cat a.txt": "AAA", "cat b.txt": "BBB"}


def test_the_shared_message_on_three_lines_counts_its_usage_once() -> None:
    assert sum(turn.usage.output for turn in shared("13").turns if turn.usage) == 400


def test_the_shared_orphan_is_kept_and_named() -> None:
    run = shared("15")
    assert run.turns[0].observations[0].text == "no matching call"
    assert (run.problems[0].line, "nope" in run.problems[0].what) == (3, True)


def test_the_shared_escaped_characters_are_found() -> None:
    assert "特許" in json.loads(shared("22").turns[1].observations[0].text)


def test_the_shared_compaction_is_the_harness_speaking() -> None:
    assert [m.kind for turn in shared("26").turns for m in turn.before] == ["prompt", "compaction"]
