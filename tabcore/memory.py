"""Recorded runs in memory, with their tab: what `tabcore.load` gives. Needs no store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from tabcore import readers
from tabcore.bundles import Bundle, bundle_inside
from tabcore.derivation import stated_header
from tabcore.discovery import discover, read_bundle
from tabcore.source import Source
from tabcore.tab import messages
from tabcore.tab.history import Historian
from tabcore.tab.review import Reviewer
from tabcore.tab.tab import Tab
from tabcore.tab.timeline import Timeline
from tabcore.trajectory import Run, collect


@dataclass(frozen=True, slots=True)
class TabView:
    """A tab as it stood after a turn. `text` shows the whole of it."""

    tab: Tab
    turn: int

    @property
    def text(self) -> str:
        """Status line, requirements, read log and ranked candidates, as `runningtab show` prints them."""
        ranked = [candidate for candidate, _ in Reviewer(self.tab).candidates_by_relevance()]
        return messages.tab_text(self.tab, ranked, self.turn)


class LoadedRun:
    """A recorded run with its tab, in memory. `run` is the record, `timeline` the tab over time."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __repr__(self) -> str:
        return f"<run {self.run.run_id}: {len(self.run.turns)} turns, {self.run.path}>"

    @property
    def timeline(self) -> Timeline:
        """The tab of the whole run."""
        return self._derived[0]

    def tab_at(self, turn: int) -> TabView:
        """The tab as it stood after a turn, from 0 (before the first) on."""
        timeline, texts = self._derived
        return TabView(timeline.at(turn, texts), turn)

    @cached_property
    def _derived(self) -> tuple[Timeline, Mapping[str, str]]:
        historian = Historian(self.run.header)
        for turn in self.run.turns:
            historian.turn(turn)
        historian.end(self.run.after, self.run.turns[-1].number if self.run.turns else 0)
        return historian.tab.timeline(), historian.tab.texts


def read_runs(path: str) -> tuple[LoadedRun, ...]:
    """The runs of a log, or of a run folder, whole; a log in a run folder gets what lies beside it.

    Raises UnreadableSource or UnknownFormat; other faults are in `run.problems`.
    """
    [place, *_] = discover([path]).places.values() or [None]
    bundle = read_bundle(place.path) if place and place.beside else None
    source = (bundle.log if bundle else None) or Source.of_path(path)
    reader = readers.identify(source)
    bundle = bundle or bundle_inside(reader.NAME, source)
    pieces = tuple(reader.read(source))
    runs = collect(pieces, digest=source.digest(), path=source.path)
    return tuple(LoadedRun(with_bundle(run, bundle) if bundle else run) for run in runs)


def with_bundle(run: Run, bundle: Bundle) -> Run:
    """A run with what lies beside its log; rubrics, verdicts and deliverables are those of the log's first run."""
    key = run.run_id.partition(".")[2]
    header = stated_header(bundle, key, run.header)
    run = replace(run, header=header, problems=bundle.problems + run.problems)
    if key:
        return run
    if bundle.rubrics:
        run = replace(run, rubrics=bundle.rubrics, verdicts=bundle.verdicts)
    return replace(run, deliverables=bundle.deliverables)
