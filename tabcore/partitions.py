"""Logs -> a dataset, part by part: what each part holds is a function of its logs alone, so that any engine may make it.

`part_tables` is that function. `load` runs it here, over processes of this machine or over a Dask cluster whose workers
see the same files; a part that is made twice, because a worker was lost, is the same part and stands there once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from tabcore.derivation import Job, read_chunks
from tabcore.discovery import discover
from tabcore.errors import Problem, RunningTabError, UsageError
from tabcore.ingest import Progress
from tabcore.lean import keep_small
from tabcore.rows import Loaded
from tabcore.source import Source
from tabcore.store import dataset, writing
from tabcore.store.dataset import MOST_RUNS, Part
from tabcore.store.records import FileState
from tabcore.store.store import VERSION, Store, in_memory

Engine: TypeAlias = Literal["local", "dask"]
ENGINES: tuple[Engine, ...] = ("local", "dask")

PART = 48 << 20
"""Bytes of logs that make a part."""
WORKERS = 2
TRIES = 5
"""How often a part is given to another worker when one is lost."""


def part_tables(logs: Sequence[str], number: int = 0, *, look_for_secrets: bool = True) -> dict[str, pa.Table]:
    """Logs and run folders -> every table of the store, as part `number` of a dataset has it. Pure: writes nothing."""
    return _tables([Job(state, look_for_secrets=look_for_secrets) for state in discover(logs).places.values()], number)


def _tables(jobs: Sequence[Job], number: int) -> dict[str, pa.Table]:
    with in_memory() as connection:
        writing.add(connection, read_chunks(jobs))
        tables = dict(dataset.exported(connection, number))
    if tables["runs"].num_rows >= MOST_RUNS:
        first = jobs[0].place.path
        raise UsageError(first, f"a part may hold {MOST_RUNS} runs", "Load this log into a store instead")
    return tables


@dataclass(frozen=True, slots=True)
class _Plan:
    part: Part
    jobs: tuple[Job, ...]

    @property
    def size(self) -> int:
        return sum(job.place.size for job in self.jobs)


def make_part(folder: str, plan: _Plan) -> tuple[Loaded, ...]:
    """Make one part of a dataset; what became of each of its logs."""
    tables = _tables(plan.jobs, plan.part.number)
    dataset.publish(Path(folder), plan.part, tables)
    runs: dict[str, list[str]] = {}
    for path, run in zip(tables["runs"]["path"].to_pylist(), tables["runs"]["run_id"].to_pylist(), strict=True):
        runs.setdefault(path, []).append(run)
    problems: dict[str, list[Problem]] = {}
    for row in tables["problems"].drop_columns(["rowid"]).to_pylist():
        problems.setdefault(row.pop("source"), []).append(Problem(**row))
    return tuple(
        Loaded(
            row["path"], "loaded" if row["path"] in runs else "skipped", tuple(runs.get(row["path"], ())), row["tally"],
            tuple(problems.get(row["path"], ())),
        )
        for row in tables["files"].to_pylist()
    )  # fmt: skip


def load(
    paths: Iterable[str],
    folder: str | Path,
    progress: Callable[[Progress], object] = lambda _: None,
    *,
    engine: Engine = "local",
    scheduler: str = "",
    workers: int = WORKERS,
    look_for_secrets: bool = True,
) -> tuple[Loaded, ...]:
    """Add what is new under the paths to a dataset; what became of each log. Safe to repeat, and after a crash.

    A log that has changed is read again, with those that share its part. `scheduler` is a Dask scheduler's address; ""
    starts one on this machine.
    """
    place = Path(folder).expanduser().absolute()
    dataset.prepare(place, VERSION)
    found = discover(paths)
    known = _known(place)
    before = {path: _before(path, state, known) for path, state in found.places.items()}
    stale = {one.part for path, one in before.items() if one and not _same(one.state, found.places[path])}
    kept = {path: one for path, one in before.items() if one and one.part not in stale}
    again = discover(one.state.path for one in known if one.part in stale).places
    fresh = {path: state for path, state in {**again, **found.places}.items() if path not in kept}
    for part in stale:
        dataset.remove(place, part)
    copies = _copies(fresh, {one.digest for one in known if one.part not in stale})
    plans = _plans([state for path, state in fresh.items() if path not in copies], place, look_for_secrets)
    loaded = [Loaded(path, "unchanged", (), one.tally) for path, one in kept.items()]
    loaded += [Loaded(path, "same content") for path in copies]
    done = Progress(len(loaded), len(kept) + len(fresh), 0, sum(plan.size for plan in plans))
    for plan, made in _made(plans, str(place), engine, scheduler, workers):
        loaded += made
        done = Progress(done.files_done + len(made), done.files, done.bytes_done + plan.size, done.bytes)
        progress(done)
    return (*loaded, *map(_not_loaded, (*found.problems, *map(_archive, found.archives))))


def _not_loaded(problem: Problem) -> Loaded:
    return Loaded(problem.file, "skipped", problems=(problem,))


def _archive(path: str) -> Problem:
    return Problem(path, 0, "archive", "an archive is no part of a dataset", "skipped. Unpack it first", lost=True)


@dataclass(frozen=True, slots=True)
class _KnownLog:
    state: FileState
    digest: str
    tally: str
    part: Part


def _before(path: str, state: FileState, known: Iterable[_KnownLog]) -> _KnownLog | None:
    """What stands of a place in the dataset: the log itself, or that of the folder."""
    inside = f"{path}/" if state.beside else path
    return next((one for one in known if one.state.path == path or one.state.path.startswith(inside)), None)


def _same(known: FileState, found: FileState) -> bool:
    return known.beside == found.beside if found.beside else known == found


def _known(place: Path) -> list[_KnownLog]:
    """The logs that stand in the dataset."""
    by_number = {part.number: part for part in dataset.parts(place)}
    if not by_number:
        return []
    query = "SELECT path, size, changed, beside, digest, tally, rowid >> 40 FROM files"
    with Store(place).reading() as connection:
        rows = connection.execute(query).fetchall()
    return [_KnownLog(FileState(path, *state), digest, tally, by_number[n]) for path, *state, digest, tally, n in rows]


def _copies(fresh: Mapping[str, FileState], stored: set[str]) -> set[str]:
    """Those of the logs whose content stands in the dataset, or in one before them. Only such of one size are read."""
    sizes: dict[int, list[str]] = {}
    for path, state in fresh.items():
        if not state.beside:
            sizes.setdefault(state.size, []).append(path)
    seen, copies = set(stored), set[str]()
    for paths in sizes.values():
        if len(paths) == 1 and not stored:
            continue
        for path in paths:
            digest = Source.of_path(path).digest()
            (copies if digest in seen else seen).add(path if digest in seen else digest)
    return copies


def _plans(states: Sequence[FileState], place: Path, look_for_secrets: bool) -> list[_Plan]:
    """The parts to make, each of logs of about `PART` bytes; the same logs make the same parts."""
    groups: list[list[FileState]] = []
    size = PART
    for state in states:
        if size + state.size > PART:
            groups.append([])
            size = 0
        groups[-1].append(state)
        size += state.size
    first = max((part.number for part in dataset.parts(place)), default=-1) + 1
    return [
        _Plan(Part(number, _digest(group)), tuple(Job(state, look_for_secrets=look_for_secrets) for state in group))
        for number, group in enumerate(groups, start=first)
    ]


def _digest(states: Iterable[FileState]) -> str:
    words = "\0".join(f"{state.path}\0{state.size}\0{state.changed}\0{state.beside}" for state in states)
    return blake2b(words.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _made(
    plans: Sequence[_Plan], folder: str, engine: Engine, scheduler: str, workers: int
) -> Iterator[tuple[_Plan, tuple[Loaded, ...]]]:
    if engine == "dask":
        yield from _made_by_dask(plans, folder, scheduler, workers)
    elif len(plans) < 2:
        yield from ((plan, make_part(folder, plan)) for plan in plans)
    else:
        with ThreadPoolExecutor(workers) as pool:
            asked = {pool.submit(_made_in_a_child, folder, plan): plan for plan in plans}
            yield from ((asked[one], one.result()) for one in as_completed(asked))


def _made_in_a_child(folder: str, plan: _Plan) -> tuple[Loaded, ...]:
    """A plain child process: `multiprocessing` would run the caller's main module again."""
    room = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, (room, os.environ.get("PYTHONPATH"))))
    asked = pickle.dumps((folder, plan))
    command = [sys.executable, "-P", "-m", __name__]
    done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path})
    if done.returncode:
        remedy = "Its own words stand above. Load again: the parts that were made are kept"
        raise RunningTabError("load", f"a process that read {plan.jobs[0].place.path} was ended", remedy)
    made: tuple[Loaded, ...] = pickle.loads(done.stdout)
    return made


