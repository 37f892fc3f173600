"""Which names a loop ran over, told by what it printed: headings, names beside something else, files seen before."""

from __future__ import annotations

import posixpath
import re

from tabcore.capture.filtered_lines import ENDING, plausible
from tabcore.capture.listings import looks_like_path
from tabcore.capture.patterns import DEEP, STAR, UNKNOWN, expression, is_literal, is_unknown, resolve
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Content, Loop, Names, Show, Stream, Text


def loop_headings(show: Loop, symbolic: dict[str, Stream], lines: list[str], facts: Facts) -> list[tuple[str, str]]:
    """Names that the body prints on a line of its own, each with the absolute path that stands there."""
    templates: list[tuple[re.Pattern[str], str, bool, bool, bool]] = []
    for value, stream in symbolic.items():
        for part in stream:
            text = _spoken_pattern(part)
            if text and not is_literal(text):
                template = _template(text, value)
                if template is not None:
                    templates.append((template[0], value, template[1], isinstance(part, Names), UNKNOWN in text))
    found: dict[tuple[str, str], None] = {}
    for line in lines if templates else ():
        for pattern, value, whole, alone, tail in templates:
            match = pattern.fullmatch(line.rstrip("\r"))
            if match is None and alone and len(value.replace(STAR, "")) > 3:
                match = re.search(pattern.pattern + "$", line)
            if match is None or not match["name"].strip():
                continue
            name, place = match["name"], match["path"]
            if tail and not (ENDING.search(name) or resolve(show.base, name) in facts.workspace.files):
                shorter = re.match(pattern.pattern.replace("[^/\\n]*)", "[^/\\n]*?)") + "$", line)
                if shorter is not None and not shorter["name"].strip():
                    ends = r"[^/\n]*?\.\w{1,8}(?!\w))"
                    shorter = re.match(pattern.pattern.replace("[^/\\n]*)", ends, 1) + "$", line)
                name, place = (shorter["name"], shorter["path"]) if shorter else (name, place)
            if not whole:
                name = _completed(name, value, show, facts)
            longer = place not in (name, match["name"]) and whole
            path = resolve(show.cwd or show.base, place) if longer else resolve(show.base, name)
            if is_unknown(value) and not (looks_like_path(name) or path in facts.workspace.files):
                continue
            if name and (plausible(name) or "/" in name or path in facts.workspace.files):
                found.setdefault((name, path))
            break
    return list(found)


def _spoken_pattern(part: Show) -> str:
    """The text that a body prints with the loop's name in it."""
    if isinstance(part, Names) and part.form in ("words", "plain") and len(part.printed) == 1:
        return part.printed[0] + "\n"
    if isinstance(part, Content) and part.lead:
        return part.lead.split("\n")[0] + "\n"
    return part.text if isinstance(part, Text) else ""


def _template(text: str, value: str) -> tuple[re.Pattern[str], bool] | None:
    """An expression for the line on which a value is printed, with the group `name`; False when only its last part is."""
    line = next((line for line in text.split("\n") if not is_literal(line)), "")
    for wanted, whole in (
        (value, True),
        (posixpath.basename(value), False),
        (posixpath.splitext(posixpath.basename(value))[0], False),
        (posixpath.splitext(value)[0], False),
    ):
        if wanted and not is_literal(wanted) and wanted in line:
            head, _, tail = line.partition(wanted)
            longer = re.search(r"[^\s'\"=:(\[]*[/\ufdd1]$", head)
            lead = longer.group() if longer and whole else ""
            head = head[: len(head) - len(lead)]
            inner = expression(wanted).pattern
            anything = r"[^\n]*"
            last = anything if not text.endswith("\n") and line == text.split("\n")[-1] else ""
            path = f"(?P<path>{expression(lead).pattern}(?P<name>{inner}))"
            return re.compile(f"{expression(head).pattern}{path}{expression(tail).pattern}{last}"), whole
    return None


def _completed(name: str, value: str, show: Loop, facts: Facts) -> str:
    """The value of which only the last part, perhaps without its ending, was printed."""
    folder, ending = posixpath.dirname(value), posixpath.splitext(value)[1]
    for candidate in (name, name + ending if is_literal(ending) else name):
        known = [path for path in facts.known(resolve(show.base, value)) if posixpath.basename(path) in (candidate,)]
        if len(known) == 1:
            return known[0]
        if DEEP not in value and is_literal(folder) and (candidate.endswith(ending) or not is_literal(ending)):
            return posixpath.join(folder, candidate)
    return ""


def mentioned_values(show: Loop, symbolic: dict[str, Stream], lines: list[str]) -> list[str]:
    """Names at the start of lines, for a body that prints them beside something else."""
    found: dict[str, None] = {}
    for value in show.values:
        if is_unknown(value) or value == STAR or len(value.replace(STAR, "")) < 3:
            continue
        search = re.compile(rf"(?:^|[\s'\"(\[=>])(?P<name>{expression(value).pattern})(?=[:'\")\],\s]|$)")
        for line in lines:
            match = search.search(line)
            if match is not None and looks_like_path(match["name"].replace(" ", "_")):
                found.setdefault(match["name"])
    return list(found)


def known_values(show: Loop, facts: Facts) -> list[str]:
    """Files seen before, and known words of the loop, written as the loop would."""
    found: list[str] = []
    for value in show.values:
        if is_literal(value):
            found.append(value)
        elif value == UNKNOWN or is_unknown(value):
            continue
        else:
            found += facts.known(resolve(show.base, value))
    return found
