"""The two ways to parse a command: without the grammar where it is plain, with it otherwise; both give the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from score_capture import load_cases
from test_capture_commands import blocks

from tabcore.capture.heredocs import lift_heredocs
from tabcore.capture.plain_commands import plain_command
from tabcore.capture.shell import grammar_tree
from tabcore.capture.shell_tree import Node

GOLD = load_cases(Path(__file__).parent / "golden" / "capture_cases.jsonl")
COMMANDS = sorted(
    {case["arguments"]["command"] for case in GOLD if isinstance(case["arguments"].get("command"), str)}
    | {block.command for table in ("capture_commands.txt", "capture_station.txt") for block in blocks(table)}
)
PROGRAMS = st.sampled_from(["cat", "head", "ls", "./x", "/bin/grep", "x.sh", "if", "'a b'", "x=1", "in"])
PIECES = st.sampled_from(
    [
        "-n",
        "-5",
        "2",
        "-la",
        "a.txt",
        "docs/b.md",
        "*.csv",
        "data/*.?",
        "./x",
        "../y",
        "~/z",
        "'a|b'",
        '"c;d"',
        "''",
        "--k=v",
        "-e's/a/b/'",
        "é.md",
        "x=1",
        "if",
        "a:b",
        "@c",
        "+",
        ",",
        "'x'y",
    ]
)
SIGNS = st.sampled_from(
    [
        " | ",
        "|",
        " && ",
        " || ",
        "; ",
        ";",
        "\n",
        "\n\n",
        " 2>/dev/null",
        " 2>&1 | ",
        " > o.txt",
        " >> o.txt; ",
        " < i.txt | ",
        " &",
        " >o",
    ]
)


def by_grammar(command: str) -> Node:
    return grammar_tree(*lift_heredocs(command))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[:50].replace("\n", " "))
def test_a_plain_command_has_the_tree_that_the_grammar_gives_it(command: str) -> None:
    tree = plain_command(command)
    assert tree is None or tree == by_grammar(command)


def test_most_commands_of_the_tables_are_plain() -> None:
    assert sum(plain_command(command) is not None for command in COMMANDS) > len(COMMANDS) / 2


@settings(max_examples=600, deadline=None)
@given(st.lists(st.tuples(PROGRAMS, st.lists(PIECES, max_size=3), SIGNS), min_size=1, max_size=5))
@example([("ls", [], " | "), ("cat", [], " | "), ("head", ["-5"], " || "), ("ls", [], "")])
@example([("ls", [], " && "), ("cat", ["a.txt"], " 2>&1 | "), ("head", [], " && "), ("ls", [], "")])
def test_commands_put_together_by_chance_have_one_tree(parts: list[tuple[str, list[str], str]]) -> None:
    command = "".join(" ".join([program, *words]) + sign for program, words, sign in parts)
    tree = plain_command(command)
    assert tree is None or tree == by_grammar(command)
