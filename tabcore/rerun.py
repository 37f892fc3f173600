"""What the pages and the commands call: wires the store, the tab engine and the load together.

Each function opens the store, looks, and closes it again. `db` is the store's file, None the default one;
`run_id` may be any beginning of an id that names one run only. Secrets that the load found are masked in all that is
given out; `redact=False` gives it as it stands. Ranking and review look at the texts as they are.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import platformdirs

from tabcore.errors import Problem, UsageError
from tabcore.exports.atif import to_atif
from tabcore.exports.judging import Judged
from tabcore.exports.judging import for_judge as without_tab
from tabcore.redaction import Masks, redacted
from tabcore.rows import QUIET, CorrectionRow, Followed, Loaded, Replay, RunRow, TurnBody
from tabcore.store import corrections as said
from tabcore.store import secret_selects, selects
from tabcore.store.record_selects import stored_run
from tabcore.store.records import Correction, StoredRun
from tabcore.store.run_ids import number_of
from tabcore.store.store import WAIT, Store
from tabcore.tab import messages
from tabcore.tab.corrections import DecisionCorrection
from tabcore.tab.keeper import command_text
from tabcore.tab.oracle import Checked, absolute
from tabcore.tab.review import SHOWN, Reviewer
from tabcore.tab.tab import Candidate, Entry, Requirement, Tab
from tabcore.trajectory import Json, Run

if TYPE_CHECKING:
    from tabcore.ingest import Progress
    from tabcore.watching import Watcher

Db = str | Path | None
_Shown = TypeVar("_Shown")


class Kept(Enum):
    """The value of an argument that leaves a thing as it is."""

    KEPT = "as it is"


KEPT = Kept.KEPT


@dataclass(frozen=True, slots=True)
class Evidence:
    """One read-log entry in a review: `line` is its first that shares a term with the requirement, "" if none does."""

    entry: Entry
    line: str


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One open requirement beside its best entries and candidates, best first."""

    requirement: Requirement
    entries: tuple[Evidence, ...]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class TabRow:
    """A whole tab after a turn; the candidates are ranked against the task.

    `corrections` and `checked` are those of the run up to that turn: what persons said of capture's decisions, and what
    the record says of files beside what capture said.
    """

    turn: int
    status_line: str
    requirements: tuple[Requirement, ...]
    read_log: tuple[Entry, ...]
    candidates: tuple[Candidate, ...]
    corrections: tuple[CorrectionRow, ...] = ()
    checked: tuple[Checked, ...] = ()


@dataclass(frozen=True, slots=True)
class Export:
    """A run as a document for other programs. `judged` says what was left out for a judge, None for the whole run."""

    document: dict[str, Json]
    judged: Judged | None = None


def default_store() -> Path:
    """The store's file: `RUNNINGTAB_DB` where set, else in the user's data folder."""
    stated = os.environ.get("RUNNINGTAB_DB")
    return Path(stated) if stated else Path(platformdirs.user_data_dir("runningtab"), "runs.duckdb")


def open_store(db: Db = None, wait: float = WAIT) -> Store:
    """The store, not yet opened; `wait` is how many seconds to wait while another process holds it."""
    return Store(default_store() if db is None else db, wait)


def load(
    paths: Iterable[str],
    db: Db = None,
    progress: Callable[[Progress], object] = lambda _: None,
    *,
    redact: bool = True,
) -> tuple[Loaded, ...]:
    """Load files, folders and archives; what became of each. Loading again what has not changed adds nothing.

    Without `redact` nobody looks for secrets in what is loaded, so that none of them is ever masked.
    """
    from tabcore import ingest

    return ingest.load(paths, open_store(db), progress, look_for_secrets=redact)


def runs(db: Db = None) -> tuple[RunRow, ...]:
    """Every run, in the order in which they came in."""
    with open_store(db).reading() as connection:
        rows = selects.run_rows(connection)
        numbers = selects.run_numbers(connection) if any(row.secrets for row in rows) else {}
        return tuple(_masked(connection, numbers[row.run_id], row) if row.secrets else row for row in rows)


