"""Run folders with rubrics and verdicts, made for tests: a log, what it is judged by, what it delivered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from small_logs import pi_agent, pi_log, pi_result, pi_user

from tabcore import rerun

TASK = "Write report.md on the bills of /ws; budget 5000.00"
BILLS = "no,payee,amount\n1,Aldgate,1234.50\n2,Fjord,7890.25\n3,Bergen,356.10\n"
LISTING = "bills.csv\nletters_council.txt\nreceipt 88.40.txt\nrates.txt\n"

Rubrics = Mapping[str, tuple[str, bool | None]]
"""By id: the text, and whether it passed; None for no verdict."""


def made_run(
    folder: Path,
    store: Path,
    rubrics: Rubrics,
    deliverable: str | None = "",
    *,
    after: tuple[dict[str, object], ...] = (),
    **fields: object,
) -> str:
    """Load a run that lists, reads the bills, computes 9124.75, and writes `deliverable`; its id.

    `fields` go into its run.toml; None as deliverable leaves out the writing and the answer.
    """
    wrote: tuple[dict[str, object], ...] = ()
    if deliverable is not None:
        wrote = (
            pi_agent("", ("c4", "write", {"path": "/ws/report.md", "content": deliverable})),
            pi_result("c4", "ok"),
        )
    log = pi_log(
        pi_user(TASK),
        pi_agent("", ("c1", "bash", {"command": "ls /ws"})),
        pi_result("c1", LISTING),
        pi_agent("", ("c2", "bash", {"command": "cat /ws/bills.csv"})),
        pi_result("c2", BILLS),
        pi_agent("", ("c3", "bash", {"command": "python3 -c 'print(1234.50 + 7890.25)'"})),
        pi_result("c3", "9124.75\n"),
        *wrote,
        *after,
        *((pi_agent("Done."),) if deliverable is not None else ()),
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "session.jsonl").write_text(log)
    (folder / "task.md").write_text(TASK)
    told = {"log": "session.jsonl", "task": "task.md", "root": "/ws", "fresh_cwd": True, "task_name": "bills"} | fields
    (folder / "run.toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in told.items()))
    (folder / "rubrics.json").write_text(
        json.dumps([{"id": name, "text": text} for name, (text, _) in rubrics.items()])
    )
    judged = [{"rubric": name, "passed": passed} for name, (_, passed) in rubrics.items() if passed is not None]
    (folder / "verdicts.json").write_text(json.dumps(judged))
    [loaded] = [one for one in rerun.load([str(folder)], store) if one.runs]
    return loaded.runs[0]


def read_after(path: str, text: str) -> tuple[dict[str, object], ...]:
    """A file that is opened after the deliverable was written."""
    return pi_agent("", ("c5", "bash", {"command": f"cat /ws/{path}"})), pi_result("c5", text)
