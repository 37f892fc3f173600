"""What the tab holds, how it is operated, what its parts are worth, and what it gains where there is much to read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_scores import scored

from sample_runs import runs_folder
from tabcore import rerun, tables
from tabcore.analyses.ablation import ablation
from tabcore.analyses.paper import HOLDINGS, OPERATIONS, method_named
from tabcore.analyses.reading_volume import reading_volume
from tabcore.analyses.scores import scores
from tabcore.analyses.tab_facts import Group, Opened, Resolution, Reviewed, TabRun
from tabcore.analyses.tab_holdings import WORDS as HELD_WORDS
from tabcore.analyses.tab_holdings import tab_holdings
from tabcore.analyses.tab_operations import WORDS as USED_WORDS
from tabcore.analyses.tab_operations import tab_operations
from tabcore.cli import main
from tabcore.commands.scores import volume_sentence, volume_words

RUN = TabRun("run", "m", "running_tab", recorded=True)


def review(
    requirement: str, turn: int, *entries: str, text: str = "hotel rates", excerpt: str = "", **more: tuple[str, ...]
) -> Reviewed:
    return Reviewed((turn, 0), requirement, text, entries, (excerpt,) * len(entries), more.get("candidates", ()))


def held(*runs: TabRun) -> dict[str, float | None]:
    [group] = tab_holdings(runs)
    return {name: figure.value for name, figure in group.figures.items()}


def did(run: TabRun) -> set[str]:
    """The operations that an attempt did."""
    [group] = tab_operations([run])
    return {name for name, figure in group.figures.items() if figure.value == 1}


# What the tab holds


def test_counts_are_medians_over_attempts() -> None:
    runs = [replace(RUN, run_id=str(n), entries=n, files=1, excerpted=1000 * n, candidates=9) for n in (1, 2, 10, 20)]
    found = held(*runs)
    assert (found["entries"], found["files"], found["excerpted"], found["candidates"]) == (6, 1, 6, 9)


def test_the_share_resolved_as_done_is_of_all_requirements_and_by_the_last_word_on_each() -> None:
    done = Resolution((5, 0), "r1", "done", "L1")
    given_up = Resolution((6, 0), "r2", "unavailable", "")
    again = Resolution((7, 0), "r2", "done", "L2")
    first = replace(RUN, requirements=((1, 0), (1, 0), (1, 0)), resolutions=(done, given_up, again))
    assert held(first, replace(RUN, run_id="2", requirements=((1, 0),)))["resolved_done"] == 0.5


def test_an_entry_that_matches_by_its_path_alone_is_not_beside_the_requirement() -> None:
    seen = (
        review("r1", 3, "L1", excerpt="The hotel is dear."),
        review("r2", 3, "L1", excerpt="A train."),
        review("r3", 3),
    )
    assert held(replace(RUN, reviews=seen))["reviewed_beside"] == pytest.approx(1 / 3)


def test_a_run_without_a_recorded_tab_has_a_read_log_and_no_requirements() -> None:
    found = held(replace(RUN, recorded=False, method="dci", entries=4))
    assert (found["entries"], found["requirements"], found["resolved_done"]) == (4, None, None)


# How the agent operates it


def test_what_is_done_after_the_finish_check_alone_is_not_before_it() -> None:
    run = replace(RUN, check=10, requirements=((11, 0),), reviews=(review("r1", 12),), operations=((11, 0), (12, 0)))
    assert did(run) == {"checked", "operates_after"}
    assert did(replace(run, check=None)) == {"add", "list"}


def test_the_turn_of_the_check_itself_is_before_it() -> None:
    assert "add" in did(replace(RUN, check=10, requirements=((10, 0),)))


def test_a_done_counts_where_an_earlier_review_showed_the_entry_beside_that_requirement() -> None:
    resolved = (Resolution((5, 0), "r1", "done", "L1"),)
    assert "resolve" in did(replace(RUN, resolutions=resolved, reviews=(review("r1", 3, "L1"),)))
    for other in (review("r2", 3, "L1"), review("r1", 3, "L2"), review("r1", 6, "L1")):
        assert "resolve" not in did(replace(RUN, resolutions=resolved, reviews=(other,)))


def test_the_deliverable_is_edited_after_the_check_when_it_was_written_later() -> None:
    assert "edits_after" in did(replace(RUN, check=10, written=11))
    assert "edits_after" not in did(replace(RUN, check=10, written=10))
    assert "edits_after" not in did(replace(RUN, written=11))


@pytest.mark.parametrize(
    ("run", "opens"),
    [
        (RUN, False),
        (replace(RUN, reviews=(review("r1", 4, candidates=("a.txt",)),)), True),
        (replace(RUN, reviews=(review("r1", 6, candidates=("a.txt",)),)), False),
        (replace(RUN, reviews=(review("r1", 4, candidates=("b.txt",)),)), False),
        (replace(RUN, consulted=(((4, 0), "candidates"),)), True),
        (replace(RUN, consulted=(((1, 0), "candidates"),)), False),
        (replace(RUN, consulted=(((4, 0), "read_log"),)), False),
        (replace(RUN, check=4), True),
        (replace(RUN, check=5), False),
    ],
)
def test_a_candidate_counts_as_opened_from_the_list_when_the_tab_named_it_before(run: TabRun, opens: bool) -> None:
    assert ("opens" in did(replace(run, opened=(Opened("a.txt", (2, 0), (5, 0)),)))) is opens


def test_only_runs_whose_agent_had_the_tab_are_asked() -> None:
    assert tab_operations([replace(RUN, recorded=False)]) == ()


def test_each_figure_has_its_words_and_the_papers_number_has_a_figure() -> None:
    assert set(HELD_WORDS) == set(HOLDINGS) == set(tab_holdings([RUN])[0].figures)
    assert set(USED_WORDS) - {"checked"} == set(OPERATIONS)
    assert set(USED_WORDS) == set(tab_operations([RUN])[0].figures)


# What each switch takes away


def test_differences_are_to_the_mean_of_running_tab() -> None:
    signs = {"dci": "+---", "running_tab": "+++-", "no_review": "++--", "todo": "++++"}
    rows = scores([scored("a", verdicts, method=method) for method, verdicts in signs.items()]).rows
    deltas = [(one.method, one.mean, one.delta) for one in ablation(rows) if one.metric == "pass_rate"]
    assert deltas == [("running_tab", 0.75, 0.0), ("no_review", 0.5, -0.25), ("dci", 0.25, -0.5)]


def test_without_running_tab_there_is_nothing_to_compare_with() -> None:
    assert ablation(scores([scored("a", "+", method="no_review")]).rows) == ()


@pytest.mark.parametrize("name", ["running_tab_no_finish_check", "RunningTab w/o finish check", "no finish-check"])
def test_a_switch_is_known_by_its_words(name: str) -> None:
    assert method_named(name) == "no_finish_check"


# What is gained where there is much to read


def test_tasks_fall_into_thirds_by_what_the_baseline_received() -> None:
    runs = []
    for at, (base, ours) in enumerate(
        [("++", "++"), ("++", "++"), ("+-", "++"), ("+-", "+-"), ("--", "+-"), ("--", "++")]
    ):
        runs += [scored(f"t{at}", base, chars=100 * at), scored(f"t{at}", ours, method="running_tab", chars=7)]
    [found] = reading_volume(runs)
    assert [third.tasks for third in found.thirds] == [("t0", "t1"), ("t2", "t3"), ("t4", "t5")]
    assert [(third.low, third.high) for third in found.thirds] == [(0, 100), (200, 300), (400, 500)]
    assert [round(third.gain, 2) for third in found.thirds] == [0.0, 0.25, 0.75]
    assert (found.drop, found.ratio) == (1.0, None)


@pytest.mark.parametrize(
    ("lightest", "said"),
    [("++--", "falls by 25.0 points"), ("----", "rises by 25.0 points"), ("+---", "stays as it is")],
)
def test_what_becomes_of_the_baseline_is_said_without_a_second_sign(lightest: str, said: str) -> None:
    signs = (lightest, "++++", "+---")
    runs = [scored(str(n), sign, chars=1000 + n) for n, sign in enumerate(signs)]
    [found] = reading_volume([*runs, *(scored(str(n), "++++", method="running_tab") for n in range(3))])
    assert f"the baseline {said} (paper: falls by 16 to 27)" in volume_sentence(found)
    assert [volume_words(third) for third in found.thirds] == ["1,000", "1,001", "1,002"]


def test_a_tasks_volume_is_the_mean_of_its_attempts_and_a_third_pools_them() -> None:
    runs = [scored(f"t{at}", "+", method="running_tab") for at in range(3)]
    runs += [
        scored(f"t{at}", "-+"[at % 2], attempt=n, chars=chars)
        for at, pair in enumerate([(0, 90), (10, 20), (99, 99)])
        for n, chars in enumerate(pair)
    ]
    [found] = reading_volume(runs)
    assert [third.tasks for third in found.thirds] == [("t1",), ("t0",), ("t2",)]
    assert [(third.baseline.count, third.baseline.of) for third in found.thirds] == [(2, 2), (0, 2), (0, 2)]


def test_tasks_of_one_method_only_are_left_out_and_counted() -> None:
    [found] = reading_volume([scored("a", "+"), scored("b", "+"), scored("a", "+", method="running_tab")])
    assert (found.shared, found.left_out, found.thirds, found.drop, found.ratio) == (1, 1, (), None, None)


def test_a_model_without_a_baseline_has_no_thirds() -> None:
    assert reading_volume([scored("a", "+", method="running_tab")]) == ()


# The sample runs, counted by hand from their scripts


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    return store


def by_task(store: Path, group: Group, name: str) -> dict[str, tuple[float, float]]:
    tasks = {run.run_id: run.task_name for run in rerun.runs(store)}
    return {str(tasks[part.run_id]): (part.count, part.of) for part in group.figures[name].parts}


def test_the_samples_hold_what_their_scripts_put_there(samples: Path) -> None:
    [dci, running_tab] = tables.tab_holdings(samples)
    assert by_task(samples, running_tab, "requirements") == {
        "business travel guide": (6, 1),
        "purchase orders by supplier": (11, 1),
        "year sheet of a village hall": (7, 1),
        "water and electricity manual": (7, 1),
    }
    assert by_task(samples, running_tab, "resolved_done") == {
        "business travel guide": (5, 6),
        "purchase orders by supplier": (10, 11),
        "year sheet of a village hall": (5, 7),
        "water and electricity manual": (4, 7),
    }
    assert by_task(samples, running_tab, "entries")["year sheet of a village hall"] == (5, 1)
    assert by_task(samples, running_tab, "candidates")["business travel guide"] == (94, 1)
    assert by_task(samples, dci, "files")["water and electricity manual"] == (4, 1)
    assert dci.figures["requirements"].value is None


def test_the_samples_scores_are_those_counted_by_hand(samples: Path) -> None:
    tasks = {run.run_id: run.task_name for run in rerun.runs(samples)}
    found = {
        row.method: {tasks[part.run_id]: (part.count, part.of) for part in row.cells["pass_rate"].attempts[0].parts}
        for row in tables.scores(samples).rows
    }
    assert found == {
        "dci": {
            "quarterly energy report": (8, 10),
            "purchase orders by supplier": (1, 11),
            "water and electricity manual": (6, 13),
        },
        "running_tab": {
            "business travel guide": (7, 8),
            "purchase orders by supplier": (11, 11),
            "year sheet of a village hall": (3, 13),
            "water and electricity manual": (12, 13),
        },
    }
    complete = {row.method: row.cells["tcr70"].mean for row in tables.scores(samples).rows}
    assert complete == {"dci": 1 / 3, "running_tab": 3 / 4}


def test_an_excerpt_that_two_files_share_counts_once(samples: Path) -> None:
    [_, running_tab] = tables.tab_holdings(samples)
    hall = by_task(samples, running_tab, "excerpted")["year sheet of a village hall"][0]
    assert hall == pytest.approx((65 + 70 + 248 + 85) / 1000)


def test_the_samples_operate_the_tab_as_their_scripts_do(samples: Path) -> None:
    [group] = tables.tab_operations(samples)
    counts = {name: sum(part.count for part in figure.parts) for name, figure in group.figures.items()}
    assert counts == {
        "add": 3,  # not the purchase orders: they state theirs after the check
        "list": 3,
        "resolve": 4,
        "show": 3,  # not the village hall
        "operates_after": 2,  # the purchase orders and the village hall
        "edits_after": 1,  # the manual
        "opens": 2,  # the manual and the village hall, after the check
        "checked": 4,
    }


def test_the_commands_tell_figures_beside_the_papers_with_their_runs(
    samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for question in ("tab-holdings", "tab-operations", "ablation", "reading-volume"):
        assert main(["analyze", question, "--db", str(samples)]) == 0
        assert "Simulated runs are among these" in capsys.readouterr().out
    assert main(["analyze", "tab-holdings", "--json", "--method", "running_tab", "--db", str(samples)]) == 0
    [group] = json.loads(capsys.readouterr().out)
    figure = group["figures"]["requirements"]
    assert (figure["value"], figure["of"], figure["paper"], len(figure["runs"])) == (7, 4, "4", 4)
