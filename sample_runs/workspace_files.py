"""Lays a task's workspace into a folder: as it stands in `workspaces/TASK/`, or as `workspaces/TASK.toml` spells it out.

A toml has two parts. `[files]` gives one text a path. Each `[[series]]` gives many files at once, for a workspace whose
size matters and not its words: `path` and `text` name fields in braces, `[series.over]` the words of each field, and
there is a file for every combination. The ending of a path decides its format (`office_files.office_bytes`), else it
is text.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TypedDict, cast

from sample_runs.office_files import office_bytes

HERE = Path(__file__).resolve().parent

_OFFICE = (".docx", ".xlsx", ".pdf")


class _Series(TypedDict):
    path: str
    text: str
    over: Mapping[str, str]


class _Spelled(TypedDict, total=False):
    files: Mapping[str, str]
    series: Iterable[_Series]


def lay_workspace(task: str, folder: Path) -> Path:
    """Make `folder` and put the task's workspace into it; gives `folder` back."""
    source = HERE / "workspaces" / task
    if source.is_dir():
        return Path(shutil.copytree(source, folder))
    for path, content in spelled_files(source.with_suffix(".toml")).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def spelled_files(source: Path) -> dict[str, bytes]:
    """The files of a workspace that a toml spells out, by path; raises ValueError when two have the same path."""
    spelled = cast(_Spelled, tomllib.loads(source.read_text(encoding="utf-8")))
    files: dict[str, bytes] = {}
    for path, text in [*spelled.get("files", {}).items(), *_in_series(spelled.get("series", ()))]:
        if path in files:
            raise ValueError(f"{source}: {path} stands there twice; rename one of them")
        files[path] = office_bytes(path, text.strip().splitlines()) if path.endswith(_OFFICE) else text.encode()
    return files


def _in_series(series: Iterable[_Series]) -> Iterator[tuple[str, str]]:
    for one in series:
        names = tuple(one["over"])
        for words in product(*(one["over"][name].split() for name in names)):
            fields = dict(zip(names, words, strict=True))
            yield one["path"].format(**fields), one["text"].format(**fields)