def run(db: Db, run_id: str) -> RunRow:
    """One run."""
    with open_store(db).reading() as connection:
        return _run(connection, number_of(connection, run_id))


def watcher(
    folders: Sequence[str], db: Db = None, say: Callable[[str], object] = lambda _: None, *, quiet: float = QUIET
) -> Watcher:
    """Follows folders of growing logs; nothing happens before `run` or `step`."""
    from tabcore.watching import Watcher

    return Watcher(folders, open_store(db), say, quiet=quiet)


def followed(db: Db = None) -> tuple[Followed, ...]:
    """Every log that is or was followed while it grew, the one that grew last first."""
    with open_store(db).reading() as connection:
        return selects.followed(connection)


def replay(db: Db, run_id: str) -> Replay:
    """All that a replay of one run steps through."""
    with open_store(db).reading() as connection:
        number = number_of(connection, run_id)
        return _masked(connection, number, selects.replay(connection, number))


def turn_body(db: Db, run_id: str, turn: int) -> TurnBody:
    """One turn whole."""
    with open_store(db).reading() as connection:
        number = number_of(connection, run_id)
        body = selects.turn_body(connection, number, turn)
        if body is None:
            [run] = selects.run_rows(connection, number)
            raise _no_turn(run_id, turn, run.turns)
        return _masked(connection, number, body)


def excerpt(db: Db, run_id: str, entry_id: str) -> str:
    """What the read log's entry shows, word for word."""
    with open_store(db).reading() as connection:
        number = number_of(connection, run_id)
        found = selects.excerpt(connection, number, entry_id)
        if found is None:
            [run] = selects.run_rows(connection, number)
            known = f"L1 to L{run.reads}" if run.reads else "none, nothing was read"
            raise UsageError(f"entry {entry_id}", "there is no such entry", f"Known: {known}")
        return _masked(connection, number, found)


def tab_at(db: Db, run_id: str, turn: int | None = None, *, with_excerpts: bool = False) -> tuple[Tab, int]:
    """The tab after a turn (None: the last) and that turn, nothing in it masked. Excerpts cost a look at the texts."""
    with open_store(db).reading() as connection:
        number = number_of(connection, run_id)
        [run] = selects.run_rows(connection, number)
        timeline = selects.timeline(connection, number)
        at = run.turns if turn is None else turn
        if not 0 <= at <= run.turns:
            raise _no_turn(run_id, at, run.turns)
        entries = [entry for entry in timeline.entries if entry.turn <= at] if with_excerpts else []
        return timeline.at(at, selects.excerpts(connection, entries)), at


def candidate_order(db: Db, run_id: str, turn: int) -> tuple[tuple[str, float], ...]:
    """The candidates after a turn as (path, score against the task), best first."""
    tab, _ = tab_at(db, run_id, turn)
    order = tuple((candidate.path, score) for candidate, score in Reviewer(tab).candidates_by_relevance())
    return _shown(db, run_id, order)


def review_at(db: Db, run_id: str, turn: int, shown: int = SHOWN) -> tuple[ReviewRow, ...]:
    """The review as it would have been after a turn."""
    tab, _ = tab_at(db, run_id, turn, with_excerpts=True)

    def evidence(entry: Entry, requirement: Requirement) -> Evidence:
        return Evidence(entry, messages.first_matching_line(tab.texts[entry.excerpt], requirement.text))

    rows = tuple(
        ReviewRow(item.requirement, tuple(evidence(entry, item.requirement) for entry in item.entries), item.candidates)
        for item in Reviewer(tab).review(shown)
    )
    return _shown(db, run_id, rows)


