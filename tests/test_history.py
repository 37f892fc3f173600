"""A recorded run -> its tab: the one that it had, or the one that the environment would have kept."""

from tabcore.capture import Workspace
from tabcore.tab import messages
from tabcore.tab.corrections import DecisionCorrection
from tabcore.tab.events import FileRead, FinishChecked, Refused, Stopped
from tabcore.tab.history import Historian, TurnFacts, derive
from tabcore.tab.keeper import Keeper
from tabcore.tab.operations import operation_of
from tabcore.tab.timeline import Timeline, timeline_of
from tabcore.trajectory import Json, Message, Observation, RunHeader, Span, Task, ToolCall, Turn

HEADER = RunHeader("pi", cwd="/ws", fresh_cwd=True)
ASK = Message("Write the hotel rate guide", "person", "prompt")
STATUS = "[tab] 0 open | candidates: {} unopened, {} above threshold | read log: {} | no tab operation yet"


def call(call_id: str, name: str, **arguments: Json) -> ToolCall:
    return ToolCall(call_id, name, arguments)


def shown(call_id: str, text: str, status: str = "") -> Observation:
    """A tool's result, and behind it the status line of a tab as a block of its own."""
    if not status:
        return Observation(call_id, text)
    whole = f"{text}\n{status}"
    return Observation(call_id, whole, spans=(Span(len(text) + 1, len(whole), "tab"),))


def facts(*turns: Turn, header: RunHeader = HEADER, after: tuple[Message, ...] = ()) -> list[TurnFacts]:
    return list(derive(header, turns, after))


def timeline(found: list[TurnFacts]) -> Timeline:
    return timeline_of(event for turn in found for event in turn.events)


LIST = Turn(
    1, calls=(call("a", "bash", command="ls"),), observations=(shown("a", "hotel_rate.csv\nx.txt\n"),), before=(ASK,)
)
READ = Turn(2, calls=(call("b", "read", path="x.txt"),), observations=(shown("b", "42\n"),))


def test_a_run_without_a_tab_gets_candidates_and_read_log() -> None:
    found = facts(LIST, READ, Turn(3, text="done"))
    after_1, after_2 = timeline(found).at(1), timeline(found).at(2)
    assert (list(after_1.candidates), after_1.starred) == (["hotel_rate.csv", "x.txt"], 1)
    assert (list(after_2.candidates), [e.path for e in after_2.read_log.values()]) == (["hotel_rate.csv"], ["x.txt"])
    assert not any(turn.recorded_tab or turn.differences for turn in found)


def test_the_first_prompt_of_a_person_is_the_task_and_later_ones_extend_it() -> None:
    later = Turn(2, before=(Message("and x too", "person", "prompt"), Message("be quick", "harness", "reminder")))
    assert timeline(facts(LIST, later)).at(2).task == "Write the hotel rate guide\n\nand x too"


def test_a_stated_task_is_not_extended_by_what_was_said() -> None:
    header = RunHeader("pi", cwd="/ws", task=Task("The stated task", "run folder"))
    assert timeline(facts(LIST, header=header)).at(1).task == "The stated task"


def test_a_result_that_comes_a_turn_later_belongs_to_its_call() -> None:
    asked = Turn(1, calls=(call("a", "read", path="x.txt"),), before=(ASK,))
    answered = Turn(2, observations=(shown("a", "42\n"),), outcome="aborted")
    [entry] = timeline(facts(asked, answered)).entries
    assert (entry.path, entry.turn, entry.call) == ("x.txt", 2, -1)


def test_only_a_complete_response_without_a_call_is_a_stop() -> None:
    found = facts(Turn(1, outcome="aborted"), Turn(2, outcome="failed"), Turn(3, text="done"))
    assert [e.turn for turn in found for e in turn.events if isinstance(e, Stopped)] == [3]


def test_one_screen_answers_the_commands_typed_before_it() -> None:
    typed = (call("a", "bash_command", keystrokes="ls\n"), call("b", "bash_command", keystrokes="cat x.txt\n"))
    turn = Turn(
        1, calls=typed, observations=(Observation("", "$ ls\nx.txt\ny.txt\n$ cat x.txt\n42\n$ "),), before=(ASK,)
    )
    assert [entry.path for entry in timeline(facts(turn)).entries] == ["x.txt"]


