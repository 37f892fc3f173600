"""Commands that were really run in a small workspace, with what they showed: another set than the gold cases.

`golden/capture_commands.txt` and `golden/capture_station.txt` (another workspace; its answers were written before capture saw the outputs) hold one block a command: `$` and `>` the command, `|` its output (`~` a last line without
an end), `=` a finding, `?` one that may as well be missing (a folder that a plain listing does not mark), `cwd` the folder
after it. In `golden/capture_documents.txt` the outputs are written by hand: of programs and packages that need not be
installed. So are those of `golden/capture_alternatives.txt`: commands of which some may have shown nothing (errors that
are hidden, `||`, `if`), judged by what the output can tell; what it cannot tell is `unknown`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tabcore.capture import Workspace, capture
from tabcore.trajectory import Observation, ToolCall

GOLDEN = Path(__file__).parent / "golden"
TABLES = ("capture_commands.txt", "capture_station.txt", "capture_documents.txt", "capture_alternatives.txt")


@dataclass(slots=True)
class Block:
    command: str = ""
    output: str = ""
    required: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)
    cwd: str = "/workspace"


def blocks(table: str) -> list[Block]:
    found: list[Block] = []
    for line in (GOLDEN / table).read_text(encoding="utf-8").split("\n"):
        mark, text = line[:1], line[2:]
        match mark:
            case "$":
                found.append(Block(text))
            case ">":
                found[-1].command += "\n" + text
            case "|":
                found[-1].output += text + "\n"
            case "~":
                found[-1].output += text
            case "=":
                found[-1].required.add(text)
            case "?":
                found[-1].optional.add(text)
            case "c":
                found[-1].cwd = line.removeprefix("cwd ")
    return found


@pytest.mark.parametrize(
    "block",
    [block for table in TABLES for block in blocks(table)],
    ids=lambda block: block.command[:60].replace("\n", " "),
)
def test_a_real_command_gives_the_findings_of_the_table(block: Block) -> None:
    workspace = Workspace("/workspace", "/workspace")
    result = capture(ToolCall("1", "bash", {"command": block.command}), Observation("1", block.output), workspace)
    found = {f"{finding.kind} {finding.path}".rstrip() for finding in result.findings if finding.kind != "renamed"}
    assert found - block.optional == {line.rstrip() for line in block.required}
    assert result.cwd == block.cwd


def test_the_tables_hold_more_than_three_hundred_commands() -> None:
    assert len(blocks("capture_commands.txt")) + len(blocks("capture_documents.txt")) > 300
