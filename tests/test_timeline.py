"""The tab at any turn is one selection over intervals, and equals the fold over the facts up to that turn."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tabcore.tab.events import (
    Consulted,
    Event,
    FileAuthored,
    FileListed,
    FileRead,
    FileRenamed,
    FinishChecked,
    Refused,
    RequirementAdded,
    Resolved,
    TaskStated,
)
from tabcore.tab.tab import Tab
from tabcore.tab.timeline import timeline_of

PATHS = st.sampled_from(
    [f"{folder}/{name}.txt" for folder in ("travel", "misc") for name in ("policy", "a", "b")] + ["travel", "misc"]
)
TASKS = st.sampled_from(["travel policy guide", "misc a", "b"])


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Facts in order of turns, requirements resolved only after they were added."""
    events: list[Event] = []
    turn, requirements, entries = 1, 0, 0
    for kind in draw(st.lists(st.sampled_from("tlrwmaRuUcfT"), max_size=40)):
        path = draw(PATHS)
        match kind:
            case "t":
                turn += 1
            case "l":
                events.append(FileListed(turn, 0, path))
            case "r":
                events.append(FileRead(turn, 0, path, "cat", "0" * 32, 3))
                entries += 1
            case "w":
                events.append(FileAuthored(turn, 0, path))
            case "m":
                events.append(FileRenamed(turn, 0, draw(PATHS), path))
            case "a":
                requirements += 1
                events.append(RequirementAdded(turn, 0, f"r{requirements}", "hotel"))
            case "R" if requirements:
                events.append(Resolved(turn, 0, f"r{draw(st.integers(1, requirements))}", "done", f"L{entries}"))
            case "u":
                events.append(Refused(turn, 0, "resolve", "r1", "no"))
            case "c":
                events.append(Consulted(turn, 0, "candidates"))
            case "f":
                events.append(FinishChecked(turn, "none recorded", (), 0))
            case "T":
                events.append(TaskStated(turn, draw(TASKS)))
            case _:
                pass
    return events


def facts_of(tab: Tab) -> dict[str, object]:
    return {
        "candidates": tab.candidates,
        "read_log": tab.read_log,
        "requirements": tab.requirements,
        "task": tab.task,
        "last_operation": tab.last_operation,
        "finish_checked": tab.finish_checked,
    }


@given(histories())
@settings(max_examples=300)
def test_the_tab_at_a_turn_equals_the_fold_of_the_facts_up_to_it(events: list[Event]) -> None:
    timeline = timeline_of(events)
    for turn in range(max((event.turn for event in events), default=0) + 2):
        folded = Tab({})
        for event in events:
            if event.turn <= turn:
                folded.apply(event)
        assert facts_of(timeline.at(turn)) == facts_of(folded)


@given(histories(), st.integers(0, 40))
def test_folding_a_prefix_and_then_the_rest_is_folding_all(events: list[Event], cut: int) -> None:
    whole, parts = Tab({}), Tab({})
    for event in events:
        whole.apply(event)
    for event in [*events[:cut], *events[cut:]]:
        parts.apply(event)
    assert facts_of(whole) == facts_of(parts)


def test_a_candidate_is_held_from_its_listing_until_it_is_read() -> None:
    [interval] = timeline_of([FileListed(3, 0, "a"), FileRead(7, 1, "a", "cat a", "0" * 32, 1)]).candidates
    assert [turn for turn in range(10) if interval.holds(turn)] == [3, 4, 5, 6]
    assert (interval.left_by, interval.left_call) == ("read", 1)


def test_candidates_stand_in_the_order_in_which_they_were_listed_whatever_left_since() -> None:
    events = [FileListed(1, 0, "b"), FileListed(1, 0, "a"), FileRead(2, 0, "a", "cat a", "0" * 32, 1)]
    assert [c.path for c in timeline_of(events).candidates] == ["b", "a"]