def with_tab(status_1: str = STATUS.format(2, 1, "0 entries"), reply: str | None = None) -> list[Turn]:
    """A run recorded with a tab: it lists, states a requirement, reads, resolves, stops."""
    k = Keeper(Workspace(root="/ws", cwd="/ws", fresh_cwd=True))
    k.state_task(1, ASK.text)
    ls = call("a", "bash", command="ls")
    k.observe(1, 0, ls, shown("a", "hotel_rate.csv\nx.txt\n"))
    turns = [Turn(1, calls=(ls,), observations=(shown("a", "hotel_rate.csv\nx.txt\n", status_1),), before=(ASK,))]
    for number, made in enumerate(
        (
            call("b", "tab_add", items=["hotel rates"]),
            call("c", "tab_resolve", id="r1", status="unavailable", reason="x"),
        ),
        2,
    ):
        operation = operation_of(made)
        text = k.operate(number, 0, operation).text
        if reply is not None and number == 3:
            text = reply
        turns.append(Turn(number, calls=(made,), observations=(shown(made.call_id, text, k.status_line(number)),)))
    turns.append(Turn(4, text="done"))
    return turns


def test_a_recorded_tab_that_the_engine_derives_alike_has_no_difference() -> None:
    found = facts(*with_tab())
    assert [d for turn in found for d in turn.differences] == []
    assert found[0].recorded_tab
    assert timeline(found).at(3).requirements["r1"].status == "unavailable"


def test_an_altered_status_line_is_kept_as_a_difference() -> None:
    forged = STATUS.format(3, 1, "0 entries")
    [difference] = [d for turn in facts(*with_tab(forged)) for d in turn.differences]
    assert (difference.turn, difference.what, difference.recorded) == (1, "status line", forged)
    assert "2 unopened" in difference.derived


def test_a_recorded_refusal_stands_whatever_the_engine_would_say() -> None:
    found = facts(*with_tab(reply="Refused: not now."))
    assert [e.why for turn in found for e in turn.events if isinstance(e, Refused)] == ["Refused: not now."]
    assert timeline(found).at(3).requirements["r1"].status == "open"


def test_a_finish_check_is_a_fact_of_the_stop_before_it() -> None:
    turns = with_tab()
    check = Message(f"{messages.FINISH_HEAD}\nsomething else", "tab", "notice")
    found = facts(*turns, after=(check,))
    [event] = [e for turn in found for e in turn.events if isinstance(e, FinishChecked)]
    assert (event.turn, event.body, event.unopened) == (4, "all resolved", 2)
    [difference] = [d for turn in found for d in turn.differences]
    assert difference.what == "finish check"


def test_a_finish_check_behind_a_hosts_heading_is_a_finish_check() -> None:
    head = "Stop hook feedback:\n"
    said = Message(head + messages.FINISH_HEAD, "tab", "notice", spans=(Span(0, len(head), "harness", "heading"),))
    run = timeline(facts(LIST, Turn(2, text="Done"), Turn(3, text="Done", before=(said,))))
    assert [check.turn for check in run.finish_checks] == [2]


def corrections(*said: DecisionCorrection) -> Timeline:
    historian = Historian(HEADER, corrections=said)
    return timeline_of(event for turn in (LIST, READ) for event in historian.turn(turn).events)


def test_what_a_person_says_of_a_call_replaces_what_capture_said_and_names_it() -> None:
    said = DecisionCorrection(1, 0, "x.txt", "read", "Ann", 5.0)
    [entry, _] = corrections(said).entries
    assert (entry.path, entry.turn) == ("x.txt", 1)
    [event] = [e for e in Historian(HEADER, corrections=[said]).turn(LIST).events if isinstance(e, FileRead)]
    assert event.rule.startswith("corrected by Ann on 1970-01-01; capture said listed (")


def test_the_later_of_two_corrections_counts() -> None:
    first = DecisionCorrection(2, 0, "x.txt", "listed", "Ann", 5.0)
    then = DecisionCorrection(2, 0, "x.txt", "neither", "Bo", 6.0)
    assert corrections(then, first).entries == []
    assert len(corrections(first).at(2).candidates) == 2


def test_a_correction_can_name_a_file_that_capture_did_not_see() -> None:
    said = DecisionCorrection(1, 0, "seen.txt", "listed", "Ann", 5.0)
    assert "seen.txt" in corrections(said).at(1).candidates
