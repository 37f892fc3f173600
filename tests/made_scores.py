"""Scored runs made for tests, and run folders that load as such."""

from __future__ import annotations

import json
from pathlib import Path

from small_logs import pi_agent, pi_log, pi_result, pi_user

from tabcore.analyses.score_facts import ScoredRun
from tabcore.analyses.value_facts import RubricFacts


def scored(
    task: str,
    verdicts: str = "",
    *,
    method: str = "dci",
    attempt: int | None = 1,
    suite: str = "Workspace-Bench",
    model: str = "m",
    chars: int = 0,
    **more: object,
) -> ScoredRun:
    """A run whose rubrics were passed (+), failed (-), not evaluated (?), or lost by a judge that failed (!)."""
    run_id = f"{task}/{method}/{attempt}/{model}"
    rubrics = tuple(
        RubricFacts(run_id, f"b{place}", f"rubric {place}", {"+": True, "-": False}.get(sign), sign == "!")
        for place, sign in enumerate(verdicts, 1)
    )
    return ScoredRun(run_id, task, suite, model, method, attempt, None, None, rubrics, chars=chars, **more)  # type: ignore[arg-type]


def lay_run(folder: Path, verdicts: str, *, reads: int = 0, deliverable: str = "Done", **about: object) -> None:
    """A run folder whose log reads a file of so many characters, and writes `deliverable` to report.md."""
    folder.mkdir(parents=True)
    log = pi_log(
        pi_user("Write report.md"),
        pi_agent("", ("c1", "bash", {"command": "cat /ws/notes.txt"})),
        pi_result("c1", "x" * reads),
        pi_agent("", ("c2", "write", {"path": "/ws/report.md", "content": f"{deliverable} {folder.name}"})),
        pi_result("c2", "ok"),
        pi_agent("Finished."),
    )
    (folder / "session.jsonl").write_text(log.replace('"s1"', json.dumps(folder.name)))
    (folder / "run.toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in about.items()))
    (folder / "rubrics.json").write_text(
        json.dumps([{"id": f"b{place}", "text": f"rubric {place}"} for place in range(1, len(verdicts) + 1)])
    )
    judged = [
        {"rubric": f"b{place}", "passed": {"+": True, "-": False}.get(sign), "judge_failed": sign == "!"}
        for place, sign in enumerate(verdicts, 1)
    ]
    (folder / "verdicts.json").write_text(json.dumps(judged))
