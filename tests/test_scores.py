"""Scores: each benchmark by its own definition, over attempts, with what is missing said and never counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_scores import lay_run, scored
from small_logs import pi_agent, pi_log, pi_user

from tabcore import rerun, tables
from tabcore.analyses import paper
from tabcore.analyses.ablation import ablation
from tabcore.analyses.final_answers import matches
from tabcore.analyses.paired_comparison import paired_comparison
from tabcore.analyses.reading_volume import reading_volume
from tabcore.analyses.score_facts import ScoredRun, company_score
from tabcore.analyses.scores import Row, Scores, scores
from tabcore.cli import main


def only(found: Scores) -> Row:
    [row] = found.rows
    return row


def means(row: Row) -> dict[str, float]:
    return {metric: round(100 * cell.mean, 2) for metric, cell in row.cells.items()}


# Workspace-Bench and any rubrics


def test_the_pass_rate_counts_rubrics_and_not_tasks() -> None:
    row = only(scores([scored("a", "+"), scored("b", "+---")]))
    assert means(row) == {"pass_rate": 40.0, "tcr70": 50.0}


def test_a_task_is_complete_from_seventy_per_cent_of_its_rubrics() -> None:
    row = only(scores([scored("a", "+++++++---"), scored("b", "++++++----")]))
    assert means(row)["tcr70"] == 50.0


def test_mean_and_population_deviation_are_over_attempts() -> None:
    row = only(scores([scored("a", "++--", attempt=1), scored("a", "+++-", attempt=2), scored("a", "++++", attempt=3)]))
    cell = row.cells["pass_rate"]
    assert [attempt.value for attempt in cell.attempts] == [0.5, 0.75, 1.0]
    assert (cell.mean, cell.deviation) == (0.75, pytest.approx(0.204124, abs=1e-6))
    assert cell.runs == ("a/dci/1/m", "a/dci/2/m", "a/dci/3/m")


def test_one_attempt_has_no_deviation() -> None:
    assert only(scores([scored("a", "+-")])).cells["pass_rate"].deviation is None


def test_what_was_not_evaluated_counts_nowhere_and_is_told() -> None:
    row = only(scores([scored("a", "+-?!"), scored("b", "??")]))
    assert means(row) == {"pass_rate": 50.0, "tcr70": 0.0}
    cover = row.coverage
    assert (cover.runs, cover.rubrics, cover.evaluated, cover.judge_failed) == (2, 6, 2, 1)
    assert cover.unscored == ("b/dci/1/m",)


def test_runs_without_rubrics_are_no_rows() -> None:
    assert scores([scored("a", "")]).rows == ()


def test_attempts_without_a_number_are_numbered_in_their_order() -> None:
    row = only(scores([scored("a", "+", attempt=None), scored("a", "-", attempt=None), scored("b", "+", attempt=2)]))
    assert [(one.attempt, one.part.count, one.part.of) for one in row.cells["pass_rate"].attempts] == [
        (1, 1, 1),
        (2, 1, 2),
    ]
    assert row.coverage.uneven


def test_best_and_second_best_are_marked_within_a_model() -> None:
    methods = {"dci": "+---", "todo": "++--", "running_tab": "+++-", "self_refine": "+++-"}
    runs = [scored("a", verdicts, method=method) for method, verdicts in methods.items()]
    found = scores([*runs, scored("a", "++++", model="other")])
    places = {(row.model, row.method): row.cells["pass_rate"].place for row in found.rows}
    assert places == {
        ("m", "dci"): "",
        ("m", "todo"): "second",
        ("m", "self_refine"): "best",
        ("m", "running_tab"): "best",
        ("other", "dci"): "",
    }


def test_rows_stand_in_the_papers_order_and_missing_ones_are_named() -> None:
    runs = [scored("a", "+", method=method) for method in ("running_tab", "zeta", "dci")]
    found = scores([*runs, scored("a", "+", model="other"), scored("x", "+", suite="Other", method="dci")])
    assert [row.method for row in found.rows if row.model == "m"] == ["dci", "running_tab", "zeta", "dci"]
    assert found.missing == (
        ("Workspace-Bench", "other", "running_tab"),
        ("Workspace-Bench", "other", "zeta"),
    )


def test_the_benchmark_of_the_most_runs_comes_first_then_by_name() -> None:
    def runs(suite: str, count: int) -> list[ScoredRun]:
        methods = ("dci", "running_tab")
        return [scored(f"t{n}", "+-", suite=suite, method=method) for n in range(count) for method in methods]

    made = [*runs("A small one", 1), *runs("C", 2), *runs("B", 2)]
    order = ["B", "C", "A small one"]
    assert list(dict.fromkeys(row.suite for row in scores(made).rows)) == order
    assert list(dict.fromkeys(one.suite for one in paired_comparison(made))) == order
    assert list(dict.fromkeys(one.suite for one in ablation(scores(made).rows))) == order
    assert [one.suite for one in reading_volume(made)] == order


def test_a_switch_of_running_tab_is_no_rival_of_the_methods() -> None:
    signs = {"dci": "+---", "running_tab": "++--", "no_review": "+++-"}
    found = scores([scored("a", verdicts, method=method) for method, verdicts in signs.items()])
    assert [(row.method, row.cells["pass_rate"].place) for row in found.rows] == [
        ("dci", "second"), ("running_tab", "best"), ("no_review", ""),
    ]  # fmt: skip


def test_methods_with_other_tasks_are_told() -> None:
    found = scores([scored("a", "+"), scored("a", "+", method="todo"), scored("b", "-", method="todo")])
    assert found.unequal == (("Workspace-Bench", "m"),)


# TheAgentCompany


def test_the_company_score_is_half_for_points_and_half_for_all_of_them() -> None:
    checkpoints = [(0, 4), (1, 4), (3, 4), (4, 4), (5, 5)]
    assert [company_score(*points) for points in checkpoints] == [0.0, 0.125, 0.375, 1.0, 1.0]
    runs = [scored(f"t{at}", suite="TheAgentCompany", points=points) for at, points in enumerate(checkpoints)]
    assert means(only(scores(runs))) == {"score": 50.0, "success": 40.0}


def test_a_total_of_nothing_is_not_evaluated() -> None:
    row = only(scores([scored("a", suite="TheAgentCompany", points=(0, 0))]))
    assert (row.cells, row.coverage.unscored) == ({}, ("a/dci/1/m",))


def test_a_companys_final_score_is_taken_as_given_and_is_no_rubric(tmp_path: Path) -> None:
    folder = tmp_path / "tac"
    folder.mkdir()
    (folder / "traj_pm-plan-image.json").write_text(pi_log(pi_user("Plan"), pi_agent("Done.")))
    evaluation = {
        "checkpoints": [{"total": 2, "result": 2}, {"total": 2, "result": 0}],
        "final_score": {"total": 4, "result": 3},
    }
    (folder / "eval_pm-plan-image.json").write_text(json.dumps(evaluation))
    rerun.load([str(folder)], tmp_path / "s.duckdb")
    row = only(tables.scores(tmp_path / "s.duckdb"))
    assert means(row) == {"score": 37.5, "success": 0.0}
    assert (row.coverage.rubrics, row.coverage.evaluated) == (2, 2)


# OfficeQA


@pytest.mark.parametrize(
    ("answer", "expected", "exact", "near"),
    [
        ("2,602", "2602", True, True),
        ("the total was $2,602.00 million", "2602", True, True),
        ("2,602 billion", "2,602 million", False, False),
        ("2.602 billion", "2,602 million", False, False),
        ("101", "100", False, True),
        ("101.01", "100", False, False),
        ("-99", "-100", False, True),
        ("(100)", "-100", True, True),
        ("12.3", "12.3%", True, True),
        ("0.123", "12.3%", False, False),
        ("0.001", "0", False, False),
        ("0", "0", True, True),
        ("126020", "2602", False, False),
        ("<FINAL_ANSWER>5</FINAL_ANSWER> not 7", "7", False, False),
        ("7 <FINAL_ANSWER>5</FINAL_ANSWER><FINAL_ANSWER>6</FINAL_ANSWER>", "6", True, True),
        ("[0.1, 7]", "[0.1, 7, 9]", False, False),
        ("In March 1977", "March 1977", True, True),
        ("June 1977", "March 1977", False, False),
        ("no idea", "507", False, False),
        ("", "507", False, False),
    ],
)
def test_final_answers_are_compared_by_the_benchmarks_rules(
    answer: str, expected: str, exact: bool, near: bool
) -> None:
    assert (matches(answer, expected), matches(answer, expected, "0.01")) == (exact, near)


def test_questions_are_scored_by_what_was_answered_and_without_an_answer_not_at_all(tmp_path: Path) -> None:
    answers = {"uid0001": "It is <FINAL_ANSWER>2,602</FINAL_ANSWER>", "uid0002": "510", "uid0003": ""}
    for name, words in answers.items():
        log = pi_log(pi_user("What?"), pi_agent(words)).replace('"s1"', json.dumps(name))
        (tmp_path / f"{name}.jsonl").write_text(log)
    (tmp_path / "officeqa.csv").write_text("uid,question,answer\nUID0001,Q,2602\nUID0002,Q,507\nUID0003,Q,9\n")
    rerun.load([str(tmp_path)], tmp_path / "s.duckdb")
    row = only(tables.scores(tmp_path / "s.duckdb"))
    assert means(row) == {"acc0": 50.0, "acc1": 100.0}
    assert (row.coverage.tasks, len(row.coverage.unscored)) == (3, 1)


# The paper's own numbers


def test_the_deltas_of_the_ablation_follow_from_the_papers_scores() -> None:
    rate, complete = paper.ABLATION["running_tab"]
    deltas = {name: (round(r - rate, 2), round(c - complete, 2)) for name, (r, c) in paper.ABLATION.items()}
    assert deltas == {
        "running_tab": (0, 0),
        "no_capture": (-3.37, -3.34),
        "no_review": (-2.86, -5.34),
        "no_evidence_check": (-1.84, -1.34),
        "no_finish_check": (-1.84, -2.67),
        "dci": (-3.10, -5.00),
    }


def test_the_parts_of_the_lost_points_sum_up_within_a_tenth() -> None:
    assert abs(sum(paper.EXTRACTION.values()) - paper.LOST_POINTS["Extraction"]) <= 0.1 + 1e-9
    assert abs(sum(paper.LOST_POINTS.values()) - 100) <= 0.1 + 1e-9


def test_the_ablations_ends_are_those_of_the_table_of_scores() -> None:
    for method in ("dci", "running_tab"):
        cells = [paper.SCORES["GPT-5.4 nano", method, metric][0] for metric in ("pass_rate", "tcr70")]
        assert tuple(cells) == paper.ABLATION[method]


def test_the_papers_table_says_running_tab_is_best_in_every_column() -> None:
    for model in paper.MODELS:
        for metric in ("pass_rate", "tcr70", "score", "success", "acc0", "acc1"):
            column = {method: paper.SCORES[model, method, metric][0] for method in paper.METHODS}
            assert max(column, key=column.__getitem__) == "running_tab"


def test_a_population_deviation_of_three_whole_tasks_fits_the_papers_cell() -> None:
    """TCR@70 of dci with GPT-5.4 nano is 20.67 (1.70): 19, 20 and 23 of 100 tasks give exactly that."""
    runs = [
        scored(f"t{task}", "+" if task < complete else "-", attempt=attempt)
        for attempt, complete in enumerate((19, 20, 23), 1)
        for task in range(100)
    ]
    cell = only(scores(runs)).cells["tcr70"]
    assert cell.deviation is not None
    assert (round(100 * cell.mean, 2), round(100 * cell.deviation, 2)) == (20.67, 1.70)


# The command


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two methods of the paper's model, two attempts at one task each."""
    for method, verdicts in {"dci": ("+---", "++--"), "RunningTab": ("+++-", "++++")}.items():
        for attempt, signs in enumerate(verdicts, 1):
            lay_run(
                tmp_path / "logs" / f"{method}{attempt}", signs, method=method, attempt=attempt, attempts=3,
                model="gpt-5.4-nano", suite="Workspace-Bench", task_name="report",
            )  # fmt: skip
    rerun.load([str(tmp_path / "logs")], tmp_path / "runs.duckdb")
    return tmp_path / "runs.duckdb"


