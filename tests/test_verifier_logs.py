"""What verifiers said: in a viewer's run, and beside the log of a Harbor trial."""

import json
from pathlib import Path
from typing import Any

import pytest
from log_reading import real_file
from small_logs import pi_agent, pi_log, pi_user

from tabcore import readers, rerun
from tabcore.bundles import Bundle, bundle_inside, harbor_trial, layout_of
from tabcore.bundles.verifier_log import judged
from tabcore.errors import UnknownFormat
from tabcore.memory import read_runs
from tabcore.source import Folder, Source
from tabcore.store.store import Store
from tabcore.trajectory import Rubric, RunHeader, Verdict

PYTEST = """
_______________________________ test_sums _______________________________
>       assert total == 12
E       AssertionError: 13
E       assert 13 == 12
/tests/test_outputs.py:71: AssertionError
=========================== short test summary info ============================
PASSED ../tests/test_outputs.py::test_exists
FAILED ../tests/test_outputs.py::test_sums - AssertionError: 13
ERROR ../tests/test_outputs.py::test_pages - FileNotFoundError
SKIPPED ../tests/test_outputs.py::test_later
========================= 1 failed, 1 passed in 1.02s ==========================
"""


def told(text: str) -> dict[str, tuple[bool | None, bool]]:
    return {rubric.text: (verdict.passed, verdict.judge_failed) for rubric, verdict in judged(text)}


# What a verifier printed


def test_each_test_is_a_rubric_and_one_that_could_not_run_is_a_judge_that_failed() -> None:
    assert told(PYTEST) == {
        "test_exists": (True, False),
        "test_sums": (False, False),
        "test_pages": (None, True),
        "test_later": (None, False),
    }
    [(_, failed)] = [item for item in judged(PYTEST) if item[0].text == "test_sums"]
    assert failed.evidence == "AssertionError: 13\nE       AssertionError: 13\nE       assert 13 == 12"


def test_the_test_cases_of_spreadsheet_bench_are_rubrics() -> None:
    text = "Running evaluation...\n  Test case 1: PASS\n  Test case 2: FAIL — Value diff at F2: gt=1, proc=5\nHard reward: 0\n"
    assert told(text) == {"Test case 1": (True, False), "Test case 2": (False, False)}
    assert judged(text)[1][1].evidence == "Value diff at F2: gt=1, proc=5"


@pytest.mark.parametrize(("reward", "passed"), [("1.0", True), ("0.25", False), ("0", False)])
def test_a_reward_is_met_when_it_is_one(reward: str, passed: bool) -> None:
    text = f"Correct answer: 4\nPredicted answer: 5\nJudge response: INCORRECT\nReward: {reward}\n"
    evidence = f"Answer: 5\nJudge response: INCORRECT\nReward: {reward}"
    assert judged(text) == ((Rubric("reward", "The answer is 4"), Verdict("reward", passed, evidence)),)


def test_an_answer_of_several_lines_is_told_whole() -> None:
    text = 'Gold answer: {\n  "a": 27.7\n}\nModel answer: {\n  "a": 1\n}\nFinal reward: 0.0\n'
    assert judged(text)[0][0].text == 'The answer is {\n  "a": 27.7\n}'


def test_a_verifier_that_ended_before_its_verdict_evaluated_nothing() -> None:
    assert judged("ERROR: /workspace/answer.txt not found\n") == ()


# Inside a viewer's run


def viewer_run(verifier_log: str | None) -> Source:
    steps = [{"index": 0, "role": "agent", "text": "Done", "toolCalls": [], "observation": None}]
    run = {"steps": steps} | ({} if verifier_log is None else {"verifierLog": verifier_log})
    return Source.of_bytes("run.json", json.dumps(run).encode())


def test_a_viewers_run_brings_its_verdicts() -> None:
    found = bundle_inside("atif-viewer", viewer_run("Reward: 1.0\n"))
    assert found is not None
    assert [verdict.passed for verdict in found.verdicts] == [True]
    silent = bundle_inside("atif-viewer", viewer_run("it broke"))
    assert silent is not None
    assert [problem.kind for problem in silent.problems] == ["no verdicts"]
    assert bundle_inside("atif-viewer", viewer_run(None)) is None
    assert bundle_inside("pi", viewer_run("Reward: 1.0\n")) is None