def answer() -> None:
    """What a child does: makes the part that it is asked for."""
    output = sys.stdout.buffer
    sys.stdout = sys.stderr
    folder, plan = pickle.load(sys.stdin.buffer)
    pickle.dump(make_part(folder, plan), output)


def _made_by_dask(
    plans: Sequence[_Plan], folder: str, scheduler: str, workers: int
) -> Iterator[tuple[_Plan, tuple[Loaded, ...]]]:
    with _client(scheduler, workers) as client:
        from distributed import as_completed as completed

        asked = {client.submit(make_part, folder, plan, pure=False, retries=TRIES): plan for plan in plans}
        for one in completed(asked):
            yield asked[one], one.result()


@contextmanager
def _client(scheduler: str, workers: int) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError as fault:
        remedy = "Install it: pip install 'runningtab[dask]'"
        raise UsageError("--engine dask", "Dask is not installed here", remedy) from fault
    try:
        if scheduler:
            with Client(scheduler, timeout="10s") as client:
                yield client
        else:
            with (
                LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster,
                Client(cluster) as client,
            ):
                yield client
    except OSError as fault:
        remedy = "Give the address that the scheduler prints, such as tcp://10.0.0.1:8786"
        raise UsageError(scheduler or "--engine dask", f"no scheduler answers ({fault})", remedy) from fault


if __name__ == "__main__":
    keep_small()
    answer()
