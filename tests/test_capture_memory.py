"""What earlier calls leave behind: known files and folders, scripts, variables, the working directory."""

from __future__ import annotations

from typing import Any

import pytest

from tabcore.capture import Workspace, capture
from tabcore.trajectory import Observation, ToolCall

Step = tuple[str, dict[str, Any], str, list[str]]

SEQUENCES: list[tuple[bool, list[Step]]] = [
    (
        False,
        [
            ("bash", {"command": "find . -type f"}, "./a.txt\n./d/b.txt\n", ["listed a.txt", "listed d/b.txt"]),
            ("bash", {"command": "cat a.txt 2>/dev/null || cat c.txt"}, "x\n", ["read a.txt"]),
            ("bash", {"command": "cat c.txt 2>/dev/null || cat a.txt"}, "x\n", []),
            ("bash", {"command": "if [ -f a.txt ]; then cat a.txt; else cat c.txt; fi"}, "x\n", ["read a.txt"]),
            ("bash", {"command": "ls d 2>/dev/null || ls e"}, "y\nz\n", ["listed d/y", "listed d/z"]),
            ("bash", {"command": "cat a.txt d/b.txt 2>/dev/null"}, "x\n", ["read a.txt", "read d/b.txt"]),
            ("bash", {"command": "mv a.txt f.txt; cat a.txt 2>/dev/null || cat d/b.txt"}, "x\n", ["renamed f.txt"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "ls"}, "a.txt\nb.txt\n", ["listed a.txt", "listed b.txt"]),
            ("bash", {"command": "rm a.txt"}, "", []),
            ("bash", {"command": "cat *.txt"}, "x\n", ["read b.txt"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "ls -F"}, "a.txt\nsub/\n", ["listed a.txt"]),
            ("bash", {"command": "ls"}, "a.txt\nsub\n", ["listed a.txt"]),
            ("bash", {"command": "cat a.txt"}, "x\n", ["read a.txt"]),
            ("bash", {"command": "ls"}, "a.txt\nsub\n", ["listed a.txt"]),
        ],
    ),
    (
        False,
        [
            (
                "bash",
                {"command": "ls po"},
                "1.txt\n2.txt\nold\n",
                ["listed po/1.txt", "listed po/2.txt", "listed po/old"],
            ),
            ("bash", {"command": "cat po/*.txt"}, "x\n", ["read po/1.txt", "read po/2.txt"]),
            (
                "bash",
                {"command": "for f in po/*.txt; do head -1 $f; done"},
                "x\ny\n",
                ["read po/1.txt", "read po/2.txt"],
            ),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "find . -name '*.md'"}, "./a/x.md\n./b/y.md\n", ["listed a/x.md", "listed b/y.md"]),
            ("bash", {"command": "find . -name x.md -exec cat {} \\;"}, "X\n", ["read a/x.md"]),
            ("bash", {"command": "find . -name '*.md' | xargs cat"}, "X\nY\n", ["read a/x.md", "read b/y.md"]),
            ("bash", {"command": "cat $(find . -name y.md)"}, "Y\n", ["read b/y.md"]),
            (
                "bash",
                {"command": "find . -name '*.md' | xargs -n1 basename"},
                "x.md\ny.md\n",
                ["listed a/x.md", "listed b/y.md"],
            ),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": 'cat > s.sh <<\'E\'\nfor f in "$@"; do head -1 "$f"; done\nE'}, "", ["authored s.sh"]),
            ("bash", {"command": "bash s.sh a.txt b.txt"}, "x\ny\n", ["read a.txt", "read b.txt"]),
            ("bash", {"command": "chmod +x s.sh && ./s.sh c.txt"}, "z\n", ["read c.txt"]),
        ],
    ),
    (
        False,
        [
            (
                "bash",
                {"command": "cat > s.py <<'E'\nimport sys\nprint(open(sys.argv[1]).read())\nE\npython3 s.py a.txt"},
                "x\n",
                ["authored s.py", "read a.txt"],
            ),
            ("bash", {"command": "python3 s.py b.txt"}, "y\n", ["read b.txt"]),
            ("bash", {"command": "cd sub && python3 ../s.py c.txt"}, "z\n", ["read sub/c.txt"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "D=docs"}, "", []),
            ("bash", {"command": "ls $D"}, "a.md\n", ["listed docs/a.md"]),
            ("bash", {"command": "cat $D/a.md"}, "x\n", ["read docs/a.md"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "cd docs"}, "", []),
            ("bash", {"command": "ls"}, "a.md\n", ["listed docs/a.md"]),
            ("bash", {"command": "cd .."}, "", []),
            ("bash", {"command": "cd -"}, "/workspace/docs\n", []),
            ("bash", {"command": "cat a.md"}, "x\n", ["read docs/a.md"]),
        ],
    ),
    (
        True,
        [
            ("bash", {"command": "cd docs && ls"}, "a.md\n", ["listed docs/a.md"]),
            ("bash", {"command": "cat docs/a.md"}, "x\n", ["read docs/a.md"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "pushd docs"}, "/workspace/docs /workspace\n", []),
            ("bash", {"command": "cat a.md"}, "x\n", ["read docs/a.md"]),
            ("bash", {"command": "popd"}, "/workspace\n", []),
            ("bash", {"command": "cat b.md"}, "y\n", ["read b.md"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "cp a.txt out/b.txt"}, "", ["authored out/b.txt"]),
            ("bash", {"command": "ls out"}, "b.txt\n", []),
            ("bash", {"command": "mv out/b.txt out/c.txt"}, "", ["authored out/c.txt"]),
            ("bash", {"command": "ls out"}, "c.txt\n", []),
            ("bash", {"command": "cat out/c.txt"}, "x\n", ["read out/c.txt"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "ls"}, "a.txt\nb.txt\n", ["listed a.txt", "listed b.txt"]),
            ("bash", {"command": "mv a.txt z.txt"}, "", ["renamed z.txt"]),
            ("bash", {"command": "ls"}, "b.txt\nz.txt\n", ["listed b.txt", "listed z.txt"]),
        ],
    ),
    (
        False,
        [
            (
                "bash",
                {"command": "unzip -o d.zip -d ex"},
                "Archive:  d.zip\n  inflating: ex/n.txt\n",
                ["listed ex/n.txt"],
            ),
            ("bash", {"command": "cat ex/n.txt"}, "x\n", ["read ex/n.txt"]),
        ],
    ),
    (
        False,
        [
            ("bash", {"command": "pdftotext p.pdf /tmp/p.txt"}, "", ["authored /tmp/p.txt"]),
            ("bash", {"command": "cat /tmp/p.txt"}, "x\n", ["read /tmp/p.txt"]),
        ],
    ),
    (
        False,
        [
            (
                "exec_command",
                {"cmd": "sleep 9; cat a.txt"},
                "Chunk ID: a\nWall time: 1\nProcess running with session ID 5\nOriginal token count: 0\nOutput:\n",
                [],
            ),
            (
                "write_stdin",
                {"session_id": 5, "chars": ""},
                "Chunk ID: b\nWall time: 1\nProcess exited with code 0\nOutput:\nhello\n",
                ["read a.txt"],
            ),
        ],
    ),
    (
        False,
        [
            (
                "execute_bash",
                {"command": "cd docs"},
                "[The command completed with exit code 0.]\n[Current working directory: /workspace/docs]\n",
                [],
            ),
            (
                "execute_bash",
                {"command": "cat a.md"},
                "x\n[The command completed with exit code 0.]\n[Current working directory: /workspace/docs]",
                ["read docs/a.md"],
            ),
        ],
    ),
    (
        False,
        [
            (
                "Write",
                {
                    "file_path": "/workspace/s.py",
                    "content": "import glob\nfor f in glob.glob('po/*.txt'):\n    print(f)\n    print(open(f).read())\n",
                },
                "File created successfully at: /workspace/s.py",
                ["authored s.py"],
            ),
            ("Bash", {"command": "python3 s.py"}, "po/1.txt\nX\npo/2.txt\nY\n", ["read po/1.txt", "read po/2.txt"]),
        ],
    ),
    (
        False,
        [
            (
                "bash",
                {"command": "git init repo && cd repo"},
                "Initialized empty Git repository in /workspace/repo/.git/\n",
                [],
            ),
            (
                "bash",
                {"command": "cd src && git diff"},
                "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n",
                ["read repo/src/a.py"],
            ),
        ],
    ),
    (
        False,
        [
            (
                "bash",
                {"command": "tail -f logs/app.log"},
                "line\n\n[command timed out after 5 s]\n",
                ["read logs/app.log"],
            ),
            ("bash", {"command": "ls logs"}, "app.log\n", ["listed logs/app.log"]),
        ],
    ),
    (False, [("bash", {"command": "echo x > out/a.md; rm out/a.md; ls out"}, "", ["authored out/a.md"])]),
    (False, [("bash", {"command": "alias ll='ls -la'; ls"}, "a.txt\n", ["listed a.txt"])]),
    (
        False,
        [
            ("bash", {"command": "export F=a.txt && cat $F"}, "x\n", ["read a.txt"]),
            ("bash", {"command": "head -1 $F"}, "x\n", ["read a.txt"]),
        ],
    ),
]
"""Whether the harness starts each command in the same folder, and the calls with what each finds."""


@pytest.mark.parametrize(
    ("fresh", "steps"), SEQUENCES, ids=lambda value: str(value[0][1])[:60] if isinstance(value, list) else ""
)
def test_each_call_of_a_sequence_is_decided_with_what_the_earlier_ones_showed(fresh: bool, steps: list[Step]) -> None:
    workspace = Workspace("/workspace", "/workspace", fresh)
    for tool, arguments, text, expected in steps:
        result = capture(ToolCall("1", tool, arguments), Observation("1", text), workspace)
        found = sorted(f"{finding.kind} {finding.path}" for finding in result.findings if finding.kind != "unknown")
        assert (arguments, found) == (arguments, expected)
