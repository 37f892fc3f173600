"""What can go wrong, as exceptions, and what is wrong with data, as values.

    RunningTabError
    ├── UsageError          the caller asked for something that cannot be (a bad option, an unknown run)
    ├── UnreadableSource    a file, folder or archive cannot be opened at all
    ├── UnknownFormat       no reader recognises a file, or two of them claim it
    ├── StoreError
    │   ├── StoreBusy       another process holds the store
    │   └── StoreVersion    the store is from another version of the program
    ├── ModelError          a language model did not answer
    │   └── ModelUnusable   and asking it further is vain: nobody there, a wrong key, no such model
    ├── JournalError        the log of a live tab cannot be opened or written
    └── TabRefusal          the tab declines an operation; the agent is told why

Bad use raises. Bad data never does: it becomes a `Problem`, work goes on, and the person sees the list.
"""

from __future__ import annotations

from dataclasses import dataclass


class RunningTabError(Exception):
    """One sentence that says where, what and what to do about it."""

    def __init__(self, place: str, fact: str, remedy: str) -> None:
        super().__init__(f"{place}: {fact}. {remedy}")
        self.place = place
        self.fact = fact
        self.remedy = remedy


class UsageError(RunningTabError):
    """The caller asked for something that cannot be."""


class UnreadableSource(RunningTabError):
    """A file, folder or archive cannot be opened at all."""


class UnknownFormat(RunningTabError):
    """No reader recognises a file, or two of them claim it."""


class StoreError(RunningTabError):
    """The DuckDB store cannot do what was asked."""


class StoreBusy(StoreError):
    """Another process holds the store, and the bounded wait is over."""


class StoreVersion(StoreError):
    """The store was written by another version of the program."""


class ModelError(RunningTabError):
    """A language model did not answer one prompt; others it may."""


class ModelUnusable(ModelError):
    """An endpoint that need not be asked further: nobody there, a wrong key, no such model, no more requests."""


class JournalError(RunningTabError):
    """The log of a live tab cannot be opened or written; what it holds is whole."""


class TabRefusal(RunningTabError):
    """The tab declines an operation and has changed nothing; `fact` says why, for the agent to read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a log, and what was done about it.

    `line` counts from 1; 0 when the whole file is meant. `lost` is true when content could not be
    read, false when it was read in spite of the fault. `kind` is a short stable word for counting
    ("torn line", "orphan result").
    """

    file: str
    line: int
    kind: str
    what: str
    done: str
    lost: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.what}; {self.done}"
