"""Listings that a filter has changed: `ls -l | awk '{print $9}'`, `find | sed 's/^/- /'`. What of a line is the name?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from tabcore.capture.patterns import DEEP, STAR, expression, is_literal, literal_folder, matches, resolve
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Names

ENDING = re.compile(r"[^/.\s]\.(?=\w*[A-Za-z])[A-Za-z0-9]{1,8}$")
LEAD = re.compile(r"^(?:[\s\-*•>|+│├└─`]+(?=\S)|(?:\d[\d.,]*[KMGTB]?[\s:.)]+)+(?=\S)|\S+=(?=\S))+")
_COLUMN = re.compile(r"^\s*(?:\d[\d.,]*[KMGTB]?\s+)+\S")
_SEPARATOR = re.compile(r"[,;|]\s*|\s+")
_FIGURES = re.compile(r"[\d.,]+[KMGTB]?|[0-9a-f]{7,64}")
_NO_NAME = re.compile(r"[\t<>|:;{}=]|, |\. |\s{2,}|[.,!]$|^[-#*]+\s|^total \d+$")


def plausible(text: str) -> bool:
    """True for a line that may well be a name and nothing else.

    >>> plausible("offer letter - v2.docx"), plausible("Dear Sir, I write"), plausible("CHECKLIST")
    (True, False, True)
    """
    if not text or len(text) > 255 or _NO_NAME.search(text):
        return False
    return ENDING.search(text) is not None or re.search(r"[\s,\"'()]", text) is None


def fits_any(printed: tuple[str, ...], text: str) -> bool:
    """True when the text fits one of the patterns, with or without a closing slash."""
    bare = text.rstrip("/") or text
    return any(matches(pattern, text) or matches(pattern, bare) or pattern.rstrip("/") == bare for pattern in printed)


def fitting(printed: tuple[str, ...]) -> Callable[[str], bool] | None:
    """`fits_any` for many texts, made once; None when there is no pattern."""
    if not printed:
        return None
    below = tuple(pattern[: -len(DEEP + STAR)] for pattern in printed if pattern.endswith(DEEP + STAR))
    leads = tuple(lead for lead in below if is_literal(lead))
    rest = tuple(
        pattern
        for pattern in printed
        if not (pattern.endswith(DEEP + STAR) and is_literal(pattern[: -len(DEEP + STAR)]))
    )
    return lambda text: text.startswith(leads) or fits_any(rest, text)


def keeps_layout(names: Names) -> bool:
    """True for a form in which a line that fits it can be nothing else."""
    return names.form not in ("ls", "words", "inline", "literal") or "l" in names.options


def filtered_entries(names: Names, lines: list[str], facts: Facts) -> Iterator[tuple[str, bool]]:
    """Absolute paths that the changed lines name, with whether each is marked as a folder."""
    folder = names.folders[0] if names.form == "ls" and len(names.folders) == 1 and is_literal(names.folders[0]) else ""
    base = resolve(names.base, folder) if folder else names.base
    texts = [line.strip() for line in lines if line.strip()]
    lead = _common_lead(texts)
    numbered = bool(texts) and all(_COLUMN.match(text) for text in texts)
    telling = tuple(pattern for pattern in names.printed if len(pattern.replace(STAR, "").replace(DEEP, "")) > 2)
    for text in texts:
        for choice in _choices(text, lead, numbered, "l" in names.options):
            path = _placed(choice, base, names, facts)
            if path is not None and (not telling or _fits(choice, telling)):
                yield path, choice.endswith("/")
                break
        else:
            yield from _within(text, telling, base, names, facts)


def _choices(text: str, lead: str, numbered: bool, long: bool) -> list[str]:
    """What may be the name in a line, the likeliest first."""
    if lead and text.startswith(lead):
        found = [text[len(lead) :]]
    elif numbered:
        found = [LEAD.sub("", text), text.rpartition(" ")[2]]
    else:
        found = [text, LEAD.sub("", text), *([text.rpartition(" ")[2]] if long else [])]
    return [
        stripped for choice in found if (stripped := choice.strip().strip("'\"`,")) and not _FIGURES.fullmatch(stripped)
    ]


def _fits(text: str, telling: tuple[str, ...]) -> bool:
    """True when the text is what a pattern prints, or the last part of it."""
    return fits_any(telling, text) or any(
        matches(posixpath.basename(pattern).replace(DEEP, ""), text) for pattern in telling
    )


def _within(text: str, telling: tuple[str, ...], base: str, names: Names, facts: Facts) -> Iterator[tuple[str, bool]]:
    """Names beside other things in a line: by a pattern, or as a list of words that all end as files do."""
    for pattern in telling:
        match = re.search(rf"(?:^|[\s'\"(])({expression(pattern).pattern}?)(?=$|[\s'\",:)])", text)
        if match is not None and not _FIGURES.fullmatch(match.group(1)):
            yield resolve(names.base, match.group(1)), match.group(1).endswith("/")
            return
    words = [word for word in _SEPARATOR.split(text) if word]
    if len(words) > 1 and all(ENDING.search(word) for word in words):
        for word in words:
            path = _placed(word, base, names, facts)
            if path is not None:
                yield path, False


def _common_lead(texts: list[str]) -> str:
    """What a filter has put before every line: marks and blanks that all lines begin with."""
    if len(texts) < 2:
        return ""
    match = re.match(r"[-*•>+|#=\s]+", texts[0])
    return match.group() if match and all(text.startswith(match.group()) for text in texts) else ""


def _placed(text: str, base: str, names: Names, facts: Facts) -> str | None:
    """The absolute path that a changed name stands for; None when it is none, or its folder cannot be told."""
    direct = resolve(base, text)
    if direct in facts.workspace.files or direct in facts.listed or direct in facts.workspace.directories:
        return direct
    if not plausible(text) or (ENDING.search(text) and "," in text):
        return None
    if "/" in text or names.form not in ("plain", "counts", "hashes", "kinds", "sizes", "tree"):
        return direct
    if text in names.printed:
        return direct
    alike = [path for path in facts.workspace.files if path.endswith("/" + text)]
    if len(alike) == 1:
        return alike[0]
    folders = {literal_folder(pattern) for pattern in names.printed} - {"", "."}
    if len(folders) == 1:
        return resolve(names.base, posixpath.join(folders.pop(), text))
    return None
