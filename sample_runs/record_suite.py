"""Records the suite of simulated runs again, into one archive: `python sample_runs/record_suite.py`.

Every run is executed for real in a fresh workspace, one after the other. The archive's members are the same bytes on any
machine that `record.py` works on; the archive itself is, with the same build of zlib.
"""

from __future__ import annotations

import argparse
import gzip
import io
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sample_runs import SUITE_SIMULATED, suite_archive
from sample_runs.record import (
    FILE_TIME,
    ROOT,
    SECONDS_A_MESSAGE,
    RecordingTerminal,
    contents,
    json_bytes,
    set_times,
    toml_of,
)
from sample_runs.suite.agent import SimulatedModel, work
from sample_runs.suite.judging import judged
from sample_runs.suite.lapses import MODELS, Fate
from sample_runs.suite.tasks import SuiteTask, suite_tasks
from tabcore.agent import METHODS, Ended, PiRecorder, SteppingClock, companion_for, run_agent

ATTEMPTS = 3

STARTED = 1_730_000_000
"""When the first run began; each of the others an hour after the one before."""


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """One run of the suite; `number` is its place among all."""

    number: int
    task: SuiteTask
    fate: Fate

    @property
    def name(self) -> str:
        """The name of its folder."""
        model = self.fate.model.split()[-1]
        return f"{self.task.name}-{model}-{self.fate.method}-{self.fate.attempt}"


def suite_runs() -> tuple[SuiteRun, ...]:
    """All runs, by task, model, method and attempt."""
    each = (
        (task, Fate(model, task.name, method, attempt))
        for task in suite_tasks()
        for model in MODELS
        for method in METHODS
        for attempt in range(1, ATTEMPTS + 1)
    )
    return tuple(SuiteRun(number, task, fate) for number, (task, fate) in enumerate(each))


def recorded(run: SuiteRun) -> dict[str, bytes]:
    """Execute a run; the files of its folder by their paths in it."""
    with tempfile.TemporaryDirectory() as scratch:
        terminal = RecordingTerminal(Path(scratch, "workspace"), Path(scratch, "home"))
        terminal.home.mkdir()
        _lay(run.task.files, terminal.folder)
        log = io.StringIO()
        ended = _execute(run, terminal, log)
        delivered = terminal.folder / run.task.deliverable if run.task.deliverable else None
        rubrics, verdicts = judged(run.task, delivered, ended.answer)
        written = {
            str(path): data for path, data in contents(terminal.folder).items() if str(path) not in run.task.files
        }
    return {
        "run.toml": _run_toml(run).encode(),
        "task.md": run.task.text.encode(),
        "session.jsonl": log.getvalue().encode(),
        **{f"deliverable/{path}": data for path, data in written.items()},
        "rubrics.json": json_bytes(rubrics),
        "verdicts.json": json_bytes(verdicts),
    }


def _lay(files: Mapping[str, str], folder: Path) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    set_times(folder)


def _execute(run: SuiteRun, terminal: RecordingTerminal, log: io.StringIO) -> Ended:
    method, started = METHODS[run.fate.method], float(STARTED + 3600 * run.number)
    model = SimulatedModel(run.fate.model, work(run.task, method, run.fate))
    recorder = PiRecorder(log, session=run.name, cwd=ROOT, provider="simulated", model=run.fate.model, time=started)
    clock = SteppingClock(started, SECONDS_A_MESSAGE)
    companion = companion_for(method, run.task.text, ROOT)
    return run_agent(run.task.text, model, method, companion, terminal, recorder, clock)


def _run_toml(run: SuiteRun) -> str:
    return toml_of(
        {
            "log": "session.jsonl",
            "root": ROOT,
            "fresh_cwd": True,
            "method": run.fate.method,
            "model": run.fate.model,
            "attempt": run.fate.attempt,
            "attempts": ATTEMPTS,
            "suite": run.task.suite,
            "task_name": run.task.task_name,
            "simulated": SUITE_SIMULATED,
        }
    )


def packed(runs: Iterable[SuiteRun]) -> bytes:
    """The archive of these runs, with nothing in it that says when or where it was made."""
    whole = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=whole, mtime=0) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for path, data in _members(runs):
            member = tarfile.TarInfo(path)
            member.size, member.mtime, member.mode = len(data), FILE_TIME, 0o644
            archive.addfile(member, io.BytesIO(data))
    return whole.getvalue()


def _members(runs: Iterable[SuiteRun]) -> Iterator[tuple[str, bytes]]:
    for run in runs:
        for path, data in sorted(recorded(run).items()):
            yield f"suite/{run.name}/{path}", data


def main() -> None:
    """Record all of them into the archive."""
    parser = argparse.ArgumentParser(description="Record the suite of simulated runs again, by executing their plans.")
    parser.add_argument("--into", type=Path, default=suite_archive(), help="the archive to write")
    chosen = parser.parse_args()
    runs = suite_runs()
    partial = chosen.into.with_suffix(".partial")
    partial.write_bytes(packed(runs))
    partial.replace(chosen.into)
    print(f"{len(runs)} runs, {chosen.into.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
