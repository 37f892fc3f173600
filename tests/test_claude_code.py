"""Claude Code sessions: what becomes of each line."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from small_logs import (
    REAL,
    cc_agent,
    cc_line,
    cc_log,
    cc_user,
    kinds,
    lines,
    result,
    run_of,
    runs_of,
    text,
    use,
)

from tabcore.trajectory import Message, Observation, Usage, without


def said(*contents: Any, **more: Any) -> list[Message]:
    """What reached the model before its only response."""
    users = [
        cc_user(f"u{number}", f"u{number - 1}" if number else None, content, **more)
        for number, content in enumerate(contents)
    ]
    return list(run_of(lines(*users, cc_agent("a", users[-1]["uuid"], "m1", text("ok")))).turns[0].before)


def shown(content: Any, **more: Any) -> Observation:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", command="ls")),
        cc_user("u2", "u1", [result("t1", content, **more)]),
    )
    return run_of(log).turns[0].observations[0]


def test_a_session_is_one_run_with_its_header() -> None:
    run = run_of(cc_log())
    header = run.header
    assert (header.format, header.session, header.cwd, header.model) == ("claude-code", "s1", "/ws", "m")
    assert (header.fresh_cwd, header.parent_key, header.started) == (False, None, 1790848800.0)
    assert [(turn.number, len(turn.calls), turn.is_stop, turn.cwd) for turn in run.turns] == [
        (1, 1, False, "/ws"),
        (2, 1, False, "/ws"),
        (3, 1, False, "/ws"),
        (4, 0, True, "/ws"),
    ]
    assert (run.problems, str(run.tally)) == ((), "8 lines: 8 read")


def test_lines_of_one_message_are_one_turn_and_its_usage_counts_once() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", {"type": "thinking", "thinking": "hm"}),
        cc_agent("u2", "u1", "m1", text("Listing")),
        cc_agent("u3", "u2", "m1", use("t1", command="ls")),
        cc_user("u4", "u3", [result("t1", "a")]),
        cc_agent("u5", "u4", "m2", text("Done")),
    )
    first, last = run_of(log).turns
    assert (first.reasoning, first.text, len(first.calls), first.line) == ("hm", "Listing", 1, 2)
    assert first.usage == last.usage == Usage(3, 10, 50, 2)


def test_the_largest_count_of_a_response_is_its_usage() -> None:
    early, late = cc_agent("u1", "u0", "m1", text("a")), cc_agent("u2", "u1", "m1", text("b"))
    early["message"]["usage"] = {"input_tokens": 3, "output_tokens": 1}
    usage = run_of(lines(cc_user("u0", None, "x"), early, late)).turns[0].usage
    assert usage is not None
    assert (usage.input, usage.output) == (3, 10)


def test_a_call_written_after_the_first_ones_result_belongs_to_the_same_turn() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", command="cat a")),
        cc_user("u2", "u1", [result("t1", "A")]),
        cc_agent("u3", "u1", "m1", use("t2", command="cat b")),
        cc_user("u4", "u3", [result("t2", "B")]),
        cc_agent("u5", "u4", "m2", text("Done")),
    )
    run = run_of(log)
    assert [[call.call_id for call in turn.calls] for turn in run.turns] == [["t1", "t2"], []]
    assert [o.text for o in run.turns[0].observations] == ["A", "B"]
    assert (run.abandoned, run.problems) == ((), ())


def test_results_of_parallel_calls_that_branch_off_are_live() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", command="cat a")),
        cc_agent("u2", "u1", "m1", use("t2", command="cat b")),
        cc_user("u3", "u1", [result("t1", "A")]),
        cc_user("u4", "u2", [result("t2", "B")]),
        cc_line("u5", "u3", "attachment", attachment={"type": "todo_reminder", "content": "your todos"}),
        cc_agent("u6", "u4", "m2", text("Done")),
    )
    run = run_of(log)
    assert ([o.text for o in run.turns[0].observations], run.abandoned) == (["A", "B"], ())
    assert [message.text for message in run.turns[1].before] == ["your todos"]


def test_the_second_of_two_parallel_calls_is_live_when_the_log_goes_on_from_the_first() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", command="cat a")),
        cc_agent("u2", "u1", "m1", use("t2", command="cat b")),
        cc_user("u4", "u2", [result("t2", "B")]),
        cc_user("u3", "u1", [result("t1", "A")]),
        cc_agent("u6", "u3", "m2", text("Done")),
    )
    run = run_of(log)
    assert (len(run.turns), len(run.turns[0].calls), len(run.turns[0].observations), run.abandoned) == (2, 2, 2, ())


def test_a_late_result_at_the_end_abandons_nothing() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", command="cat a")),
        cc_agent("u2", "u1", "m1", use("t2", command="cat b")),
        cc_user("u3", "u2", [result("t2", "B")]),
        cc_agent("u4", "u3", "m2", text("Meanwhile")),
        cc_user("u5", "u1", [result("t1", "A")]),
    )
    run = run_of(log)
    assert ([turn.text for turn in run.turns], run.abandoned) == (["", "Meanwhile"], ())
    assert [o.call_id for o in run.turns[1].observations] == ["t1"]


def test_a_prompt_that_was_taken_back_is_abandoned_with_all_that_followed() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", text("one")),
        cc_user("u2", "u1", "wrong way"),
        cc_agent("u3", "u2", "m2", use("t1", command="cat secret")),
        cc_user("u4", "u3", [result("t1", "999")]),
        cc_agent("u5", "u4", "m3", text("given up")),
        cc_user("u6", "u1", "right way"),
        cc_agent("u7", "u6", "m4", text("kept")),
    )
    run = run_of(log)
    assert [(turn.number, turn.text) for turn in run.turns] == [(1, "one"), (2, "kept")]
    assert [(turn.number, turn.text) for turn in run.abandoned] == [(2, ""), (3, "given up")]
    assert [message.text for message in run.turns[1].before] == ["right way"]
    assert run.problems == ()


def test_a_prompt_that_was_taken_back_unanswered_never_reached_the_live_branch() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", text("one")),
        cc_user("u2", "u1", "typo"),
        cc_user("u3", "u1", "no typo"),
        cc_agent("u4", "u3", "m2", text("two")),
    )
    run = run_of(log)
    assert [message.text for message in run.turns[1].before] == ["no typo"]
    [given_up] = run.abandoned
    assert (given_up.outcome, [message.text for message in given_up.before]) == ("aborted", ["typo"])


def test_a_first_prompt_asked_anew_abandons_the_first() -> None:
    log = lines(
        cc_user("u0", None, "first"),
        cc_agent("u1", "u0", "m1", text("one")),
        cc_user("u2", None, "second"),
        cc_agent("u3", "u2", "m2", text("two")),
    )
    run = run_of(log)
    assert ([turn.text for turn in run.turns], [turn.text for turn in run.abandoned]) == (["two"], ["one"])


@pytest.mark.parametrize(
    "boundary",
    [
        {"parentUuid": None, "logicalParentUuid": "u1"},
        {"parentUuid": None},
        {"parentUuid": "not-here"},
        {"parentUuid": "u1"},
    ],
)
def test_a_compaction_abandons_nothing(boundary: dict[str, Any]) -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", text("one")),
        cc_line("c1", None, "system", subtype="compact_boundary") | boundary,
        cc_user("c2", "c1", "This session is being continued: 7", isCompactSummary=True),
        cc_agent("u3", "c2", "m2", text("two")),
    )
    run = run_of(log)
    assert ([turn.text for turn in run.turns], run.abandoned) == (["one", "two"], ())
    assert [(m.origin, m.kind) for m in run.turns[1].before] == [("harness", "compaction")]


def test_shuffled_lines_abandon_nothing() -> None:
    first, *others = cc_log().splitlines(keepends=True)
    run = run_of("".join([first, *reversed(others)]))
    assert (len(run.turns), run.abandoned) == (4, ())


def test_a_line_that_stands_twice_is_read_once() -> None:
    run = run_of(cc_log() + cc_log())
    assert (len(run.turns), len(run.abandoned)) == (4, 0)
    assert sum(turn.usage.output for turn in run.turns if turn.usage) == 40
    assert (run.after, kinds(run)) == ((), ["repeated record"] * 8)


def test_a_message_that_goes_on_after_another_counts_its_usage_once() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", text("a")),
        cc_agent("u2", "u1", "m2", text("b")),
        cc_agent("u3", "u2", "m1", text("c")),
    )
    run = run_of(log)
    assert ([turn.usage is None for turn in run.turns], kinds(run)) == ([False, False, True], ["split message"])


def test_inline_sub_agents_are_runs_of_their_own_with_the_call_that_started_them() -> None:
    side = {"isSidechain": True}
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", "Task", prompt="look at a")),
        cc_agent("u2", "u1", "m1", use("t2", "Task", prompt="look at b")),
        cc_user("b0", None, "look at b", **side),
        cc_user("a0", None, "look at a", **side),
        cc_agent("b1", "b0", "mb1", use("tb", command="cat b"), **side),
        cc_agent("a1", "a0", "ma1", text("nothing in a"), **side),
        cc_user("b2", "b1", [result("tb", "B")], **side),
        cc_agent("b3", "b2", "mb2", text("B it is"), **side),
        cc_user("u3", "u2", [result("t2", "B it is")]),
        cc_user("u4", "u1", [result("t1", "nothing")]),
        cc_agent("u5", "u3", "m2", text("Done")),
    )
    main, second, first = runs_of(log)
    assert [(len(run.turns), run.abandoned) for run in (main, second, first)] == [(2, ()), (2, ()), (1, ())]
    assert [(run.header.parent_key, run.header.parent_call) for run in (second, first)] == [("", "t2"), ("", "t1")]
    assert [run.run_id.partition(".")[2] for run in (main, second, first)] == ["", "b0", "a0"]
    assert second.turns[0].observations[0].text == "B"
    assert main.problems == ()


def test_a_sub_agents_own_file_is_one_run_that_names_its_session() -> None:
    more = {"isSidechain": True, "agentId": "ag1"}
    run = run_of(lines(cc_user("a0", None, "look", **more), cc_agent("a1", "a0", "m1", text("seen"), **more)))
    assert (run.header.parent_key, len(run.turns), "." in run.run_id) == ("s1", 1, False)


@pytest.mark.parametrize(
    ("words", "origin", "kind"),
    [
        ("Please list", "person", "prompt"),
        ("<system-reminder>todo</system-reminder>", "harness", "reminder"),
        ("[Request interrupted by user]", "harness", "notice"),
        ("[Request interrupted by user for tool use]", "harness", "notice"),
        ("This session is being continued from a previous conversation that…", "harness", "compaction"),
        ("Caveat: The messages below were generated by the user while running local commands.", "harness", "reminder"),
        ("<local-command-stdout>ok</local-command-stdout>", "harness", "notice"),
        ("<bash-input>ls</bash-input>", "person", "shell"),
        ("<ide_opened_file>a.py</ide_opened_file>", "harness", "environment"),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", "harness", "notice"),
    ],
)
def test_whose_words_a_users_text_is(words: str, origin: str, kind: str) -> None:
    assert [(m.origin, m.kind, m.text) for m in said(words)] == [(origin, kind, words)]
    assert [(m.origin, m.kind) for m in said([text(words)])] == [(origin, kind)]


def test_only_the_arguments_of_a_slash_command_are_the_persons() -> None:
    words = "<command-message>run…</command-message>\n<command-name>/run</command-name>\n<command-args>make it</command-args>"
    [message] = said(words)
    assert (message.origin, message.text) == ("person", words)
    assert without(message.text, message.spans, {"harness"}) == "make it"


def test_what_the_record_calls_meta_or_a_summary_is_the_harness() -> None:
    assert [(m.origin, m.kind) for m in said("Expanded command", isMeta=True)] == [("harness", "reminder")]
    assert [(m.origin, m.kind) for m in said("So far", isCompactSummary=True)] == [("harness", "compaction")]


def test_a_reminder_inside_a_persons_text_is_marked_there() -> None:
    [message] = said("Do it. <system-reminder>todo</system-reminder>")
    assert without(message.text, message.spans, {"harness"}) == "Do it. "


def test_attachments_tell_what_the_agent_saw_without_a_call() -> None:
    attachments = [
        {"type": "edited_text_file", "filename": "a.py", "snippet": "1\tx = 1"},
        {"type": "file", "filename": "b", "content": {"type": "text", "file": {"filePath": "b", "content": "B"}}},
        {"type": "queued_command", "prompt": "and c too", "commandMode": "prompt"},
        {"type": "queued_command", "prompt": "task 1 is done", "commandMode": "task-notification"},
        {"type": "empty"},
    ]
    log = lines(
        cc_user("u0", None, "x"),
        *(cc_line(f"p{n}", "u0", "attachment", attachment=a) for n, a in enumerate(attachments)),
        cc_agent("u1", "p4", "m1", text("ok")),
    )
    assert [(m.text, m.origin) for m in run_of(log).turns[0].before] == [
        ("x", "person"),
        ("1\tx = 1", "harness"),
        ("B", "harness"),
        ("and c too", "person"),
        ("task 1 is done", "harness"),
    ]


STATUS = "[tab] 1 open | candidates: 0 unopened, 0 above threshold | read log: 1 entry | no tab operation yet"
STOPPED = "Stop hook feedback:\n[tab] Finish check 1 of at most 1: you stopped."


def hooked(*contexts: str, is_meta: bool = True) -> Any:
    """A session with a hook's words after its first result, and the words at its first stop."""
    return run_of(
        lines(
            cc_user("u0", None, "x"),
            cc_agent("u1", "u0", "m1", use("t1", command="ls")),
            cc_user("u2", "u1", [result("t1", "a")]),
            cc_line("u3", "u2", "attachment", attachment={"type": "hook_additional_context", "content": [*contexts]}),
            cc_agent("u4", "u3", "m2", text("Done")),
            cc_user("u5", "u4", STOPPED, isMeta=is_meta),
            cc_agent("u6", "u5", "m3", text("Done")),
        )
    )


