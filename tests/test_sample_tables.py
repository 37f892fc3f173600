"""Tables 6 and 7 of the paper, turn for turn, in what was recorded and in what is derived; and a finish check with open items."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_tabs import (
    BY_NAME,
    Derived,
    counts,
    deliverable_of,
    derived,
    recorded,
    recorded_status_line,
    recorded_text,
)

from sample_runs.record import record
from sample_runs.workspace_files import lay_workspace
from tabcore.documents import Cell, read_document
from tabcore.tab.events import FileAuthored, FileRead, FinishChecked, Refused, RequirementAdded, Resolved
from tabcore.tab.messages import tab_text
from tabcore.tab.review import Reviewer

GOLDEN = Path(__file__).parent / "golden" / "sample_runs"
MANUAL = "water_and_electricity_manual.docx"
TABLE = "purchase_orders_by_supplier.xlsx"
FOUR = [
    "policies/water_supply_policy.md",
    "policies/electricity_supply_policy.md",
    "policies/metering_and_billing_policy.md",
    "policies/faults_and_emergency_policy.md",
]
ROTA = "manuals/water_and_electricity_rota.md"


def reads(run: Derived) -> list[tuple[int, str]]:
    return [(event.turn, event.path) for event in run.events if isinstance(event, FileRead)]


def written(run: Derived) -> list[tuple[int, str]]:
    return [(event.turn, event.path) for event in run.events if isinstance(event, FileAuthored)]


def added(run: Derived) -> list[tuple[int, str]]:
    return [(event.turn, event.requirement) for event in run.events if isinstance(event, RequirementAdded)]


def resolved(run: Derived) -> list[tuple[int, str, str, str]]:
    return [(e.turn, e.requirement, e.status, e.entry) for e in run.events if isinstance(e, Resolved)]


def stops(run: Derived) -> list[int]:
    return [turn.number for turn in run.run.turns if turn.is_stop]


def finish_check(run: Derived) -> FinishChecked:
    [check] = [event for event in run.events if isinstance(event, FinishChecked)]
    return check


def finish_text(run: Derived) -> str:
    [message] = run.turn(finish_check(run).turn + 1).before
    assert message.origin == "tab"
    return message.text


# Table 6: the water and electricity manual


@pytest.fixture(scope="module")
def plain_manual() -> Derived:
    return recorded("water_and_electricity_dci")


@pytest.fixture(scope="module")
def manual() -> Derived:
    return recorded("water_and_electricity_running_tab")


def test_the_plain_run_reads_four_files_in_turns_3_to_6_writes_at_10_and_delivers_at_15(plain_manual: Derived) -> None:
    assert reads(plain_manual) == list(zip(range(3, 7), FOUR, strict=True))
    assert written(plain_manual) == [(10, MANUAL)]
    assert stops(plain_manual) == [15]
    assert not any("tab_" in names for names in plain_manual.calls())


def test_519_files_are_listed_by_turn_5_and_seven_requirements_added_at_turn_6(manual: Derived) -> None:
    assert counts(recorded_status_line(manual, 5)) == (519, 2, 0)
    assert len(manual.at(5).candidates) == 519
    assert set(FOUR) < set(manual.at(5).candidates)
    assert added(manual) == [(6, f"r{n}") for n in range(1, 8)]


def test_the_four_files_are_l1_to_l4_in_turns_7_to_10_and_no_other_is_read_before_the_stop(manual: Derived) -> None:
    assert reads(manual) == [*zip(range(7, 11), FOUR, strict=True), (33, ROTA)]
    assert list(manual.at(32).read_log) == ["L1", "L2", "L3", "L4"]
    assert [counts(recorded_status_line(manual, turn))[0] for turn in (7, 8, 9, 10, 31)] == [518, 517, 516, 515, 515]


def test_the_manual_is_written_at_19_reviewed_at_23_and_resolved_in_24_to_30(manual: Derived) -> None:
    assert written(manual)[0] == (19, MANUAL)
    assert manual.calls()[22:30] == ["tab_list", *["tab_resolve"] * 7]
    assert resolved(manual) == [
        (24, "r1", "done", "L1"),
        (25, "r2", "done", "L2"),
        (26, "r3", "done", "L3"),
        (27, "r4", "done", "L4"),
        (28, "r5", "unavailable", ""),
        (29, "r6", "unavailable", ""),
        (30, "r7", "unavailable", ""),
    ]


def test_it_stops_at_32_opens_the_first_file_that_the_check_names_and_delivers_at_36(manual: Derived) -> None:
    assert stops(manual) == [32, 36]
    check = finish_check(manual)
    assert (check.turn, check.body, check.open_requirements, check.unopened) == (32, "all resolved", (), 515)
    assert "All 7 requirement items are resolved (4 done, 3 unavailable)." in finish_text(manual)
    assert f"never opened: 515 (* above threshold first): * {ROTA} | " in finish_text(manual)
    assert written(manual)[1:] == [(34, MANUAL)]


def test_a_file_less_is_a_candidate_less(tmp_path: Path) -> None:
    sample = BY_NAME["water_and_electricity_running_tab"]
    workspace = lay_workspace(sample.task, tmp_path / "own")
    (workspace / "notices" / "2024_12.txt").unlink()
    record(sample, tmp_path / "runs", workspace)
    changed = derived(tmp_path / "runs" / sample.name)
    assert counts(recorded_status_line(changed, 5)) == (518, 2, 0)
    assert "never opened: 514" in finish_text(changed)


# Table 7: ten purchase orders by supplier


@pytest.fixture(scope="module")
def plain_orders() -> Derived:
    return recorded("purchase_orders_dci")


@pytest.fixture(scope="module")
def orders() -> Derived:
    return recorded("purchase_orders_running_tab")


def test_the_plain_run_reads_order_8_at_turn_13_writes_one_row_at_19_and_delivers_at_21(plain_orders: Derived) -> None:
    assert (13, "orders/purchase_order_8.txt") in reads(plain_orders)
    assert "Supplier: 15, Greyfell Timber" in recorded_text(plain_orders, 13)
    assert "¥55,000" in recorded_text(plain_orders, 13)
    assert written(plain_orders) == [(19, TABLE)]
    assert stops(plain_orders) == [21]
    assert suppliers("purchase_orders_dci") == [9]


def test_turn_7_is_ten_reads_in_the_order_of_their_numbers_so_that_order_8_is_l12(orders: Derived) -> None:
    assert orders.calls()[6] == " ".join(["read"] * 10)
    entries = orders.at(7).read_log
    assert [entries[f"L{n + 4}"].path for n in range(1, 11)] == [f"orders/purchase_order_{n}.txt" for n in range(1, 11)]
    assert {entries[f"L{n}"].turn for n in range(5, 15)} == {7}
    assert "Supplier: 15, " in orders.at(7).show("L12")[1]


def test_it_writes_at_18_and_stops_at_21_with_no_requirement(orders: Derived) -> None:
    assert written(orders) == [(18, TABLE)]
    assert stops(orders) == [21, 40]
    check = finish_check(orders)
    assert (check.turn, check.body, check.open_requirements) == (21, "none recorded", ())
    assert "No requirement items were recorded." in finish_text(orders)


def test_requirements_follow_in_turns_23_to_33_the_table_itself_first(orders: Derived) -> None:
    assert added(orders) == [(22 + n, f"r{n}") for n in range(1, 12)]
    texts = orders.at(33).requirements
    assert "supplier 2," in texts["r2"].text
    assert "supplier 15," in texts["r9"].text


def test_all_are_resolved_at_turn_39_each_row_by_the_entry_of_its_order(orders: Derived) -> None:
    entries = ["", "L8", "L10", "L13", "L6", "L14", "L5", "L11", "L12", "L7", "L9"]
    assert resolved(orders) == [
        (39, f"r{n}", "done" if entry else "unavailable", entry) for n, entry in enumerate(entries, start=1)
    ]


def test_the_table_has_ten_rows_by_supplier_shown_in_yuan_and_stored_as_numbers() -> None:
    assert suppliers("purchase_orders_running_tab") == [2, 4, 5, 7, 9, 11, 12, 15, 18, 20]
    document = read_document(deliverable_of("purchase_orders_running_tab"))
    [amount] = [piece for piece in document.pieces if isinstance(piece.place, Cell) and piece.place.name == "G9"]
    assert isinstance(amount.place, Cell)
    assert (amount.text, amount.place.raw) == ("¥55,000", "55000")


def suppliers(name: str) -> list[int]:
    """The numbers in the first column of the delivered table."""
    pieces = read_document(deliverable_of(name)).pieces
    first = [piece.text for piece in pieces if isinstance(piece.place, Cell) and piece.place.column == 1]
    assert (first[0], first[-1]) == ("supplier", "sum")
    return list(map(int, first[1:-1]))


# the village hall: a finish check with open items


def test_the_finish_check_of_the_village_hall_names_three_open_items_with_their_matches() -> None:
    hall = recorded("village_hall")
    check = finish_check(hall)
    assert (check.turn, check.body, check.open_requirements) == (12, "some open", ("r4", "r6", "r7"))
    text = finish_text(hall)
    assert "3 of 7 requirement items are open:" in text
    assert "r7 [open] price of an evening in 2025\n" in text
    assert text[text.index("r7 [open]") :].splitlines()[2] == " never opened: prices/2025_evenings.txt"
    assert stops(hall) == [12, 15]
    assert reads(hall)[-1] == (13, "prices/2025_evenings.txt")
    assert [left.requirement_id for left in hall.at(15).open_requirements] == ["r4", "r6"]


def test_evidence_without_a_word_of_the_requirement_is_refused_in_the_village_hall() -> None:
    [refused] = [event for event in recorded("village_hall").events if isinstance(event, Refused)]
    assert (refused.turn, refused.requirement) == (11, "r4")


# the tab as text; of the manual's 515 candidates the first few


@pytest.mark.parametrize(
    ("name", "turn", "is_whole"),
    [
        ("water_and_electricity_dci", 15, False),
        ("water_and_electricity_running_tab", 32, False),
        ("purchase_orders_dci", 21, True),
        ("purchase_orders_running_tab", 39, True),
        ("village_hall", 15, True),
    ],
)
def test_the_tab_is_the_golden_text(name: str, turn: int, is_whole: bool) -> None:
    tab = recorded(name).at(turn)
    text = tab_text(tab, [candidate for candidate, _ in Reviewer(tab).candidates_by_relevance()], turn) + "\n"
    golden = (GOLDEN / f"{name}_turn_{turn}.txt").read_text(encoding="utf-8")
    assert golden == (text if is_whole else text[: len(golden)])
