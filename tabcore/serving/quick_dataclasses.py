"""Dataclasses that are made quickly, for a process that lives for a tenth of a second.

The standard decorator writes and compiles six functions a class; of the hundred classes that a hook imports that is a
third of its time. Here one is compiled, and the others are shared: equality and hash are the same, a repr is the default
one, and nothing but good manners keeps a frozen instance as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import Any

_whole = dataclasses.dataclass


def use() -> None:
    """Make the dataclasses of all modules that are imported from now on in this way."""
    dataclasses.dataclass = quick


def quick(cls: type | None = None, /, *, eq: bool = True, frozen: bool = False, **more: Any) -> Any:
    """The decorator, in the place of `dataclasses.dataclass`."""

    def made(plain: type) -> type:
        more.pop("repr", None)
        whole: type = _whole(plain, repr=False, eq=False, **more)
        if eq:
            _compare(whole, frozen)
        return whole

    return made if cls is None else made(cls)


def _compare(cls: Any, frozen: bool) -> None:
    names = [one.name for one in dataclasses.fields(cls) if one.compare]
    values: Callable[[object], object] = attrgetter(*names) if names else lambda _: ()

    def equal(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or values(self) == values(other)

    cls.__eq__ = equal
    cls.__hash__ = (lambda self: hash(values(self))) if frozen else None
