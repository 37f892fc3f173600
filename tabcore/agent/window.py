"""What of a conversation is sent to the model: the levels of runtime context management, applied.

Which results leave, and when, is told by `tab/context_window.py`, which tells it of a recorded run too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tabcore.agent.models import Entry, Response, ToolResult, UserText
from tabcore.tab.context_window import Level, cleared_from
from tabcore.tab.messages import CLEARED, summary_block, truncated
from tabcore.trajectory import Observation


def cut(observation: Observation, level: Level) -> Observation:
    """An observation as the level lets it be made.

    >>> cut(Observation("1", "abcdef"), Level(4, None)).text
    'abcd\\n[...truncated, 2 chars omitted]'
    """
    if level.cap is None or len(observation.text) <= level.cap:
        return observation
    return replace(observation, text=truncated(observation.text, level.cap))


def left_before(conversation: Sequence[Entry], level: Level) -> int:
    """How many turns, from the first, have no results in the next request."""
    lengths = _lengths(conversation)
    if cleared_from(lengths, level) is None:
        return 0
    return max(0, len(lengths) - level.kept_responses)


def request(conversation: Sequence[Entry], left: int, summary: str = "") -> tuple[Entry, ...]:
    """The conversation as it is sent: without the results of the first `left` turns, the summary under the task."""
    sent: list[Entry] = []
    turn = 0
    for entry in conversation:
        turn += isinstance(entry, Response)
        if isinstance(entry, ToolResult) and turn <= left:
            entry = replace(entry, blocks=(CLEARED,))
        elif isinstance(entry, UserText) and turn == 0 and summary:
            entry = replace(entry, text=f"{entry.text}\n\n{summary_block(summary)}")
        sent.append(entry)
    return tuple(sent)


def _lengths(conversation: Sequence[Entry]) -> list[list[int]]:
    """For each turn the characters of its results."""
    lengths: list[list[int]] = []
    for entry in conversation:
        if isinstance(entry, Response):
            lengths.append([])
        elif isinstance(entry, ToolResult):
            lengths[-1].append(len("\n".join(entry.blocks)))
    return lengths
