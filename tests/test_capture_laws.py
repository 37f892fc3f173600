"""Laws of capture: it never raises, it takes bounded time, and what does not matter changes nothing."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from score_capture import load_cases

from tabcore.capture import Captured, Workspace, capture
from tabcore.trajectory import Observation, ToolCall

CASES = [case for case in load_cases(Path(__file__).parent / "golden" / "capture_cases.jsonl") if "needs" not in case]
SHELL = [case for case in CASES if case["tool"] == "bash" and "sequence" not in case]
SIGNS = "'\"`$(){}[]|&;<>\\*?~#! \n\t=%:/-.\x00\ufdd0é中"


def findings(
    command: str, text: str, cwd: str = "/workspace", workspace: Workspace | None = None
) -> set[tuple[str, str]]:
    result = run("bash", {"command": command}, text, workspace or Workspace("/workspace", cwd))
    return {(finding.kind, finding.path) for finding in result.findings}


def run(tool: str, arguments: dict[str, Any], text: str, workspace: Workspace | None = None) -> Captured:
    return capture(
        ToolCall("1", tool, arguments), Observation("1", text), workspace or Workspace("/workspace", "/workspace")
    )


def edited(text: str, edits: list[tuple[int, str, int]]) -> str:
    """The text with pieces put in and taken out at places that wrap around its length."""
    for place, piece, removed in edits:
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + removed :]
    return text


EDITS = st.lists(st.tuples(st.integers(0, 5000), st.text(SIGNS, max_size=4), st.integers(0, 6)), max_size=6)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(CASES), EDITS, EDITS, st.booleans())
def test_capture_never_raises_on_spoiled_calls_and_observations(
    case: dict[str, Any], first: list[tuple[int, str, int]], second: list[tuple[int, str, int]], is_error: bool
) -> None:
    arguments = {k: edited(v, first) if isinstance(v, str) else v for k, v in case["arguments"].items()}
    call = ToolCall("1", case["tool"], arguments)
    observation = Observation("1", edited(case["observation"], second), is_error)
    result = capture(call, observation, Workspace("/workspace", case["cwd_before"]))
    shown = [finding.path for finding in result.findings if finding.kind in ("read", "listed")]
    assert len(shown) == len(set(shown)), "a path occurs at most once as read or listed"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["path", "command", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(
        [
            "bash",
            "Read",
            "Grep",
            "Glob",
            "LS",
            "edit",
            "apply_patch",
            "swe_agent",
            "ipython",
            "read_many_files",
            "zap",
            "",
        ]
    ),
    st.dictionaries(
        st.sampled_from(["command", "path", "file_path", "pattern", "paths", "code", "", "cmd", "request"]),
        JSON,
        max_size=4,
    ),
    st.text(max_size=200),
)
def test_capture_never_raises_on_arguments_of_any_shape(tool: str, arguments: dict[str, Any], text: str) -> None:
    assert isinstance(run(tool, arguments, text), Captured)


@pytest.mark.parametrize("case", SHELL, ids=lambda case: case["id"])
def test_an_unrelated_true_before_a_command_changes_nothing(case: dict[str, Any]) -> None:
    command = case["arguments"]["command"]
    if command.startswith("sudo"):
        pytest.skip("a list of alternatives may be told apart by what stands before it")
    before = findings(command, case["observation"], case["cwd_before"])
    assert findings(f"true && {{ {command}\n}}", case["observation"], case["cwd_before"]) == before


@pytest.mark.parametrize("case", SHELL, ids=lambda case: case["id"])
def test_an_unrelated_echo_before_a_command_changes_nothing(case: dict[str, Any]) -> None:
    command = case["arguments"]["command"]
    if "set -x" in command or "cleared]" in case["observation"]:
        pytest.skip("the observation would be another one")
    before = findings(command, case["observation"], case["cwd_before"])
    after = findings(
        f"echo unrelated-words-7\n{command}", f"unrelated-words-7\n{case['observation']}", case["cwd_before"]
    )
    assert after == before


def quotings(path: str) -> list[str]:
    """Ways to write the same word in bash."""
    escaped = "".join(c if c.isalnum() or c in "/._" or ord(c) > 127 else "\\" + c for c in path)
    double = '"' + "".join("\\" + c if c in '"\\$`' else c for c in path) + '"'
    return [shlex.quote(path), double, escaped, "$'" + path.replace("\\", "\\\\").replace("'", "\\'") + "'"]


@settings(deadline=None)
@given(
    st.text("abc .-'\"$&;#()[]中é_", min_size=1, max_size=12).filter(lambda s: s.strip(" .") and not s.startswith("-"))
)
@example("it's here")
@example("dollar$HOME")
def test_quoting_a_path_in_another_way_changes_nothing(name: str) -> None:
    path = f"names/{name}.txt"
    answers = [findings(f"cat {word}", "some content\n") for word in quotings(path)]
    assert answers == [{("read", path)}] * len(answers)


PARTS = [
    ("cat docs/a.md", "Alpha is the first letter.\nBeta follows it.\n"),
    ("ls -la docs", "total 4\n-rw-r--r-- 1 u u 5 Jan  1  2024 a.md\n-rw-r--r-- 1 u u 5 Jan  1  2024 b.md\n"),
    ("find data -name '*.csv'", "data/one.csv\ndata/two.csv\n"),
    ("grep -rn Total reports", "reports/q1.txt:3:Total: 5\n"),
    ("cd docs", ""),
    ("cat a.md", "Alpha is the first letter, again.\n"),
    ("wc -l data/one.csv data/two.csv", "  3 data/one.csv\n  4 data/two.csv\n  7 total\n"),
    ("cat missing.txt", "cat: missing.txt: No such file or directory\n"),
    ("tree docs", "docs\n├── a.md\n└── b.md\n\n0 directories, 2 files\n"),
    ("echo '== next'", "== next\n"),
    ("git status --short", " M src/x.py\n?? new.md\n"),
    ("jq '.name' conf.json", '"Halden"\n'),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), min_size=2, max_size=4, unique=True), st.sampled_from(["; ", "\n"]))
def test_splitting_a_command_into_two_calls_gives_the_same_union(parts: list[tuple[str, str]], separator: str) -> None:
    whole = Workspace("/workspace", "/workspace")
    together = findings(
        separator.join(command for command, _ in parts), "".join(text for _, text in parts), workspace=whole
    )
    split = Workspace("/workspace", "/workspace")
    apart: set[tuple[str, str]] = set()
    for command, text in parts:
        apart |= findings(command, text, workspace=split)
    reads = {path for kind, path in apart if kind == "read"}
    apart -= {("listed", path) for path in reads}
    assert together == apart
    assert whole.cwd == split.cwd


WRAPPED = ["timeout 5 {}", "env LC_ALL=C {}", "nice -n 5 {}", "nohup {} 2>/dev/null", "stdbuf -oL {}", "bash -c {q}", "sh -c {q}",
           "eval {q}", "({})", "{{ {}; }}", "f() {{ {}; }}; f", "{} & wait", "if true; then {}; fi", "for i in 1; do {}; done",
           "time {}", "{} 2>&1 | cat", "command {}", "sudo {}", "xargs {} < /dev/null"]  # fmt: skip


@pytest.mark.parametrize("wrapper", WRAPPED[:-1])
@pytest.mark.parametrize(
    ("command", "text"),
    [("cat docs/a.md", "Alpha beta.\n"), ("grep -n x docs/a.md", "1:x\n"), ("ls docs", "a.md\nb.md\n")],
)
def test_one_row_covers_a_program_in_all_positions(wrapper: str, command: str, text: str) -> None:
    assert findings(wrapper.format(command, q=shlex.quote(command)), text) == findings(command, text)


HOSTILE = {
    "nested parentheses": "(" * 10_000,
    "nested substitutions": "$(" * 7_000,
    "pipes": "a|" * 8_000,
    "quotes": "'" * 16_000,
    "braces": "{a,b}" * 200,
    "ranges": "cat " + "{1..9}" * 9,
    "recursion": "f() { f | f & }; f",
    "growth": "x=aa; " + "x=$x$x; " * 60 + "cat $x",
    "loops": "for a in {1..100}; do for b in {1..100}; do for c in {1..100}; do cat $a$b$c; done; done; done",
    "binary": "\x00\x01\x02\xff" * 2_000,
    "heredoc of 1 MB": "cat > x <<'E'\n" + 'some $text `a` "\n' * 70_000 + "E\ncat y",
    "script of 1 MB": "python3 - <<'E'\n" + "print(1)\n" * 110_000 + "E\n",
    "script of brackets": "python3 - <<'E'\nx=" + "(" * 100_000 + "\nE\n",
    "unterminated": "cat <<EOF\n$(cat 'a",
}


@pytest.mark.parametrize("command", HOSTILE.values(), ids=HOSTILE)
def test_hostile_commands_take_bounded_time(command: str) -> None:
    start = time.process_time()
    for text in ("", "x\n", "file.txt\n" * 500):
        findings(command, text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("command", ["cat a.txt", "grep -rn x .", "Read"])
def test_an_observation_of_many_megabytes_takes_bounded_time(command: str) -> None:
    text = "./a/b.txt:12:a line of text\n" * 400_000
    start = time.process_time()
    if command == "Read":
        run("Read", {"file_path": "/workspace/a.txt"}, text)
    else:
        findings(command, text)
    assert time.process_time() - start < 10


LONG = "a line of some content, with more words\n" * 300_000


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat a.txt; ls", LONG + "b.md\nc.md\n"),
        ("ls; cat a.txt", "b.md\nc.md\n" + LONG),
        ("wc -l a.txt; cat a.txt; ls", "300000 a.txt\n" + LONG + "b.md\nc.md\n"),
    ],
)
def test_a_listing_is_told_from_a_text_of_many_lines_beside_it(command: str, text: str) -> None:
    assert findings(command, text) - {("listed", "a.txt")} == {
        ("read", "a.txt"),
        ("listed", "b.md"),
        ("listed", "c.md"),
    }


def test_a_command_of_a_thousand_parts_is_followed_to_its_end() -> None:
    command = "; ".join(f"head -1 f{number}.txt" for number in range(1_000))
    assert len(findings(command, "a line\n" * 1_000)) == 1_000


def test_arguments_that_are_text_in_json_are_read() -> None:
    result = run("shell", {"": json.dumps({"command": ["bash", "-lc", "cat a.txt"]})}, "x\n")
    assert result.paths("read") == ("a.txt",)
