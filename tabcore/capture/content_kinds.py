"""Whether lines look like a file of some ending: for telling alternatives apart that fit a command equally well."""

from __future__ import annotations

import posixpath
import re

_BEGINS = {
    ".csv": re.compile(r"[^,;\n]*[,;]"),
    ".tsv": re.compile(r"[^\t\n]*\t"),
    ".json": re.compile(r"\s*[\[{\"]"),
    ".jsonl": re.compile(r"\{"),
    **dict.fromkeys([".xml", ".html", ".htm", ".svg"], re.compile(r"\s*<")),
    **dict.fromkeys([".yaml", ".yml"], re.compile(r"#|---|\s*- |\s*[\w.\"'-]+:(?:\s|$)")),
    **dict.fromkeys([".ini", ".toml", ".cfg"], re.compile(r"[#;\[]|\s*[\w.-]+\s*=")),
}


def kinship(path: str, lines: list[str]) -> int:
    """1 where the first line looks like a file of the path's ending, -1 where it does not, 0 where that says nothing.

    >>> kinship("a.csv", ["day,rain"]), kinship("a.json", ["# Title"]), kinship("TODO", ["day,rain"])
    (1, -1, 0)
    """
    begins = _BEGINS.get(posixpath.splitext(path)[1].casefold())
    first = next((line for line in lines if line.strip()), None)
    if begins is None or first is None:
        return 0
    return 1 if begins.match(first) else -1
