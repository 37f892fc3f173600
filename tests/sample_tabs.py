"""The recorded sample runs, each with the tab derived from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import sample_runs
from sample_runs.record import SAMPLES, Sample
from tabcore.bundles import Bundle, run_folder
from tabcore.readers import identify
from tabcore.source import Folder
from tabcore.tab.events import Event
from tabcore.tab.history import Difference, Historian
from tabcore.tab.operations import operation_of
from tabcore.tab.tab import Tab
from tabcore.tab.timeline import timeline_of
from tabcore.trajectory import Run, Turn, collect, without

BY_NAME = {sample.name: sample for sample in SAMPLES}
GUIDE: Sample = BY_NAME["business_travel"]


@dataclass(frozen=True, slots=True)
class Derived:
    """A recorded run and the tab derived from it."""

    run: Run
    events: tuple[Event, ...]
    differences: tuple[Difference, ...]
    texts: MutableMapping[str, str]

    def at(self, turn: int) -> Tab:
        return timeline_of(self.events).at(turn, self.texts)

    def turn(self, number: int) -> Turn:
        return self.run.turns[number - 1]

    def calls(self) -> list[str]:
        """The names of each turn's calls."""
        return [" ".join(call.name for call in turn.calls) for turn in self.run.turns]

    def observations(self) -> Iterator[tuple[int, str]]:
        """What the agent was shown in which turn, without the tab's words."""
        for turn in self.run.turns:
            tab = {call.call_id for call in turn.calls if operation_of(call)}
            for shown in turn.observations:
                if shown.call_id not in tab:
                    yield turn.number, without(shown.text, shown.spans, {"tab"})


def folder_of(name: str) -> Path:
    return sample_runs.runs_folder() / name


def deliverable_of(name: str) -> Path:
    [path] = (folder_of(name) / "deliverable").iterdir()
    return path


def bundle_of(folder: Path) -> Bundle:
    return run_folder.read(Folder.of_path(folder), lambda source: source.name.endswith(".jsonl"))


def derived(folder: Path) -> Derived:
    bundle = bundle_of(folder)
    assert bundle.log is not None
    [run] = collect(identify(bundle.log).read(bundle.log), digest=bundle.log.digest(), path=bundle.log.path)
    historian = Historian(bundle.stated.over(run.header))
    facts = [historian.turn(turn) for turn in run.turns]
    facts.append(historian.end(run.after, len(run.turns)))
    return Derived(
        run,
        tuple(event for fact in facts for event in fact.events),
        tuple(difference for fact in facts for difference in fact.differences),
        historian.keeper.texts,
    )


@cache
def recorded(name: str) -> Derived:
    """The sample run of that name, as it lies in the project."""
    return derived(folder_of(name))


def recorded_status_line(run: Derived, turn: int) -> str:
    return run.turn(turn).observations[-1].text.rsplit("\n", 1)[-1]


def recorded_text(run: Derived, turn: int) -> str:
    return run.turn(turn).observations[0].text


def counts(status_line: str) -> tuple[int, int, int]:
    """Unopened, above threshold, read-log entries."""
    found = re.search(r"candidates: (\d+) unopened, (\d+) above threshold \| read log: (\d+) entr", status_line)
    assert found is not None
    unopened, starred, entries = map(int, found.groups())
    return unopened, starred, entries


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
