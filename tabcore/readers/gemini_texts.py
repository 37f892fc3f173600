"""What Gemini CLI writes around a tool's result and into a prompt.

After google-gemini/gemini-cli: `tools/shell.ts`, `tools/read-file.ts`, `ui/hooks/atCommandProcessor.ts`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tabcore.trajectory import Span


class Frame(NamedTuple):
    """What of a result is not the tool's, and what those words tell."""

    spans: tuple[Span, ...] = ()
    exit_code: int | None = None
    cwd: str | None = None


_SHELL = re.compile(r"Command: .*?\nDirectory: ([^\n]*)\n(?:Output|Stdout): ", re.DOTALL)
_NOTHING = re.compile(r"\n(?:Error|Stderr): \(none\)(?=\n|\Z)")
_LABEL = re.compile(r"\n(?:Error|Stderr): ")
_EXIT = re.compile(r"(?:\n(?:Exit Code|Signal|Background PIDs|Process Group PGID|PGID): [^\n]*)+\Z")
_CODE = re.compile(r"\nExit Code: (-?\d{1,9})")
_CUT = re.compile(
    r"\s*IMPORTANT: The file content has been truncated\.\n.*?\n--- FILE CONTENT \(truncated\) ---\n", re.DOTALL
)


def result_frame(text: str) -> Frame:
    """The labels of a command's result and the note on a cut file, as spans.

    >>> frame = result_frame("Command: ls\\nDirectory: /w\\nOutput: a.txt\\nError: (none)\\nExit Code: 0\\nSignal: (none)")
    >>> [(span.start, span.end) for span in frame.spans], frame.exit_code, frame.cwd
    ([(0, 34), (39, 53), (53, 81)], 0, '/w')
    """
    if cut := _CUT.match(text):
        return Frame((Span(0, cut.end(), "harness", "truncation note"),))
    head = _SHELL.match(text)
    if head is None:
        return Frame()
    end = _EXIT.search(text, head.end())
    stop = end.start() if end else len(text)
    label = _NOTHING.search(text, head.end() - 1) or _LABEL.search(text, head.end() - 1)
    spans = [Span(0, head.end(), "harness", "header")]
    if label and label.start() < stop:
        spans.append(Span(label.start(), label.end(), "harness", "label"))
    spans += [Span(stop, len(text), "harness", "exit status")] if end else []
    code = _CODE.search(text, stop)
    where = head.group(1)
    return Frame(tuple(spans), int(code.group(1)) if code else None, where if where.startswith("/") else None)


_FILES = re.compile(r"\n--- Content from referenced files ---.*(?:\n--- End of content ---|\Z)", re.DOTALL)


def referenced(text: str) -> tuple[Span, ...]:
    """The files that the program put into a prompt for each @name in it.

    >>> referenced("Sum @a\\n--- Content from referenced files ---\\nContent from @a:\\n1\\n--- End of content ---")
    (Span(start=6, end=86, origin='harness', what='referenced files'),)
    """
    found = _FILES.search(text)
    return (Span(found.start(), found.end(), "harness", "referenced files"),) if found else ()
