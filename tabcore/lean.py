"""A process that only loads is kept small: no pandas, and memory that is free goes back to the system."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from importlib.abc import MetaPathFinder

import pyarrow as pa

_M_TRIM_THRESHOLD = -1
_FREE = 1 << 20
"""Bytes at the end of the heap that may lie free."""


def keep_small() -> None:
    """Make this process one that only loads. One that shows data frames must not call this.

    pyarrow looks for pandas when it makes its first array, which costs 0.3 s and 40 MB, so this comes before any; its
    own pool and the C library keep what was freed, 30 MB each in a long load.
    """
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
    pa.set_memory_pool(pa.system_memory_pool())
    with suppress(OSError, AttributeError):  # a C library without it keeps what it keeps
        ctypes.CDLL(None).mallopt(_M_TRIM_THRESHOLD, _FREE)


class _NoPandas(MetaPathFinder):
    @classmethod
    def find_spec(cls, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