def test_what_the_tabs_hooks_said_is_the_tabs() -> None:
    run = hooked(STATUS, "another hook's words")
    assert [(m.text, m.origin) for m in run.turns[1].before] == [(STATUS, "tab"), ("another hook's words", "harness")]
    [check] = run.turns[2].before
    assert (check.origin, check.kind) == ("tab", "notice")
    assert without(check.text, check.spans, {"harness"}) == "[tab] Finish check 1 of at most 1: you stopped."


def test_words_like_the_tabs_are_not_the_tabs_where_there_is_none() -> None:
    for other in ("formatted 1 file", f"{STATUS}\nand more", f"see {STATUS}"):
        run = hooked(other)
        assert [m.origin for turn in run.turns[1:] for m in turn.before] == ["harness", "harness"]


def test_a_person_who_types_a_stop_hooks_words_is_a_person() -> None:
    assert [m.origin for m in hooked(STATUS, is_meta=False).turns[2].before] == ["person"]


def test_an_interrupted_answer_is_no_stop() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", text("I was going to")),
        cc_user("u2", "u1", [text("[Request interrupted by user]")]),
        cc_user("u3", "u2", "never mind"),
        cc_agent("u4", "u3", "m2", text("ok")),
    )
    assert [(turn.outcome, turn.is_stop) for turn in run_of(log).turns] == [("aborted", False), ("complete", True)]


