"""What Cline sends to the model as a user's text -> the results and the environment in it.

After cline/cline, `core/prompts/responses.ts`: each result opens with "[tool for 'x'] Result:", the environment stands
in a tag at the end.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Result(NamedTuple):
    """One tool's result as the model was sent it."""

    tool: str
    text: str
    is_error: bool = False


class Sent(NamedTuple):
    """What a user's text to the model held besides words."""

    results: tuple[Result, ...] = ()
    environment: str = ""


_RESULT = re.compile(r"^\[(\w+)(?: for '[\s\S]{0,2000}?')?\] Result:\s*", re.MULTILINE)
_ENVIRONMENT = re.compile(r"\s*<environment_details>\n?(.*?)\n?</environment_details>\s*", re.DOTALL)
_FAILED = re.compile(r"The tool execution failed with the following error:|<error>|Error executing ")


def sent(text: str) -> Sent:
    """Results and environment of a text; nothing for a text without them.

    >>> sent("[read_file for 'a.txt'] Result:\\n\\none\\n\\n<environment_details>\\n# Time\\n</environment_details>")
    Sent(results=(Result(tool='read_file', text='one', is_error=False),), environment='# Time')
    >>> sent("<task>Sum</task>")
    Sent(results=(), environment='')
    """
    environment = _ENVIRONMENT.search(text)
    told = environment.group(1) if environment else ""
    body = text[: environment.start()] + text[environment.end() :] if environment else text
    heads = list(_RESULT.finditer(body)) if _RESULT.match(body.lstrip()) else []
    ends = [head.start() for head in heads[1:]] + [len(body)]
    results = tuple(_result(head.group(1), body[head.end() : end]) for head, end in zip(heads, ends, strict=False))
    return Sent(results, "" if told.strip() in ("", "Loading...") else told)


def _result(tool: str, text: str) -> Result:
    words = text.strip("\n")
    return Result(tool, words, bool(_FAILED.match(words)))
