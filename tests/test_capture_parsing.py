"""The two ways to parse a command: without the grammar where it is plain, with it otherwise; both give the same tree."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from score_capture import load_cases
from test_capture_commands import blocks

from tabcore.capture.heredocs import lift_heredocs
from tabcore.capture.plain_commands import plain_command
from tabcore.capture.programs.call import parse_options
from tabcore.capture.programs.search_patterns import sought
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
@example([("cat", [], " | "), ("cat", [], " | "), ("cat", [], " && "), ("cat", [], " 2>&1 | "), ("cat", [], "; ")])
def test_commands_put_together_by_chance_have_one_tree(parts: list[tuple[str, list[str], str]]) -> None:
    command = "".join(" ".join([program, *words]) + sign for program, words, sign in parts)
    tree = plain_command(command)
    assert tree is None or tree == by_grammar(command)


GREP_LINES = "def run(self):\nfoo bar\nFoo|Bar\na+b\naab\nx.y\nx-y\n[draft] 12%\n\ttab here\nprice: 5 EUR\n(a)\nend$\n^start\nné 中\n"
GREP_PATTERNS = [r"def", r"foo\|bar", r"a+b", r"x.y", r"x\.y", r"[a-c]\+b", r"\[draft\]", r"[[:digit:]]", r"[0-9]*%", r"^def", r"end\$",
                 r"\bfoo\b", r"\<bar", r"(a)", r"\(a\)", r"price: .* EUR", r"[^a-z]y", r"中", r"Foo|Bar", r"\w\s\w", r"tab.*here", r"^\^"]  # fmt: skip


@pytest.mark.parametrize("flags", ["", "-E", "-F", "-i", "-iE", "-P"])
@pytest.mark.parametrize("pattern", GREP_PATTERNS)
def test_each_line_that_grep_prints_holds_what_the_translated_pattern_seeks(flags: str, pattern: str) -> None:
    arguments = [*filter(None, [flags]), "-e", pattern]
    shown = subprocess.run(
        ["grep", *arguments], input=GREP_LINES, text=True, capture_output=True, timeout=10, env={"LC_ALL": "C.UTF-8"}
    )
    seeking = sought(parse_options(arguments, "e"), "grep")
    assert seeking is None or all(seeking.search(line) for line in shown.stdout.splitlines())


def test_most_patterns_that_are_searched_for_are_translated() -> None:
    made = [
        sought(parse_options([flags, "-e", pattern], "e"), "grep")
        for pattern in GREP_PATTERNS
        for flags in ("-n", "-E")
    ]
    assert sum(one is not None for one in made) > 0.8 * len(made)


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|a)*b", "a**", "a*b*c*d*", "x{3}", "(", "[z-a]", "\\1"])
def test_a_pattern_that_could_be_slow_or_is_none_is_not_translated(pattern: str) -> None:
    assert sought(parse_options(["-E", "-e", pattern], "e"), "grep") is None
