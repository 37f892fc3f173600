"""Records the sample runs again, byte for byte: `python sample_runs/record.py`.

Each script (`scripts/*.toml`) holds a model's responses and nothing else. The agent loop executes them for real in a
fresh copy of the workspace; counts, excerpts and the tab's words come from what the tools returned. Verdicts come from
`verdicts.py`, which reads what was delivered. Python, which some of the commands call, is the one that runs this.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sample_runs.office_files import same_bytes
from sample_runs.verdicts import checks_of, rubrics_json, verdicts_json
from sample_runs.workspace_files import lay_workspace
from tabcore.agent import (
    METHODS,
    Ended,
    MethodName,
    PiRecorder,
    ScriptedModel,
    SteppingClock,
    Terminal,
    companion_for,
    read_script,
    run_agent,
)

HERE = Path(__file__).resolve().parent

ROOT = "/workspace"
"""The workspace folder as the records name it, wherever it really was."""

FILE_TIME = 1_704_067_200
"""When every file of a workspace was last changed: 2024-01-01, UTC."""

SECONDS_A_MESSAGE = 4.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample run. Runs of one `task` share its text, workspace and checks.

    `started` is in seconds since 1970; `simulated` is the sentence that every page shows.
    """

    name: str
    task: str
    task_name: str
    method: MethodName
    started: float
    simulated: str


def _re_enactment(table: int) -> str:
    return (
        f"Scripted re-enactment of Table {table} of the RunningTab paper: a script gave the model's responses, "
        "the tools and the tab are real, the workspace and all words are our own."
    )


SAMPLES = (
    Sample(
        "business_travel",
        "business_travel",
        "business travel guide",
        "running_tab",
        1_718_010_000.0,
        _re_enactment(5),
    ),
    Sample(
        "energy_report",
        "energy_report",
        "quarterly energy report",
        "dci",
        1_720_430_000.0,
        "Scripted run on a task of our own: a script gave the model's responses, the tools are real.",
    ),
    Sample(
        "water_and_electricity_dci",
        "water_and_electricity",
        "water and electricity manual",
        "dci",
        1_721_030_000.0,
        _re_enactment(6),
    ),
    Sample(
        "water_and_electricity_running_tab",
        "water_and_electricity",
        "water and electricity manual",
        "running_tab",
        1_721_040_000.0,
        _re_enactment(6),
    ),
    Sample(
        "purchase_orders_dci",
        "purchase_orders",
        "purchase orders by supplier",
        "dci",
        1_721_050_000.0,
        _re_enactment(7),
    ),
    Sample(
        "purchase_orders_running_tab",
        "purchase_orders",
        "purchase orders by supplier",
        "running_tab",
        1_721_060_000.0,
        _re_enactment(7),
    ),
    Sample(
        "village_hall",
        "village_hall",
        "year sheet of a village hall",
        "running_tab",
        1_721_070_000.0,
        "Scripted run on a task of our own: a script gave the model's responses, the tools and the tab are real.",
    ),
)


def record(sample: Sample, into: Path, workspace: Path | None = None) -> Ended:
    """Execute a sample's script and write its run folder `into / sample.name`, replacing what was there.

    `workspace` takes the place of the sample's own. Says how the run ended.
    """
    folder = into / sample.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    task = (HERE / "tasks" / f"{sample.task}.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        terminal = _terminal(sample.task, workspace, Path(scratch))
        before = contents(terminal.folder)
        ended = _execute(sample, task.strip(), terminal, folder / "session.jsonl")
        delivered = {path: data for path, data in contents(terminal.folder).items() if before.get(path) != data}
    (folder / "task.md").write_bytes(task.encode())
    (folder / "run.toml").write_bytes(_run_toml(sample).encode())
    for path, data in delivered.items():
        target = folder / "deliverable" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(same_bytes(data))
    _judge(sample, folder)
    return ended


def _judge(sample: Sample, folder: Path) -> None:
    """Write rubrics and verdicts beside what was delivered."""
    checks = checks_of(sample.task)
    [delivered] = [path for path in (folder / "deliverable").rglob("*") if path.is_file()]
    for name, items in (("rubrics.json", rubrics_json(checks)), ("verdicts.json", verdicts_json(checks, delivered))):
        (folder / name).write_bytes(json_bytes(items))


def json_bytes(items: object) -> bytes:
    """What a file of rubrics or verdicts holds."""
    return (json.dumps(items, ensure_ascii=False, indent=1) + "\n").encode()


class RecordingTerminal(Terminal):
    """A terminal whose commands find this Python first, with its libraries."""

    __slots__ = ()

    def environment(self) -> dict[str, str]:
        variables = Terminal.environment(self)
        return {**variables, "PATH": os.pathsep.join((str(Path(sys.executable).parent), variables["PATH"]))}


def _terminal(task: str, workspace: Path | None, scratch: Path) -> Terminal:
    """A fresh copy of a workspace, with the same file times each time, and an empty home beside it."""
    terminal = RecordingTerminal(scratch / "workspace", scratch / "home")
    terminal.home.mkdir()
    if workspace:
        shutil.copytree(workspace, terminal.folder)
    else:
        lay_workspace(task, terminal.folder)
    set_times(terminal.folder)
    return terminal


def set_times(folder: Path) -> None:
    """Give a workspace and all in it the time of every recording."""
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (FILE_TIME, FILE_TIME))


def _execute(sample: Sample, task: str, terminal: Terminal, log: Path) -> Ended:
    method = METHODS[sample.method]
    model = ScriptedModel(read_script(HERE / "scripts" / f"{sample.name}.toml"), sample.name)
    clock = SteppingClock(sample.started, SECONDS_A_MESSAGE)
    with log.open("w", encoding="utf-8", newline="\n") as file:
        recorder = PiRecorder(
            file, session=sample.name, cwd=ROOT, provider="scripted", model=model.name, time=sample.started
        )
        return run_agent(task, model, method, companion_for(method, task, ROOT), terminal, recorder, clock)


def contents(folder: Path) -> dict[Path, bytes]:
    """The files of a folder by their paths in it."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _run_toml(sample: Sample) -> str:
    """What the run folder says of its run."""
    fields: dict[str, str | int | bool] = {
        "log": "session.jsonl",
        "task": "task.md",
        "root": ROOT,
        "fresh_cwd": True,
        "method": sample.method,
        "model": "scripted",
        "attempt": 1,
        "attempts": 1,
        "suite": "sample runs",
        "task_name": sample.task_name,
        "simulated": sample.simulated,
    }
    return toml_of(fields)


def toml_of(fields: Mapping[str, str | int | bool]) -> str:
    """The text of a run.toml; a JSON string is a TOML string too."""
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())


def main() -> None:
    """Record all of them, or those named."""
    parser = argparse.ArgumentParser(description="Record the sample runs again, by executing their scripts.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(sample.name for sample in SAMPLES)}; all by default")
    parser.add_argument("--into", type=Path, default=HERE / "runs", help="where the run folders go")
    chosen = parser.parse_args()
    for sample in SAMPLES:
        if not chosen.names or sample.name in chosen.names:
            ended = record(sample, chosen.into, None)
            print(f"{sample.name}: {ended.how} after {ended.turns} turns")


if __name__ == "__main__":
    main()
