"""The rule-based proposer: of which type a failure is, and by which evidence; and where it cannot tell."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_rubrics import Rubrics, made_run, read_after

from sample_runs import runs_folder
from tabcore import rerun
from tabcore.analyses.close_values import distortion
from tabcore.analyses.failure_taxonomy import RULES, FailedRubric, Proposal
from tabcore.analyses.failure_types import DEFINITIONS, PAPER_SHARES, TYPES
from tabcore.cli import main
from tabcore.labelling import failure_taxonomy

Judged = Callable[..., Proposal]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.duckdb"


@pytest.fixture
def judged(tmp_path: Path, store: Path) -> Judged:
    """What the rules say of one failed rubric of a run that delivered a text."""

    def of(rubric: str, deliverable: str | None = "Nothing to say", **more: object) -> Proposal:
        made_run(tmp_path / "run", store, {"a": (rubric, False)}, deliverable, **more)  # type: ignore[arg-type]
        [failed] = failure_taxonomy(store).failed
        return failed.proposal

    return of


def words(proposal: Proposal) -> str:
    return "; ".join(fact.words for fact in proposal.evidence)


def test_a_value_of_an_opened_file_that_the_deliverable_lacks_is_shown_but_missing(judged: Judged) -> None:
    found = judged("States Aldgate's 1,234.50")
    assert (found.type, found.certainty) == ("Shown but Missing", "decides")
    assert words(found) == "1,234.50 was read at turn 2 (L1: bills.csv) and is not delivered"
    assert (found.evidence[0].turn, found.evidence[0].path) == (2, "bills.csv")


def test_a_file_opened_after_the_writing_was_opened(judged: Judged) -> None:
    found = judged("States that heat costs 0.228", after=read_after("rates.txt", "heat 0.228 EUR\n"))
    assert found.type == "Shown but Missing"
    assert "only at turn 5, after the last writing" in words(found)


@pytest.mark.parametrize(
    ("written", "how"),
    [
        ("Aldgate gets 1,243.50", "digits swapped"),
        ("Aldgate gets 1,284.50", "one digit differs"),
        ("Aldgate gets 12,345", "off by a power of ten"),
        ("Aldgate gets -1,234.50", "sign differs"),
        ("Aldgate gets 1,235", "inexact"),
    ],
)
def test_a_close_value_beside_the_rubrics_words_is_a_distorted_one(judged: Judged, written: str, how: str) -> None:
    found = judged("States Aldgate's 1,234.50", written)
    assert (found.type, found.rule) == ("Dropped or Distorted", "distorted")
    assert how in words(found)


def test_a_close_value_beside_other_words_distorts_nothing(judged: Judged) -> None:
    assert judged("States Aldgate's 1,234.50", "Fjord: 1,243.50").type == "Shown but Missing"


def test_a_close_value_that_another_rubric_expects_distorts_nothing(tmp_path: Path, store: Path) -> None:
    rubrics: Rubrics = {"a": ("States Aldgate's 1,234.50", False), "b": ("States Aldgate's 1,243.50", True)}
    made_run(tmp_path / "run", store, rubrics, "Aldgate: 1,243.50")
    assert failure_taxonomy(store).failed[0].proposal.type == "Shown but Missing"


def test_values_that_are_all_delivered_are_misplaced_or_misread(judged: Judged) -> None:
    found = judged("States Aldgate's 1,234.50", "Fjord 1,234.50")
    assert (found.type, found.rule) == ("Dropped or Distorted", "delivered and failed")


def test_what_the_agent_worked_out_and_left_out_was_dropped(judged: Judged) -> None:
    found = judged("The two together are 9,124.75")
    assert (found.type, found.rule) == ("Dropped or Distorted", "dropped")
    assert "on the screen at turn 3, out of no file" in words(found)


def test_what_the_task_states_and_the_deliverable_lacks_was_dropped(judged: Judged) -> None:
    assert judged("Names the budget of 5,000.00").rule == "dropped"


def test_a_value_in_the_name_of_a_file_never_opened_is_a_matter_of_discovery(judged: Judged) -> None:
    found = judged("States the 88.40 of the receipt")
    assert (found.type, found.certainty) == ("Discovery", "decides")
    assert "receipt 88.40.txt, which was listed at turn 1, never opened" in words(found)


def test_another_run_of_the_task_tells_which_file_was_not_opened(tmp_path: Path, store: Path) -> None:
    rubric: Rubrics = {"a": ("States that heat costs 0.228", False)}
    made_run(tmp_path / "other", store, rubric, "Nothing", after=read_after("rates.txt", "heat 0.228 EUR\n"))
    made_run(tmp_path / "run", store, rubric, "Nothing")
    assert [one.proposal.type for one in failure_taxonomy(store).failed] == ["Shown but Missing", "Discovery"]
    assert "another run read, stands in rates.txt: listed at turn 1" in words(
        failure_taxonomy(store).failed[1].proposal
    )


def test_a_run_of_another_task_tells_nothing(tmp_path: Path, store: Path) -> None:
    rubric: Rubrics = {"a": ("States that heat costs 0.228", False)}
    after = read_after("rates.txt", "heat 0.228 EUR\n")
    made_run(tmp_path / "other", store, rubric, "Nothing", after=after, task_name="another task")
    made_run(tmp_path / "run", store, rubric, "Nothing")
    assert failure_taxonomy(store).failed[1].proposal.type is None


def test_a_file_that_the_rubric_names_and_nobody_opened_is_a_matter_of_discovery(judged: Judged) -> None:
    assert judged("Uses the price of rates.txt").type == "Discovery"
    assert "never met" in words(judged("Uses the price of tariffs_2024.xlsx"))
    assert judged("Saves it as report.md and says 7890.25").type == "Shown but Missing"


def test_a_name_alike_only_suggests_discovery(judged: Judged) -> None:
    found = judged("Says what the council pays, 1,950.75")
    assert (found.type, found.certainty) == ("Discovery", "suggests")
    assert "“council” stands in the name of letters_council.txt" in words(found)


def test_what_had_to_be_worked_out_and_was_not_is_reasoning(judged: Judged) -> None:
    assert judged("Works out the sum of all three, 9,480.85").type == "Reasoning"
    assert judged("Concludes that Fjord is the dearest").type == "Reasoning"


def test_a_form_that_is_asked_for_is_formatting_unless_a_value_is_absent(judged: Judged) -> None:
    assert judged("Has a heading for each payee").type == "Formatting"
    assert judged("Has a heading with 1,234.50").type == "Shown but Missing"


def test_without_any_evidence_it_cannot_tell(judged: Judged) -> None:
    found = judged("Thanks the keeper of the keys")
    assert (found.type, words(found)) == (None, "no distinctive value says why the rubric failed")
    assert judged("Names the 555.55 of nobody").type is None


def test_a_run_that_delivered_nothing_failed_for_another_reason(judged: Judged) -> None:
    found = judged("States Aldgate's 1,234.50", None)
    assert (found.type, found.rule) == ("Other", "nothing delivered")


def test_rubrics_without_a_verdict_and_failed_judges_are_counted_and_left_out(tmp_path: Path, store: Path) -> None:
    folder = tmp_path / "run"
    rubrics: Rubrics = {"a": ("1234.50", None), "b": ("7890.25", False), "c": ("356.10", True), "d": ("356.1", False)}
    made_run(folder, store, rubrics, "Nothing")
    verdicts = json.loads((folder / "verdicts.json").read_text())
    verdicts[-1] |= {"passed": None, "judge_failed": True}
    (folder / "verdicts.json").write_text(json.dumps(verdicts))
    rerun.load([str(folder)], store)
    found = failure_taxonomy(store)
    assert [one.rubric.rubric_id for one in found.failed] == ["b"]
    assert (found.passed, found.not_evaluated + found.judge_failed) == (1, 2)


def test_secrets_in_rubrics_and_evidence_are_masked(tmp_path: Path, store: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLA"
    made_run(tmp_path / "run", store, {"a": (f"Never says {key} but 1234.50", False)}, "")
    assert key not in repr(failure_taxonomy(store))


numbers = st.decimals(min_value=0, max_value=10**7, places=2).map(lambda n: f"{n.normalize():f}")


@given(numbers, numbers)
def test_being_a_distortion_of_something_goes_both_ways(one: str, other: str) -> None:
    assert distortion(one, other) == distortion(other, one)


@given(st.text(max_size=12), st.text(max_size=12))
def test_no_key_is_too_odd_to_be_compared(one: str, other: str) -> None:
    assert isinstance(distortion(one, other), str)


def test_there_is_a_definition_and_a_share_of_each_type_and_a_sentence_of_each_rule() -> None:
    assert list(DEFINITIONS) == list(PAPER_SHARES) == list(TYPES)
    assert sum(PAPER_SHARES.values()) == pytest.approx(0.999, abs=0.0015)
    assert all(words.endswith(".") for words, _ in RULES)


# the sample runs: their types were decided by hand before any rule was run on them

KNOWN = {
    (row["run"], row["rubric"]): row["type"]
    for row in csv.DictReader((runs_folder().parent / "types.csv").read_text("utf-8").splitlines())
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    return store


@pytest.fixture(scope="module")
def of_samples(samples: Path) -> dict[tuple[str, str], FailedRubric]:
    folder = {row.run_id: Path(row.path).parent.name for row in rerun.runs(samples)}
    return {(folder[one.run.run_id], one.rubric.rubric_id): one for one in failure_taxonomy(samples).failed}


def test_every_failed_rubric_of_the_samples_has_a_known_type_and_each_type_occurs(
    of_samples: dict[tuple[str, str], FailedRubric],
) -> None:
    assert of_samples.keys() == KNOWN.keys()
    assert set(KNOWN.values()) == set(TYPES)


def test_the_proposer_tells_thirty_of_the_samples_types_and_leaves_one_open(
    of_samples: dict[tuple[str, str], FailedRubric],
) -> None:
    told = {place: one.proposal.type for place, one in of_samples.items() if one.proposal.type}
    assert told == {place: KNOWN[place] for place in told}
    assert KNOWN.keys() - told.keys() == {("village_hall", "h13")}


def test_a_command_prints_the_agreement_with_the_known_types(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(runs_folder().parent / "types.csv")
    assert main(["analyze", "agreement", "--with", file, "--db", str(samples)]) == 0
    assert "by hand and rules: kappa 1.000" in capsys.readouterr().out
    main(["analyze", "agreement", "--with", file, "--json", "--db", str(samples)])
    [pair] = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["n"], pair["agreed"], pair["left_open"]) == (30, 30, 1)


def test_the_question_prints_counts_beside_the_papers_shares(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", "failure-taxonomy", "--db", str(samples)]) == 0
    assert "Of 79 judged rubrics, 31 failed; the rules tell the type of 30 of them." in capsys.readouterr().out
    main(["analyze", "failure-taxonomy", "--json", "--db", str(samples), "--method", "dci"])
    told = json.loads(capsys.readouterr().out)
    assert [one["count"] for one in told["types"]] == [13, 3, 1, 2, 0, 0]
    assert told["rubrics"][0]["evidence"][0].keys() == {"words", "turn", "path"}