def tab_row(db: Db, run_id: str, turn: int | None = None, *, redact: bool = True) -> TabRow:
    """The whole tab after a turn as rows; the last turn's without one."""
    tab, at = tab_at(db, run_id, turn)
    ranked = tuple(candidate for candidate, _ in Reviewer(tab).candidates_by_relevance())
    with open_store(db).reading() as connection:
        number = number_of(connection, run_id)
        corrections = tuple(row for row in said.correction_rows(connection, number) if row.turn <= at)
        checked = tuple(one for one in selects.checked(connection, number) if one.turn <= at)
    requirements, read_log = tuple(tab.requirements.values()), tuple(tab.read_log.values())
    row = TabRow(at, messages.status_line(tab, at), requirements, read_log, ranked, corrections, checked)
    return _shown(db, run_id, row, redact=redact)


def tab_text(db: Db, run_id: str, turn: int | None = None, *, redact: bool = True) -> str:
    """The whole tab after a turn as text; the last turn's without one."""
    tab, at = tab_at(db, run_id, turn)
    ranked = [candidate for candidate, _ in Reviewer(tab).candidates_by_relevance()]
    return _shown(db, run_id, messages.tab_text(tab, ranked, at), redact=redact)


def problems(db: Db = None, run_id: str | None = None) -> tuple[Problem, ...]:
    """The problems of the log that holds a run, or of everything that was ever loaded."""
    with open_store(db).reading() as connection:
        if run_id is None:
            return redacted(selects.problems(connection), Masks(secret_selects.of_all(connection)))
        [run] = selects.run_rows(connection, number_of(connection, run_id))
        return redacted(selects.problems(connection, run.path), Masks(secret_selects.of_log(connection, run.path)))


def export_atif(db: Db, run_id: str, *, for_judge: bool = False, redact: bool = True) -> Export:
    """A run's record as an ATIF document; for a judge without its tab, and without marks of this program's own."""
    with open_store(db).reading() as connection:
        stored = stored_run(connection, number_of(connection, run_id))
    run = Run(run_id, stored.path, stored.header, stored.turns, after=stored.after)
    judged = without_tab(run) if for_judge else None
    document = to_atif(judged.run if judged else run, marks=not for_judge)
    if not document["steps"]:
        raise UsageError(f"run {run_id}", "it has no step to export", "ATIF documents have at least one")
    return _shown(db, run_id, Export(document, judged), redact=redact)


def correct(db: Db, run_id: str, *, root: str | Kept | None = KEPT, task: str | Kept | None = KEPT) -> RunRow:
    """Say what a run's workspace root or task is, and derive its tab again from the stored record.

    What is None is derived as if nobody had corrected it. Corrections stay when the log is loaded again.
    """
    from tabcore.rederivation import derive_stored

    with open_store(db).writing() as connection:
        number = number_of(connection, run_id)
        stored = stored_run(connection, number)
        before = said.of_run(connection, stored).run
        correction = Correction(
            before.root if isinstance(root, Kept) else root, before.task if isinstance(task, Kept) else task
        )
        said.correct(connection, stored.path, stored.key, correction)
        derive_stored(connection, number, stored)
        return _run(connection, number)


def correct_decision(db: Db, run_id: str, correction: DecisionCorrection) -> RunRow:
    """Say what one call did with one file, and derive the run's tab again.

    The path is absolute or relative to the workspace root; the call's short text is filled in. Kept are all corrections,
    the latest counts; they stay when the log is loaded again, grown or from another place. Refused where nothing can
    have been captured, since the call has no result or is an operation of the tab, and where nothing is to be taken back.
    """
    from tabcore.rederivation import derive_stored

    with open_store(db).writing() as connection:
        number = number_of(connection, run_id)
        stored = stored_run(connection, number)
        [run] = selects.run_rows(connection, number)
        place = f"run {run.run_id}, turn {correction.turn}, call {correction.call + 1}"
        full = _placed(stored, run, correction, place)
        if full.kind == "as captured":
            known = {(one.turn, one.call, one.path) for one in said.of_run(connection, stored).decisions}
            if (full.turn, full.call, full.path) not in known:
                raise UsageError(place, f"nobody corrected “{correction.path}” there", "Nothing has to be taken back")
        said.add_decision(connection, stored, full)
        derive_stored(connection, number, stored)
        if said.correction_rows(connection, number)[-1].state == "does not fit":
            fact = "capture decides nothing there: the call has no result, or is an operation of the tab"
            raise UsageError(place, fact, "Correct another call")
        return _run(connection, number)


