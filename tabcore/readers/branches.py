"""Which records of a log lie on the branch that the record kept.

Pi (version 3) and Claude Code write a tree: each record names its parent, and going back in a conversation opens a
second child. The live branch is that of the last record in which the agent or a person speaks. A record beside it is
abandoned only when its side branch holds words of its own: the parts of one response, the results of parallel
calls and the harness's notes branch off too and are live.

Built from ids alone in a first pass over the log, since a fork shows only when its second child comes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

Voice = Literal["agent", "person", "none"]
"""Who speaks in a record: a piece of a response, a person's prompt, or neither."""


class Side(NamedTuple):
    """A record off the live branch: which branch it lies on, and the number of the turn there that it belongs to,
    or leads to.
    """

    branch: int
    turn: int


class Tree:
    """The tree of one chain of records."""

    def __init__(self) -> None:
        self.repeated: set[tuple[int, int]] = set()
        self._index: dict[str, int] = {}
        self._parents = array("q")
        self._places = array("q")
        self._lengths = array("q")
        self._voices = bytearray()
        self._responses: list[str | None] = []
        self._dangling: dict[int, str] = {}
        self._last: str | None = None
        self._forked = False

    def add(
        self,
        line: int,
        place: int,
        ident: str | None,
        parent: str | None,
        voice: Voice,
        response: str | None,
        length: int,
        is_root: bool = False,
    ) -> None:
        """Takes a record, in the log's order; one that stood there before (same id, response, length) is `repeated`.

        `line` and `place` say where it stands, `response` is the id that the pieces of one response share,
        `is_root` that the record says it has no parent.
        """
        number = len(self._parents)
        own = response if voice == "agent" else None
        if ident is not None:
            earlier = self._index.setdefault(ident, number)
            if earlier != number and self._responses[earlier] == own and self._lengths[earlier] == length:
                self.repeated.add((line, place))
                return
        if parent is not None and parent == self._last:
            above = number - 1
        else:
            above = self._parent_of(number, parent, is_root and voice == "person")
            self._forked |= above != number - 1
        self._parents.append(above)
        self._places.append(line << _PLACE_BITS | place)
        self._lengths.append(length)
        self._voices.append(_VOICES[voice])
        self._responses.append(own)
        self._last = ident

    def __contains__(self, ident: str | None) -> bool:
        return ident in self._index

    def sides(self) -> dict[tuple[int, int], Side]:
        """The abandoned records, by line and place; empty for a log without a fork."""
        if not self._forked:
            return {}
        self._resolve_forward()
        order = self._by_descent()
        turns, news = self._turns(order)
        live = self._live(order, turns)
        branches = self._branches(order, live)
        abandoned = {branches[number] for number in order if branches[number] >= 0 and news[number]}
        return {
            (self._places[number] >> _PLACE_BITS, self._places[number] & (1 << _PLACE_BITS) - 1): Side(
                branches[number], turns[number] + (self._voices[number] != _VOICES["agent"])
            )
            for number in order
            if branches[number] in abandoned
        }

    def _parent_of(self, number: int, parent: str | None, opens: bool) -> int:
        """The parent's number. A record that names none, or one that is not in the log, follows the one before it;
        only a person's prompt without a parent opens a second tree, beside one that a prompt opened too.
        """
        if parent is not None:
            known = self._index.get(parent, number)
            if known != number:
                return known
            self._dangling[number] = parent
        elif opens and number and self._voices[0] == _VOICES["person"]:
            return -1
        return number - 1

    def _resolve_forward(self) -> None:
        """A parent that stands later in the log is found now."""
        for number, parent in self._dangling.items():
            if parent in self._index:
                self._parents[number] = self._index[parent]

    def _by_descent(self) -> list[int]:
        """All records, each after its parent; records in a circle start a descent of their own."""
        order: list[int] = []
        state = bytearray(len(self._parents))
        for start in range(len(self._parents)):
            path = []
            number = start
            while number >= 0 and state[number] == 0:
                state[number] = 1
                path.append(number)
                number = self._parents[number]
            if path and number in path:
                self._parents[path[-1]] = -1
            order.extend(reversed(path))
        return order

    def _live(self, order: list[int], turns: array[int]) -> bytearray:
        """1 for each record on the way from the live branch's end to its root."""
        live = bytearray(len(self._parents))
        number = self._end(order, turns)
        while number >= 0 and not live[number]:
            live[number] = 1
            number = self._parents[number]
        return live

    def _end(self, order: list[int], turns: array[int]) -> int:
        """The last spoken record; where lines are out of order, the deepest that descends from it."""
        silent = _VOICES["none"]
        spoken = [number for number, voice in enumerate(self._voices) if voice != silent]
        end = spoken[-1] if spoken else len(self._parents) - 1
        below = bytearray(len(self._parents))
        below[end] = 1
        for number in order:
            parent = self._parents[number]
            if parent >= 0 and below[parent]:
                below[number] = 1
                if self._voices[number] != silent and turns[number] > turns[end]:
                    end = number
        return end

    def _turns(self, order: list[int]) -> tuple[array[int], bytearray]:
        """Each record's turn number on its own branch, and 1 where it says something new."""
        turns, news = array("q", bytes(8 * len(order))), bytearray(len(order))
        nearest: list[str | None] = [None] * len(order)
        for number in order:
            parent = self._parents[number]
            turn, response = (turns[parent], nearest[parent]) if parent >= 0 else (0, None)
            own = self._responses[number]
            if self._voices[number] == _VOICES["person"]:
                news[number] = 1
            elif own is not None and own != response:
                news[number], turn, response = 1, turn + 1, own
            turns[number], nearest[number] = turn, response
        return turns, news

    def _branches(self, order: list[int], live: bytearray) -> array[int]:
        """For a record off the live branch the number of the record that left it; -1 for a live one."""
        branches = array("q", bytes(8 * len(order)))
        for number in order:
            parent = self._parents[number]
            if live[number]:
                branches[number] = -1
            else:
                branches[number] = branches[parent] if parent >= 0 and branches[parent] >= 0 else number
        return branches


class Forest:
    """The trees of a log, one a chain."""

    def __init__(self) -> None:
        self._trees: dict[str, Tree] = {}

    def tree(self, chain: str = "") -> Tree:
        """The tree of a chain; "" is the main one."""
        tree = self._trees.get(chain)
        if tree is None:
            tree = self._trees[chain] = Tree()
        return tree

    def repeated(self) -> set[tuple[int, int]]:
        """The records that stood in the log before."""
        return {where for tree in self._trees.values() for where in tree.repeated}

    def sides(self) -> dict[tuple[int, int], Side]:
        """The abandoned records of all chains."""
        return dict(self._all_sides())

    def _all_sides(self) -> Iterator[tuple[tuple[int, int], Side]]:
        for tree in self._trees.values():
            yield from tree.sides().items()


def still_holds(known: Mapping[tuple[int, int], object], now: Mapping[tuple[int, int], object], first: int) -> bool:
    """True when what is known now of the lines before `first` is what was known of them.

    >>> still_holds({(2, 0): "a"}, {(2, 0): "a", (9, 0): "b"}, 5), still_holds({}, {(2, 0): "a"}, 5)
    (True, False)
    """
    return known == {where: found for where, found in now.items() if where[0] < first}


_PLACE_BITS = 24
_VOICES: dict[Voice, int] = {"none": 0, "agent": 1, "person": 2}
