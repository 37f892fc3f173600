"""Logs of agent harnesses -> runs.

    base.py        what a reader is; the account that it keeps of its log
    records.py     lines -> typed records, whatever happened to the lines
    heads.py       the start of a log, looked at once for all readers
    branches.py    which records lie on the branch that the record kept
    assembly.py    records -> turns
    growing.py     a log that is read while it grows
    insertions.py  what in a text the harness or the tab put there
    json_documents.py contents.py  JSON documents, and values of no fixed shape
    conversations.py pi_messages.py  messages with roles, and Pi's, in whatever they are wrapped
    atif.py claude_code.py pi.py … one format each; none imports another
    atif_texts.py claude_layout.py what two of them need beside: calls written as text; the pass over ids
    atif_marks.py  what this program's own exports say beyond ATIF

To add a format: one module with `NAME`, `recognises()` and `read()`, and its line in READERS.
"""

from __future__ import annotations

from collections.abc import Mapping

from tabcore.errors import UnknownFormat
from tabcore.readers import (
    agent_stages,
    anthropic_messages,
    atif,
    atif_viewer,
    chat_messages,
    claude_code,
    cline,
    codex,
    copilot,
    dci_agent,
    gemini_cli,
    inspect_log,
    langfuse,
    live_tab,
    managed_agents,
    mini_swe_agent,
    openai_agents,
    openclaw,
    opencode,
    openhands,
    otel,
    pi,
    pi_stream,
    swe_agent,
    workspace_bench,
)
from tabcore.readers.base import Reader
from tabcore.readers.growing import Grower
from tabcore.readers.heads import Head
from tabcore.source import Source

READERS: tuple[Reader, ...] = (
    agent_stages,
    anthropic_messages,
    atif,
    atif_viewer,
    chat_messages,
    claude_code,
    cline,
    codex,
    copilot,
    dci_agent,
    gemini_cli,
    inspect_log,
    langfuse,
    live_tab,
    managed_agents,
    mini_swe_agent,
    openai_agents,
    openclaw,
    opencode,
    openhands,
    otel,
    pi,
    pi_stream,
    swe_agent,
    workspace_bench,
)

GROWING: Mapping[str, Grower] = {
    claude_code.NAME: claude_code.Growing,
    codex.NAME: codex.Growing,
    live_tab.NAME: live_tab.Growing,
    pi.NAME: pi.Growing,
}
"""The formats that are written line by line and can be read while they grow."""


def identify(source: Source) -> Reader:
    """The one reader that recognises the log, by its content; raises UnknownFormat for none or several."""
    head = Head(source)
    claimants = [reader for reader in READERS if reader.recognises(head)]
    if len(claimants) == 1:
        return claimants[0]
    if claimants:
        names = " and ".join(reader.NAME for reader in claimants)
        raise UnknownFormat(source.path, f"it reads as {names} alike", "Split the file, so that each holds one format")
    if not head.data.strip():
        raise UnknownFormat(source.path, "the file is empty", "There is nothing to load")
    fact = "its content is of no known log format"
    raise UnknownFormat(source.path, fact, "`runningtab load --formats` lists the known ones")


def formats() -> dict[str, str]:
    """What is read: each format's name, and a sentence on its logs."""
    return {reader.NAME: (reader.__doc__ or "").partition("\n")[0] for reader in READERS}
