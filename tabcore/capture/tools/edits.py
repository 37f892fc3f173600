"""Edits of files whose text is known, carried out: replaced words, and the hunks of a patch.

Where an edit does not fit the known text, the text is not known any more: None, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tabcore.trajectory import Json

_OLD = ("old_string", "old_str", "oldText", "search", "old_text", "oldString")
_NEW = ("new_string", "new_str", "newText", "replace", "new_text", "newString")


def replaced(text: str, arguments: Mapping[str, Json]) -> str | None:
    """The text after the replacements that an edit tool's arguments name, one or a list of them.

    >>> replaced("a 1 b", {"old_str": "1", "new_str": "2"}), replaced("a", {"old_str": "x", "new_str": "y"})
    ('a 2 b', None)
    """
    edits = arguments.get("edits")
    several = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    changed: str | None = text
    for edit in several or [dict(arguments)]:
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        if changed is None or not old or new is None or old not in changed:
            return None
        everywhere = edit.get("replace_all") is True or edit.get("replaceAll") is True
        changed = changed.replace(old, new) if everywhere else changed.replace(old, new, 1)
    return changed


def _first(arguments: Mapping[str, Json], names: Iterable[str]) -> str | None:
    return next((value for name in names if isinstance(value := arguments.get(name), str)), None)


def patched(text: str, hunks: Iterable[str]) -> str | None:
    """The text after the lines of a patch's update: ` ` stays, `-` goes, `+` comes; `@@` begins another hunk.

    >>> patched("one\\ntwo\\nthree\\n", ["@@", " one", "-two", "+2"])
    'one\\n2\\nthree\\n'
    """
    changed = text
    for before, after in _hunks(hunks):
        old, new = "\n".join(before), "\n".join(after)
        if not before:
            changed = changed.rstrip("\n") + "\n" + new + "\n"
        elif old in changed:
            changed = changed.replace(old, new, 1)
        else:
            return None
    return changed


def _hunks(lines: Iterable[str]) -> Iterable[tuple[list[str], list[str]]]:
    before: list[str] = []
    after: list[str] = []
    for line in (*lines, "@@"):
        if line.startswith("@@"):
            if before or after:
                yield before, after
            before, after = [], []
            continue
        if not line.startswith("+"):
            before.append(line[1:])
        if not line.startswith("-"):
            after.append(line[1:])