def test_an_api_error_is_a_failed_turn_and_a_made_up_answer_is_none() -> None:
    error = cc_agent("u1", "u0", "m1", text("API Error: overloaded"), isApiErrorMessage=True)
    filler = cc_agent("u2", "u1", "m2", text("No response requested."))
    filler["message"]["model"] = "<synthetic>"
    run = run_of(lines(cc_user("u0", None, "x"), error, filler, cc_agent("u3", "u2", "m3", text("ok"))))
    assert [(turn.text, turn.outcome) for turn in run.turns] == [
        ("API Error: overloaded", "failed"),
        ("ok", "complete"),
    ]
    assert [message.origin for message in run.turns[1].before] == ["harness"]


def test_the_text_of_a_result_is_exactly_what_was_shown() -> None:
    assert shown("     1→a\u2028b\n").text == "     1→a\u2028b\n"
    assert shown(None).text == shown([]).text == shown("").text == ""
    assert shown([text("a"), text("b")]).text == "a\nb"


def test_pictures_in_a_result_are_counted_and_not_text() -> None:
    observation = shown([{"type": "image", "source": {"data": "A" * 99}}, text("a figure")])
    assert (observation.text, observation.images) == ("a figure", 1)


def test_a_reminder_at_a_results_end_is_marked_and_one_inside_is_content() -> None:
    observation = shown("data\n\n<system-reminder>\ntodo\n</system-reminder>\n")
    assert without(observation.text, observation.spans, {"harness"}).strip() == "data"
    assert shown("a <system-reminder>x</system-reminder> b").spans == ()
    assert shown("1\t<system-reminder>x</system-reminder>\n2\tend").spans == ()


