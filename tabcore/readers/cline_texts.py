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
    reminder: str = ""


_RESULT = re.compile(r"^\[(\w+)(?: for '[\s\S]{0,2000}?')?\] Result:(?: |\n{0,2})", re.MULTILINE)
_ENVIRONMENT = re.compile(r"(?:\n\n)?<environment_details>\n?(.*?)\n?</environment_details>\s*", re.DOTALL)
_REMINDER = re.compile(r"\n*^# (?:task_progress|TODO LIST)[^\n]*\n.*\Z", re.DOTALL | re.MULTILINE)
_TALK = frozenset(["attempt_completion", "ask_followup_question", "plan_mode_respond", "new_task"])
_FAILED = re.compile(r"The tool execution failed with the following error:|<error>|Error executing ")


def sent(text: str) -> Sent:
    """Results of tools, the environment and the program's reminder in a text; nothing for a text without them.

    What a person answered to a question or a finished task is no tool's result, though it opens like one.

    >>> sent("[read_file for 'a.txt'] Result:\\n  one\\n\\n\\n<environment_details>\\n# Time\\n</environment_details>")
    Sent(results=(Result(tool='read_file', text='  one\\n', is_error=False),), environment='# Time', reminder='')
    >>> sent("[attempt_completion] Result: Done\\n\\n# task_progress RECOMMENDED\\nDo").reminder
    '# task_progress RECOMMENDED\\nDo'
    >>> sent("<task>Sum</task>")
    Sent(results=(), environment='', reminder='')
    """
    environment = _ENVIRONMENT.search(text)
    told = environment.group(1) if environment else ""
    body = text[: environment.start()] + text[environment.end() :] if environment else text
    reminder = _REMINDER.search(body)
    body = body[: reminder.start()] if reminder else body
    heads = list(_RESULT.finditer(body)) if _RESULT.match(body) else []
    ends = [head.start() for head in heads[1:]] + [len(body)]
    results = tuple(
        _result(head.group(1), body[head.end() : end].removesuffix("\n\n" if end < len(body) else ""))
        for head, end in zip(heads, ends, strict=False)
        if head.group(1) not in _TALK
    )
    shown = "" if told.strip() in ("", "Loading...") else told
    return Sent(results, shown, reminder.group().strip("\n") if reminder else "")


def _result(tool: str, text: str) -> Result:
    return Result(tool, text, bool(_FAILED.match(text)))
