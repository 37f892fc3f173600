"""What the environment says: the layouts of the paper's Tables 5 to 7."""

from tabcore.tab import messages
from tabcore.tab.events import FileListed, FileRead, text_digest
from tabcore.tab.review import Reviewer
from tabcore.tab.tab import Tab

EXCERPT = "Preface\nArticle 7 Hotel rates: 240 EUR\n"


def working_tab() -> Tab:
    tab = Tab({text_digest(EXCERPT): EXCERPT}, "Write the hotel rate guide")
    tab.add(["hotel rates", "meal allowance"], turn=1)
    for path in ("hotel/rate_table.csv", "hotel/other.txt", "meals.txt"):
        tab.apply(FileListed(2, 0, path))
    tab.apply(FileRead(3, 0, "policies/p2.txt", "read policies/p2.txt", text_digest(EXCERPT), len(EXCERPT)))
    return tab


def test_the_status_line_counts_what_the_tab_holds() -> None:
    line = messages.status_line(working_tab(), 8)
    assert line == (
        "[tab] 2 open | candidates: 3 unopened, 1 above threshold | read log: 1 entry | last tab operation 7 turns ago"
    )
    assert messages.is_status_line(line)
    assert not messages.is_status_line(f"data\n{line}\nmore")


def test_the_review_shows_each_open_requirement_beside_reads_and_unopened_files() -> None:
    tab = working_tab()
    tab.resolve("r2", "unavailable", reason="no file has it", turn=4)
    assert messages.review_text(tab, Reviewer(tab).review()) == (
        "Requirements: 1 open, 1 resolved\n"
        "r1 [open] hotel rates\n"
        " from your reads:\n"
        "  L1 policies/p2.txt: Article 7 Hotel rates: 240 EUR\n"
        " never opened: hotel/other.txt | * hotel/rate_table.csv\n"
        "r2 [unavailable] meal allowance (no file has it, turn 4)"
    )


def test_show_gives_path_turn_length_command_and_excerpt() -> None:
    tab = working_tab()
    text = messages.show_text(*tab.show("L1"))
    assert text == f"L1: policies/p2.txt (turn 3, {len(EXCERPT)} chars)\ncommand: read policies/p2.txt\n---\n{EXCERPT}"


def test_candidates_are_numbered_and_marked() -> None:
    tab = working_tab()
    ranked = [candidate for candidate, _ in Reviewer(tab).candidates_by_relevance()]
    assert messages.candidates_text(ranked).splitlines() == [
        "Unopened candidates: 3 (1 above threshold, marked *), ranked by relevance to the task; opening a file removes it",
        "1. * hotel/rate_table.csv",
        "2. hotel/other.txt",
        "3. meals.txt",
    ]


def finish(tab: Tab) -> str:
    reviewer = Reviewer(tab)
    unopened = [candidate for candidate, _ in reviewer.candidates_by_relevance()]
    return messages.finish_check(tab, reviewer.review(), unopened)


def test_the_finish_check_has_a_body_for_no_requirement() -> None:
    tab = Tab({}, "task")
    text = finish(tab)
    assert text.startswith("[tab] Finish check 1 of at most 1: you stopped.\nNo requirement items were recorded.")
    assert text.endswith("Files listed but never opened: 0.")


def test_the_finish_check_lists_open_requirements_with_their_matches() -> None:
    text = finish(working_tab())
    assert "2 of 2 requirement items are open:\nr1 [open] hotel rates\n from your reads:\n  L1" in text
    assert "Files listed but never opened: 3 (* above threshold first): * hotel/rate_table.csv | " in text


def test_the_finish_check_counts_the_resolved_and_asks_to_check_the_deliverable_last() -> None:
    tab = working_tab()
    tab.resolve("r1", "done", "L1", turn=4)
    tab.resolve("r2", "unavailable", reason="none", turn=4)
    lines = finish(tab).splitlines()
    assert lines[1] == "All 2 requirement items are resolved (1 done, 1 unavailable)."
    assert lines[2].startswith("Files listed but never opened: 3")
    assert "deliverable" in lines[3]