def test_the_exit_code_of_a_failed_command_is_told_and_marked() -> None:
    observation = shown("Exit code 2\nls: cannot access", is_error=True)
    assert (observation.exit_code, observation.is_error) == (2, True)
    assert without(observation.text, observation.spans, {"harness"}) == "ls: cannot access"
    assert shown("Exit code 2 is what the file says").exit_code is None


def test_orphans_second_results_and_unanswered_calls_are_kept_and_named() -> None:
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", command="ls"), use("t2", command="sleep 9")),
        cc_user("u2", "u1", [result("t1", "one"), result("t1", "two"), result("nope", "three")]),
        cc_agent("u3", "u2", "m2", text("Done")),
    )
    run = run_of(log)
    assert [o.text for o in run.turns[0].observations] == ["one", "two", "three"]
    assert [(p.kind, p.line) for p in run.problems] == [
        ("duplicate result", 3),
        ("orphan result", 3),
        ("unanswered call", 2),
    ]
    assert "nope" in run.problems[1].what
    assert "t2" in run.problems[2].what


def test_a_result_before_any_response_is_kept() -> None:
    run = run_of(lines(cc_user("u2", "u1", [result("t1", "A")]), cc_agent("u3", "u2", "m1", text("Done"))))
    assert [(turn.outcome, [o.text for o in turn.observations]) for turn in run.turns] == [
        ("failed", ["A"]),
        ("complete", []),
    ]
    assert kinds(run) == ["no response", "orphan result"]


