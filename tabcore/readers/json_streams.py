"""The items of a list inside a large JSON document, without the document in memory. Only user of ijson."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import ijson

from tabcore.readers.base import Account
from tabcore.source import Source
from tabcore.trajectory import Json


def items(source: Source, path: str, account: Account) -> Iterator[Json]:
    """The items at `path` ("item" for a bare list, "steps.item" for the list of that name), up to the first fault.

    What cannot be read is one problem; its line is the number of the item that comes next.
    """
    count = 0
    with source.open_text() as stream:
        try:
            for item in ijson.items(stream, path, use_float=True, buf_size=1 << 20):
                count += 1
                yield cast(Json, item)
        except (ijson.JSONError, ValueError) as fault:
            what = f"the file is no JSON from here on ({str(fault).splitlines()[0][:80]})"
            account.note(count + 1, "torn document", what, "what came before was kept", lost=True)