def test_the_command_prints_ours_beside_the_papers(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", "scores", "--db", str(store)]) == 0
    told = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert lines[1].startswith("Workspace-Bench gpt-5.4-nano dci 37.50 (12.50) + 41.63 (0.90)")
    assert lines[2].startswith("Workspace-Bench gpt-5.4-nano running_tab 87.50 (12.50) * 44.73 (0.56)")
    assert "Workspace-Bench · gpt-5.4-nano · running_tab: 2 of 3 attempts are here" in told


def test_the_json_names_the_runs_of_each_number(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", "scores", "--json", "--method", "dci", "--db", str(store)]) == 0
    [row] = json.loads(capsys.readouterr().out)["rows"]
    cell = row["scores"]["pass_rate"]
    assert (cell["mean"], cell["deviation"], cell["paper"], cell["paper_model"]) == (
        0.375, 0.125, [41.63, 0.90], "GPT-5.4 nano",
    )  # fmt: skip
    ids = {run.run_id: run.attempt for run in rerun.runs(store)}
    assert [(one["attempt"], one["count"], one["of"]) for one in cell["attempts"]] == [(1, 1, 4), (2, 2, 4)]
    assert [[ids[part["run_id"]] for part in one["runs"]] for one in cell["attempts"]] == [[1], [2]]


def test_without_any_rubric_the_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", "scores", "--db", str(tmp_path / "none.duckdb")]) == 0
    assert "nothing is scored" in capsys.readouterr().out
