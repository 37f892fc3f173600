"""Which texts of a load hold secrets, and which runs name them: rows of the table `secrets`.

A text is looked at once, when it comes in; whatever turn names it afterwards gets its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

from tabcore import secrets
from tabcore.secrets import Secret
from tabcore.store.texts import restored

SecretRow: TypeAlias = "tuple[int, int, int, bytes, int, int, str]"
"""run, turn, abandoned, text, first character, character after the last, kind."""

_NAMED: Mapping[str, tuple[int, ...]] = {"turns": (3, 5), "messages": (4,), "calls": (8,), "observations": (4,)}
"""Where the rows of a table, which all begin with run, turn and abandoned, name texts."""

_DELIVERED = 4


class SecretFinder:
    """Finds secrets in the texts of a load, chunk after chunk."""

    def __init__(self) -> None:
        self._found: dict[bytes, tuple[Secret, ...]] = {}

    def rows(
        self,
        texts: pa.Table | None,
        rows: Mapping[str, Sequence[tuple[object, ...]]],
        stated: Iterable[tuple[int, int, int, bytes]],
    ) -> list[SecretRow]:
        """The rows for a chunk: its new texts, all its rows by table, and what else names texts."""
        if texts is not None:
            self._look(texts)
        if not self._found:
            return []
        others = (row for run, turn, abandoned, text in stated for row in self._of(run, turn, abandoned, (text,)))
        return list(dict.fromkeys((*self._named(rows), *others)))

    def _look(self, texts: pa.Table) -> None:
        column = texts["text"]
        for place in secrets.suspects(column):
            if found := secrets.find(restored(column[place].as_py())):
                self._found[texts["digest"][place].as_py().bytes] = found

    def _named(self, rows: Mapping[str, Sequence[tuple[object, ...]]]) -> Iterator[SecretRow]:
        for table, places in _NAMED.items():
            for row in rows.get(table, ()):
                yield from self._of(row[0], row[1], row[2], (row[place] for place in places))
        for row in rows.get("deliverables", ()):
            yield from self._of(row[0], 0, 0, (row[_DELIVERED],))

    def _of(self, run: object, turn: object, abandoned: object, texts: Iterable[object]) -> Iterator[SecretRow]:
        for text in texts:
            for secret in self._found.get(text, ()):  # type: ignore[call-overload]
                yield run, turn, abandoned, text, secret.start, secret.end, secret.kind  # type: ignore[misc]
