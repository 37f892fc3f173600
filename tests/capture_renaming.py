"""A gold case under other names: every path, file and the root renamed alike in arguments, observation and answer.

A name is changed word by word (`budget_2024-01.csv` has one word, `budget`), each in its last letter (of other scripts each
character), so that its length, its ending and nearly its place in a sorted listing stay, and globs, braces and built paths go
along. A word that capture itself knows (a program, an option, a harness's phrase: the words in the literals of its source) is
changed only within the whole name of a file.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from score_capture import KINDS, Case

import tabcore.capture

ROOT, NEW_ROOT = "/workspace", "/homestead"
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"(?P<stem>[\w.-]*[a-zA-Z])(?P<ending>\.\w+)")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Renaming:
    """What each word becomes."""

    words: dict[str, str]

    def text(self, text: str) -> str:
        """A text with the words and the root renamed."""
        text = re.sub(rf"{ROOT}(?![A-Za-z0-9_-])", NEW_ROOT, text)
        for old, new in self.words.items():
            if not old.isascii():
                text = text.replace(old, new).replace(_octal(old), _octal(new))
            elif old in text:
                text = re.sub(rf"(?:(?<![^\W\d_])|(?<=\\[nt])){re.escape(old)}(?![^\W\d_])", new, text)
        return text

    def whole(self, case: Case) -> bool:
        """True when each path of the case's answer has another name."""
        return all(self.text(path) != path for kind in KINDS for path in case[kind])

    def value(self, value: Any) -> Any:
        """A value of JSON with its texts renamed, its keys kept."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(item) for item in value]
            case dict():
                return {key: self.value(item) for key, item in value.items()}
            case _:
                return value

    def case(self, case: Case) -> Case:
        """The case, renamed; what names no path is kept."""
        kept = {"id", "family", "tool", "is_error", "note", "rules", "difficulty", "harness", "sequence", "step"}
        made = {key: value if key in kept else self.value(value) for key, value in case.items()}
        return {**made, "root": NEW_ROOT}


def _octal(text: str) -> str:
    """The text as git and find escape it."""
    return "".join(f"\\{byte:03o}" for byte in text.encode())


@cache
def known_words() -> frozenset[str]:
    """Words in the literals of capture's source, and those of Python."""
    found: set[str] = {*keyword.kwlist, *dir(builtins)}
    for file in Path(tabcore.capture.__file__).parent.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                found |= set(_WORD.findall(re.sub(r"\\[a-zA-Z]", " ", node.value)))
    return frozenset(word.lower() for word in found)


def paths_of(case: Case) -> list[str]:
    """The paths in a case's answer, and its folder."""
    answers = [path for kind in KINDS for path in (*case[kind], *case.get(f"optional_{kind}", ()))]
    state = [path for part in case.get("state_after", {}).values() for path in part]
    return [*answers, *state, case["cwd_before"].removeprefix(ROOT), case["cwd_after"].removeprefix(ROOT)]


def words_of(path: str) -> Iterator[str]:
    """The words of a path that may be renamed: the ending of a file's name is none."""
    for part in path.split("/"):
        stem = re.sub(r"(?<=.)(?:\.[A-Za-z]\w{0,6}){1,2}$", "", part)
        for word in _WORD.findall(stem):
            yield from [word] if word.isascii() and len(word) > 1 else [c for c in word if not c.isascii()]


def renaming(cases: list[Case]) -> Renaming:
    """The renaming of cases that belong together; a new word occurs nowhere in them."""
    everything = str(cases)
    found: dict[str, str] = {}
    for path in dict.fromkeys(path for case in cases for path in paths_of(case)):
        words = [word for word in words_of(path) if word.lower() not in known_words()]
        name = _NAME.fullmatch(path.rpartition("/")[2])
        for word in words:
            if word not in found:
                found[word] = _other(word, everything, set(found.values()))
        if not words and name is not None:
            found[name.group()] = _other(name["stem"], everything, set(found.values())) + name["ending"]
    return Renaming(dict(sorted(found.items(), key=lambda pair: -len(pair[0]))))


def _other(word: str, text: str, taken: set[str]) -> str:
    """The word with another last letter; a letter by itself twice."""
    if len(word) == 1 and word.isascii():
        return word * 2
    last = word[-1]
    if last.lower() in _ALPHABET:
        place = _ALPHABET.index(last.lower())
        others = [_ALPHABET[(place + step) % 26] for step in range(1, 26)]
        letters = [other.upper() if last.isupper() else other for other in others]
    else:
        letters = [chr(ord(last) + step) for step in range(1, 40) if chr(ord(last) + step).isalpha()]
    for letter in letters:
        new = word[:-1] + letter
        if new not in text and new not in taken and new.lower() not in known_words():
            return new
    raise ValueError(f"no other word for {word!r}")
