"""runningtab's core: recorded agent runs, and the tab that stands beside each of them.

    import tabcore

    [run, *_] = tabcore.load("runs/x.jsonl")     # the runs of one log, in memory
    tab = run.tab_at(8)                          # the tab as it stood after turn 8
    print(tab.text)                              # requirements, read log, ranked candidates

Where things are, in the order in which to read them:

    errors.py       what can go wrong (exceptions), what is wrong with data (Problem)
    trajectory.py   what a recorded run is
    source.py       what a reader sees of the outside
    readers/        a harness's log -> runs
    bundles/        what lies beside a log: task, rubrics, verdicts, deliverables
    capture/        (tool call, observation) -> what was read, listed, written
    tab/            the tab: requirements, read log, candidates
    text/           terms, values, masking
    memory.py       runs in memory, with their tab
    documents/      a file -> its text, and where each piece of it sits
    delivered.py    what a run delivered, where no file lies beside its log
    derivation.py   a log's pieces -> rows; discovery.py: paths -> files; ingest.py: both, into the store
    partitions.py   logs -> a dataset of Parquet files, by processes or a cluster
    archives.py     archives and packed logs -> private files; received.py: standard input
    lean.py         a process that only loads is kept small
    secrets.py      pasted keys and tokens, found at load; secret_rules.py: by which rules; redaction.py: masked
    language_models.py: the one door to a language model, at whatever endpoint a person names
    watching.py     folders of growing logs; following.py: one of them; growth.py: its bytes
    store/          the DuckDB file; rows.py: what comes out of it
    rebuilding.py   a damaged or older store -> one of this version, from its logs
    analyses/       one question a file: rows -> answer
    rerun.py        what pages and commands call; questions.py, tables.py: the analyses on what is stored
    querying.py     a person's own SQL, in a process that may read the store and nothing else; the store as Parquet
    searching.py    words in all runs
    labelling.py    types of failures: proposed, labelled, compared; annotating.py: by a model
    recovery.py     masked recovery: asks models, keeps every answer, goes on where it stopped
    agent/          a live agent with a tab; journal.py: the log of a live tab; serving/: the tab for other people's agents
    presentation/   rows -> pictures
    cli.py          the command line; commands/: its larger commands, and how all print
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabcore.memory import LoadedRun, TabView

__all__ = ["LoadedRun", "TabView", "load"]


def load(path: str) -> tuple[LoadedRun, ...]:
    """The recorded runs of one log, whole and in memory; no store is needed.

    Raises `errors.UnreadableSource` or `errors.UnknownFormat`, which say what to do; other faults of the log are
    in `run.record.problems`.
    """
    from tabcore.memory import read_runs

    return read_runs(str(path))


def __getattr__(name: str) -> object:
    if name in {"LoadedRun", "TabView"}:
        from tabcore import memory

        return getattr(memory, name)
    raise AttributeError(f"module 'tabcore' has no attribute {name!r}")