def test_a_viewers_run_brings_its_verdicts_into_the_store(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(viewer_run("  Test case 1: PASS\n").head(10**6))
    store = Store(tmp_path / "runs.duckdb")
    rerun.load([str(tmp_path / "run.json")], store.path)
    with store.reading() as connection:
        assert connection.execute("SELECT rubric_id, passed FROM verdicts").fetchall() == [("1", True)]
    [loaded] = read_runs(str(tmp_path / "run.json"))
    assert [verdict.passed for verdict in loaded.run.verdicts] == [True]


@pytest.mark.parametrize(
    ("name", "passed"),
    [
        ("skillsbench_8c26d1608dc2", [*[True] * 8, False]),
        ("spreadsheetbench_0-8945-61aef", [False]),
        ("spreadsheetbench_8-87f1-6a59e", [True]),
        ("aalcr_a0f668423a3f", [False]),
        ("bix_09dac569b625", [True]),
        ("deepsynth_ab18eb8950c2", [False]),
        ("aalcr_fd8a3c1d1c26", []),
    ],
)
def test_published_runs_bring_what_their_verifiers_said(name: str, passed: list[bool]) -> None:
    found = bundle_inside("atif-viewer", Source.of_path(real_file(f"atif_viewer/{name}.json")))
    assert found is not None
    assert [verdict.passed for verdict in found.verdicts] == passed


# A Harbor trial


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    for name in ("agent", "verifier", "artifacts"):
        (tmp_path / "t" / name).mkdir(parents=True)
    (tmp_path / "t" / "agent" / "session.jsonl").write_text(pi_log(pi_user("Sum it"), pi_agent("Done")))
    about = {"task_name": "sum", "source": "sums", "agent_info": {"name": "pi", "model_info": {"name": "m"}}}
    (tmp_path / "t" / "result.json").write_text(json.dumps(about))
    (tmp_path / "t" / "artifacts" / "answer.txt").write_text("12")
    (tmp_path / "t" / "artifacts" / "manifest.json").write_text("{}")
    return tmp_path / "t"


def is_log(source: Source) -> bool:
    try:
        return readers.identify(source) is not None
    except UnknownFormat:
        return False


def read(trial: Path, **verifier: Any) -> Bundle:
    for name, content in verifier.items():
        (trial / "verifier" / name.replace("__", ".").replace("_", "-")).write_text(content)
    place = Folder.of_path(trial)
    assert layout_of(place) is harbor_trial
    return harbor_trial.read(place, is_log)


def test_a_trial_is_a_run_with_its_tests_and_artifacts(trial: Path) -> None:
    tests = [
        {"name": "test_outputs.py::test_a", "status": "passed"},
        {"name": "test_outputs.py::test_b", "status": "failed", "message": "13", "trace": "assert 13 == 12"},
        {"name": "test_outputs.py::test_c", "status": "other"},
    ]
    found = read(trial, ctrf__json=json.dumps({"results": {"tests": tests}}), reward__txt="0.0")
    assert found.log is not None
    assert found.log.name == "session.jsonl"
    assert found.stated.over(RunHeader("x")) == RunHeader("x", model="m", suite="sums", task_name="sum")
    assert [rubric.text for rubric in found.rubrics] == ["test_a", "test_b", "test_c"]
    assert [verdict.passed for verdict in found.verdicts] == [True, False, None]
    assert found.verdicts[1].evidence == "13\nassert 13 == 12"
    assert [file.path for file in found.deliverables] == ["answer.txt"]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("verifier", "passed"),
    [
        ({"test_stdout__txt": PYTEST, "reward__txt": "0"}, [True, False, None, None]),
        ({"test_stdout__txt": "ran", "reward__txt": "1\n"}, [True]),
        ({"reward__json": '{"reward": 1, "style": 0.5}'}, [True, False]),
        ({"reward__json": "0.0"}, [False]),
    ],
)
def test_without_tests_the_printed_summary_counts_then_the_rewards(
    trial: Path, verifier: dict[str, str], passed: list[bool | None]
) -> None:
    assert [verdict.passed for verdict in read(trial, **verifier).verdicts] == passed


def test_a_trial_without_a_verdict_was_not_evaluated(trial: Path) -> None:
    found = read(trial, reward__json="{")
    assert (found.verdicts, [problem.kind for problem in found.problems]) == ((), ["no JSON", "no verdicts"])