def test_records_without_words_for_the_model_are_read_and_silent() -> None:
    extra = [
        {"type": "summary", "summary": "A session", "leafUuid": "u7"},
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        cc_line("s1", "u7", "system", subtype="stop_hook_summary", content="…"),
    ]
    run = run_of(cc_log() + lines(*extra))
    assert (run.problems, run.after, str(run.tally)) == ((), (), "11 lines: 11 read")


def test_an_unknown_block_is_named() -> None:
    run = run_of(lines(cc_user("u0", None, "x"), cc_agent("u1", "u0", "m1", text("a"), {"type": "hologram"})))
    assert [(p.kind, p.lost) for p in run.problems] == [("unknown block", True)]


GOLDEN = sorted(
    path
    for path in (Path(__file__).parent / "golden" / "readers").glob("*.json")
    if json.loads(path.read_text()).get("counted_by") == "claude_code.jq"
)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_a_real_log_holds_what_was_counted_without_the_reader(golden: Path) -> None:
    expected = json.loads(golden.read_text())
    if not (REAL / expected["log"]).exists():
        pytest.skip("the real logs are not on this machine")
    main, *agents = runs = runs_of((REAL / expected["log"]).read_bytes())

    def part(*runs: Any) -> dict[str, int]:
        turns = [turn for run in runs for turn in run.turns]
        observations = [o for turn in turns for o in turn.observations]
        return {
            "turns": len(turns),
            "calls": sum(len(turn.calls) for turn in turns),
            "results": len(observations),
            "errors": sum(o.is_error for o in observations),
            "output_tokens": sum(turn.usage.output for turn in turns if turn.usage),
        }

    turns = [turn for run in runs for turn in run.turns]
    names = [call.name for turn in turns for call in turn.calls]
    found = {
        "runs": len(runs),
        "main": part(main),
        "agents": part(*agents),
        "agent_turns": {run.run_id.partition(".")[2]: len(run.turns) for run in agents},
        "unanswered": kinds(main).count("unanswered call"),
        "observation_chars": sum(len(o.text) for turn in turns for o in turn.observations),
        "tools": {name: names.count(name) for name in sorted(set(names))},
    }
    assert found == expected["counts"]
    assert all(run.header.parent_call for run in agents)
    assert not any(run.abandoned for run in runs)
    assert (main.tally.total, main.tally.skipped) == (expected["lines"], ())
    assert sha256(main.turns[0].text.encode()).hexdigest() == expected["first_text_sha256"]
    assert sha256(main.turns[-1].text.encode()).hexdigest() == expected["last_text_sha256"]


def test_a_sub_agent_whose_first_record_hangs_on_the_call_is_a_run_of_its_own() -> None:
    side = {"isSidechain": True}
    log = lines(
        cc_user("u0", None, "x"),
        cc_agent("u1", "u0", "m1", use("t1", "Task", prompt="a"), use("t2", "Task", prompt="b")),
        cc_user("a0", "u1", "a", **side),
        cc_agent("a1", "a0", "ma", text("A"), **side),
        cc_user("b0", "u1", "b", **side),
        cc_agent("b1", "b0", "mb", text("B"), **side),
        cc_user("u2", "u1", [result("t1", "A"), result("t2", "B")]),
        cc_agent("u3", "u2", "m2", text("Done")),
    )
    assert [(len(run.turns), run.header.parent_call) for run in runs_of(log)] == [(2, None), (1, "t1"), (1, "t2")]