def decision_corrections(db: Db, run_id: str) -> tuple[CorrectionRow, ...]:
    """Each correction of a run's decisions, oldest first: who, when, what, what capture said, and whether it counts."""
    with open_store(db).reading() as connection:
        number = number_of(connection, run_id)
        return _masked(connection, number, said.correction_rows(connection, number))


def checked(db: Db, run_id: str) -> tuple[Checked, ...]:
    """What the record of a run itself says of files, beside what capture said."""
    with open_store(db).reading() as connection:
        number = number_of(connection, run_id)
        return _masked(connection, number, selects.checked(connection, number))


def delete(db: Db, run_id: str, *, with_corrections: bool = False) -> None:
    """Take one run out of the store, with its corrected root and task and what models were asked about it. Its log
    stays where it is.

    A run whose decisions a person corrected goes only `with_corrections`, since these are in no log.
    """
    from tabcore.store import answers, writing

    with open_store(db).writing() as connection:
        number = number_of(connection, run_id)
        stored = stored_run(connection, number)
        decisions = said.of_run(connection, stored).decisions
        if decisions and not with_corrections:
            who = ", ".join(dict.fromkeys(decision.who for decision in decisions))
            count = f"{len(decisions)} correction{'' if len(decisions) == 1 else 's'}"
            fact = f"{count} of its decisions, by {who}, would go with it"
            raise UsageError(f"run {run_id}", fact, "Delete it with its corrections if that is what you want")
        said.forget_decisions(connection, stored)
        answers.forget(connection, number)
        said.correct(connection, stored.path, stored.key, Correction())
        writing.delete(connection, [number])


def _masked(connection: selects.Connection, number: int, value: _Shown) -> _Shown:
    """Something of a run as it is given out."""
    return redacted(value, Masks(secret_selects.of_run(connection, number)))


def _shown(db: Db, run_id: str, value: _Shown, *, redact: bool = True) -> _Shown:
    """Something of a run as it is given out, when the store is closed already."""
    if not redact:
        return value
    with open_store(db).reading() as connection:
        return _masked(connection, number_of(connection, run_id), value)


def _run(connection: selects.Connection, number: int) -> RunRow:
    [row] = selects.run_rows(connection, number)
    return _masked(connection, number, row)


def _placed(stored: StoredRun, run: RunRow, correction: DecisionCorrection, place: str) -> DecisionCorrection:
    """A correction as it is kept: of a call that there is, by somebody, with an absolute path."""
    turn = next((turn for turn in stored.turns if turn.number == correction.turn), None)
    if turn is None:
        raise _no_turn(run.run_id, correction.turn, run.turns)
    if not 0 <= correction.call < len(turn.calls):
        known = f"The turn has calls 1 to {len(turn.calls)}" if turn.calls else "The turn has no calls"
        raise UsageError(place, "there is no such call", known)
    who = " ".join(correction.who.split())
    if not who:
        raise UsageError(place, "nobody is named who corrects", "State a name")
    path = correction.path.strip()
    if not path and correction.kind not in ("neither", "as captured"):
        raise UsageError(place, "no file is named", "State a path, as the tab shows it or absolute")
    file = posixpath.normpath(absolute(run.root, path)) if path else ""
    return replace(correction, path=file, who=who, command=command_text(turn.calls[correction.call]))


def _no_turn(run_id: str, turn: int, turns: int) -> UsageError:
    return UsageError(
        f"run {run_id}", f"there is no turn {turn}", f"It has turns 1 to {turns}" if turns else "It has no turns"
    )
