"""The tab's rules, one sentence each (RunningTab sections 3.2 and 3.3)."""

import pytest

from tabcore.errors import TabRefusal
from tabcore.tab.events import (
    FileAuthored,
    FileListed,
    FileRead,
    FileRenamed,
    Refused,
    TaskStated,
    text_digest,
)
from tabcore.tab.tab import Tab

TASK = "Write the travel policy guide"
EXCERPT = "Hotel ceiling: 240 EUR a night"


def tab() -> Tab:
    return Tab({text_digest(EXCERPT): EXCERPT}, TASK)


def read(path: str, turn: int = 1, *, authored: bool = False) -> FileRead:
    return FileRead(turn, 0, path, f"cat {path}", text_digest(EXCERPT), len(EXCERPT), authored)


def test_a_listed_file_becomes_a_candidate_and_leaves_when_it_is_read() -> None:
    t = tab()
    t.apply(FileListed(1, 0, "docs/hotels.txt"))
    assert list(t.candidates) == ["docs/hotels.txt"]
    t.apply(read("docs/hotels.txt"))
    assert not t.candidates
    assert t.read_log["L1"].path == "docs/hotels.txt"


def test_a_file_once_read_never_becomes_a_candidate_again() -> None:
    t = tab()
    t.apply(read("a.txt"))
    t.apply(FileListed(2, 0, "a.txt"))
    assert not t.candidates


def test_reading_a_file_again_adds_an_entry() -> None:
    t = tab()
    t.apply(read("a.txt", 1))
    t.apply(read("a.txt", 2))
    assert [entry.turn for entry in t.read_log.values()] == [1, 2]


def test_an_authored_file_is_no_candidate_before_or_after_it_is_listed() -> None:
    t = tab()
    t.apply(FileListed(1, 0, "out.md"))
    t.apply(FileAuthored(2, 0, "out.md"))
    t.apply(FileListed(3, 0, "out.md"))
    assert not t.candidates


def test_what_turns_out_to_lie_above_a_file_is_no_candidate_any_more() -> None:
    t = tab()
    t.apply(FileListed(1, 0, "policies"))
    t.apply(FileListed(2, 0, "policies/travel/a.txt"))
    t.apply(FileListed(3, 0, "policies"))
    t.apply(FileListed(3, 0, "policies/travel"))
    assert list(t.candidates) == ["policies/travel/a.txt"]


def test_a_moved_candidate_keeps_being_one_under_its_new_name() -> None:
    t = tab()
    t.apply(FileListed(1, 0, "a.txt"))
    t.apply(FileRenamed(2, 0, "b.txt", "a.txt"))
    assert list(t.candidates) == ["b.txt"]


def test_a_moved_file_that_was_read_is_still_read() -> None:
    t = tab()
    t.apply(read("a.txt"))
    t.apply(FileRenamed(2, 0, "b.txt", "a.txt"))
    t.apply(FileListed(3, 0, "b.txt"))
    assert not t.candidates


@pytest.mark.parametrize(
    ("path", "starred"),
    [("travel/policy.txt", True), ("travel/travel.txt", False), ("guide/x.txt", False), ("TravelPolicy.md", True)],
)
def test_two_distinct_shared_terms_put_a_candidate_above_the_threshold(path: str, starred: bool) -> None:
    t = tab()
    t.apply(FileListed(1, 0, path))
    assert t.candidates[path].starred is starred


def test_a_later_statement_of_the_task_can_lift_a_candidate_above_the_threshold() -> None:
    t = tab()
    t.apply(FileListed(1, 0, "travel/hotels.txt"))
    assert t.starred == 0
    t.apply(TaskStated(4, "and cover hotels"))
    assert t.candidates["travel/hotels.txt"].starred_turn == 4


def test_requirements_are_numbered_across_calls_and_blank_items_are_left_out() -> None:
    t = tab()
    t.add(["hotel ceiling", "  "], turn=1)
    t.add(["meal allowance"], turn=2)
    assert [(r.requirement_id, r.text) for r in t.requirements.values()] == [
        ("r1", "hotel ceiling"),
        ("r2", "meal allowance"),
    ]


def test_adding_nothing_is_refused() -> None:
    with pytest.raises(TabRefusal, match="no item"):
        tab().add(["", " "], turn=1)


def test_done_needs_an_entry_that_shares_a_word_with_the_requirement() -> None:
    t = tab()
    t.add(["hotel ceiling", "meal allowance"], turn=1)
    t.apply(read("policies/a.txt"))
    t.resolve("r1", "done", "L1", turn=2)
    assert t.requirements["r1"].status == "done"
    with pytest.raises(TabRefusal, match="shares no word"):
        t.resolve("r2", "done", "L1", turn=2)
    assert t.requirements["r2"].status == "open"


def test_the_path_alone_can_be_the_evidence() -> None:
    t = tab()
    t.add(["meal allowance"], turn=1)
    t.apply(read("meal_rates.txt"))
    t.resolve("r1", "done", "L1", turn=2)
    assert t.open_requirements == ()


@pytest.mark.parametrize(
    ("requirement", "status", "entry", "reason", "why"),
    [
        ("r9", "done", "L1", "", "no such requirement"),
        ("r1", "done", "L7", "", "L7 is not one"),
        ("r1", "done", "", "", "must cite"),
        ("r1", "unavailable", "", " ", "needs a reason"),
    ],
)
def test_a_refused_resolve_says_why_and_changes_nothing(
    requirement: str, status: str, entry: str, reason: str, why: str
) -> None:
    t = tab()
    t.add(["hotel ceiling"], turn=1)
    t.apply(read("a.txt"))
    before = dict(t.requirements)
    with pytest.raises(TabRefusal, match=why):
        t.resolve(requirement, status, entry, reason, turn=2)  # type: ignore[arg-type]
    assert t.requirements == before


def test_an_unavailable_requirement_can_be_resolved_anew() -> None:
    t = tab()
    t.add(["hotel ceiling"], turn=1)
    t.resolve("r1", "unavailable", reason="no file", turn=2)
    t.apply(read("a.txt", 3))
    t.resolve("r1", "done", "L1", turn=4)
    assert (t.requirements["r1"].status, t.requirements["r1"].entry) == ("done", "L1")


def test_show_gives_the_excerpt_and_refuses_an_unknown_entry() -> None:
    t = tab()
    t.apply(read("a.txt"))
    assert t.show("L1")[1] == EXCERPT
    with pytest.raises(TabRefusal, match="no such entry"):
        t.show("L2")


def test_a_refusal_counts_as_an_operation_of_its_turn() -> None:
    t = tab()
    t.apply(Refused(5, 0, "resolve", "r1", "no"))
    assert t.last_operation == 5
