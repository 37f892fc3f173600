"""The tools of many harnesses: arguments and observation as each of them has it, and what was read, listed and written."""

from __future__ import annotations

from typing import Any

import pytest

from tabcore.capture import Workspace, capture
from tabcore.trajectory import Observation, Span, ToolCall

Row = tuple[str, dict[str, Any], str, list[str]]

ROWS: list[Row] = [
    (
        "Grep",
        {"pattern": "EUR", "path": "/workspace/policies/a.md", "output_mode": "content", "-n": True},
        "3:up to 5 EUR\n7:EUR\n",
        ["read policies/a.md"],
    ),
    (
        "Grep",
        {"pattern": "EUR", "output_mode": "content", "-A": 1},
        "policies/a.md:up to 5 EUR\npolicies/a.md-next\n--\nhr/b.txt:EUR\n",
        ["read hr/b.txt", "read policies/a.md"],
    ),
    (
        "Grep",
        {"pattern": "EUR", "path": "/workspace/policies", "output_mode": "content"},
        "/workspace/policies/a.md:5:up to 5 EUR\n",
        ["read policies/a.md"],
    ),
    (
        "Grep",
        {"pattern": "EUR", "output_mode": "count"},
        "policies/a.md:5\nhr/b.txt:2\n\nFound 7 total occurrences across 2 files.",
        ["listed hr/b.txt", "listed policies/a.md"],
    ),
    ("Grep", {"pattern": "EUR"}, "No files found", []),
    ("Grep", {"pattern": "EUR", "output_mode": "content"}, "No matches found", []),
    (
        "Glob",
        {"pattern": "*.md"},
        "/workspace/a.md\n/workspace/b c.md\n(Results are truncated. Consider using a more specific path or pattern.)",
        ["listed a.md", "listed b c.md"],
    ),
    ("Glob", {"pattern": "**/*.md"}, "policies/a.md\nhr/b.md", ["listed hr/b.md", "listed policies/a.md"]),
    ("NotebookRead", {"notebook_path": "/workspace/n.ipynb"}, '<cell id="1">print(1)</cell>', ["read n.ipynb"]),
    ("Read", {"file_path": "/workspace/n.pdf"}, "PDF file read: /workspace/n.pdf (12KB)", ["read n.pdf"]),
    (
        "Read",
        {"file_path": "/workspace/e.txt"},
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
        [],
    ),
    (
        "Edit",
        {"file_path": "/workspace/a.md", "old_string": "x", "new_string": "y"},
        "The file /workspace/a.md has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n     1→# A\n     2→y\n",
        ["read a.md"],
    ),
    (
        "Edit",
        {"file_path": "/workspace/a.md", "old_string": "x", "new_string": "y"},
        "The file /workspace/a.md has been updated successfully.",
        [],
    ),
    (
        "Edit",
        {"file_path": "/workspace/a.md", "old_string": "", "new_string": "y"},
        "File created successfully at: /workspace/a.md",
        ["authored a.md"],
    ),
    ("MultiEdit", {"file_path": "/workspace/a.md", "edits": []}, "Applied 2 edits", []),
    (
        "LS",
        {"path": "/workspace"},
        "- /workspace/\n  - a.md\n  - sub/\n    - b c.md\n",
        ["listed a.md", "listed sub/b c.md"],
    ),
    ("Task", {"description": "x", "prompt": "read /workspace/a.md"}, "I read a.md: content", []),
    ("read", {"path": "a.md"}, "# A\n\n[12 more lines in file. Use offset=2 to continue]", ["read a.md"]),
    (
        "edit",
        {"path": "a.md", "oldText": "x", "newText": "y"},
        "Successfully replaced text in a.md. Changed 1 characters",
        [],
    ),
    (
        "grep",
        {"pattern": "x", "path": "docs"},
        "a.md:1: x here\na.md-2- after\nsub/b.md:4: x",
        ["read docs/a.md", "read docs/sub/b.md"],
    ),
    (
        "find",
        {"pattern": "*.md", "path": "docs"},
        "a.md\nsub/b.md\n\n[100 results limit reached. Use limit=200 for more, or refine pattern]",
        ["listed docs/a.md", "listed docs/sub/b.md"],
    ),
    (
        "ls",
        {"path": "docs"},
        "a.md\nsub/\nz.txt\n\n[500 entries limit reached. Use limit=1000 for more]",
        ["listed docs/a.md", "listed docs/z.txt"],
    ),
    (
        "exec_command",
        {"cmd": "cat a.md", "workdir": "/workspace/docs"},
        "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\n# A\n",
        ["read docs/a.md"],
    ),
    (
        "shell",
        {
            "command": [
                "apply_patch",
                "*** Begin Patch\n*** Add File: out/x.md\n+hi\n*** Update File: a.md\n@@\n-x\n+y\n*** End Patch",
            ]
        },
        "Success. Updated the following files:\nA out/x.md\nM a.md",
        ["authored out/x.md"],
    ),
    (
        "apply_patch",
        {"": "*** Begin Patch\n*** Add File: out/x.md\n+hi\n*** End Patch"},
        "Success",
        ["authored out/x.md"],
    ),
    (
        "apply_patch",
        {"input": "*** Begin Patch\n*** Update File: a.md\n*** Move to: b.md\n@@\n*** End Patch"},
        "Success",
        ["renamed b.md"],
    ),
    (
        "shell",
        {"command": ["bash", "-lc", "cat a.md"], "workdir": "/workspace/docs"},
        '{"output":"# A\\n","metadata":{"exit_code":0}}',
        ["read docs/a.md"],
    ),
    (
        "shell_command",
        {"command": "cat a.md", "workdir": "/workspace/docs"},
        "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n# A\n",
        ["read docs/a.md"],
    ),
    (
        "execute_ipython_cell",
        {"code": "import pandas as pd\ndf=pd.read_csv('/workspace/a.csv')\ndf.head()"},
        "   x\n0  1\n[Jupyter current working directory: /workspace]\n[Jupyter Python interpreter: /x/python]",
        ["read a.csv"],
    ),
    (
        "str_replace_editor",
        {"command": "view", "path": "/workspace/a.md", "view_range": [1, 3]},
        "Here's the result of running `cat -n` on /workspace/a.md:\n     1\t# A\n",
        ["read a.md"],
    ),
    (
        "str_replace_editor",
        {"command": "create", "path": "/workspace/a.md", "file_text": "x"},
        "File created successfully at: /workspace/a.md",
        ["authored a.md"],
    ),
    (
        "str_replace_editor",
        {"command": "str_replace", "path": "/workspace/a.md", "old_str": "x", "new_str": "y"},
        "The file /workspace/a.md has been edited. Here's the result of running `cat -n` on a snippet of /workspace/a.md:\n     1\t# A\nReview the changes",
        ["read a.md"],
    ),
    (
        "str_replace_editor",
        {"command": "undo_edit", "path": "/workspace/a.md"},
        "Last edit to /workspace/a.md undone successfully. Here's the result of running `cat -n` on /workspace/a.md:\n     1\t# A\n",
        ["read a.md"],
    ),
    (
        "str_replace_editor",
        {"command": "view", "path": "/workspace/none.md"},
        "ERROR:\nInvalid `path` parameter: /workspace/none.md. The path does not exist. Please provide a valid path.",
        [],
    ),
    ("file_read", {"path": "/workspace/a.md"}, "# A", ["read a.md"]),
    (
        "execute_bash",
        {"command": "cat a.md", "is_input": "false"},
        "# A\n[The command completed with exit code 0.]\n[Current working directory: /workspace/docs]\n[Python interpreter: /x]\n",
        ["read a.md"],
    ),
    ("read_file", {"absolute_path": "/workspace/a.md"}, "# A", ["read a.md"]),
    (
        "read_many_files",
        {"paths": ["a.md", "b.md"]},
        "--- /workspace/a.md ---\n\n# A\n\n\n--- /workspace/b.md ---\n\n# B\n\n--- End of content ---",
        ["read a.md", "read b.md"],
    ),
    ("list_directory", {"path": "/workspace"}, "Directory listing for /workspace:\n[DIR] sub\na.md", ["listed a.md"]),
    (
        "glob",
        {"pattern": "**/*.md"},
        'Found 2 file(s) matching "**/*.md" within /workspace, sorted by modification time (newest first):\n/workspace/a.md\n/workspace/b.md',
        ["listed a.md", "listed b.md"],
    ),
    (
        "search_file_content",
        {"pattern": "x"},
        'Found 2 matches for pattern "x" in the workspace directory:\n---\nFile: a.md\nL1: x\nL3: x\n---\nFile: sub/b.md\nL2: x\n---',
        ["read a.md", "read sub/b.md"],
    ),
    (
        "write_file",
        {"file_path": "/workspace/out.md", "content": "x"},
        "Successfully created and wrote to new file: /workspace/out.md.",
        ["authored out.md"],
    ),
    (
        "replace",
        {"file_path": "/workspace/a.md", "old_string": "x", "new_string": "y"},
        "Successfully modified file: /workspace/a.md (1 replacements).",
        [],
    ),
    (
        "read",
        {"filePath": "/workspace/a.md"},
        "<file>\n00001| # A\n00002| b\n\n(End of file - total 2 lines)\n</file>",
        ["read a.md"],
    ),
    ("list", {"path": "/workspace"}, "/workspace/\n  a.md\n  sub/\n    b.md\n", ["listed a.md", "listed sub/b.md"]),
    ("glob", {"pattern": "*.md"}, "/workspace/a.md\n/workspace/sub/b.md", ["listed a.md", "listed sub/b.md"]),
    ("grep", {"pattern": "x"}, "Found 1 matches\n/workspace/a.md:\n  Line 3: x", ["read a.md"]),
    ("read_file", {"path": "a.md"}, "# A", ["read a.md"]),
    ("list_files", {"path": ".", "recursive": "true"}, "a.md\nsub/\nsub/b.md", ["listed a.md", "listed sub/b.md"]),
    (
        "search_files",
        {"path": ".", "regex": "x", "file_pattern": "*.md"},
        "Found 2 results.\n\na.md\n│----\n│x here\n│----\n\nsub/b.md\n│----\n│x\n│----",
        ["read a.md", "read sub/b.md"],
    ),
    (
        "write_to_file",
        {"path": "out.md", "content": "x"},
        "The content was successfully saved to out.md.",
        ["authored out.md"],
    ),
    ("mcp__filesystem__read_text_file", {"path": "/workspace/a.md"}, "# A", ["read a.md"]),
    (
        "mcp__filesystem__read_multiple_files",
        {"paths": ["/workspace/a.md", "/workspace/b.md"]},
        "/workspace/a.md:\n# A\n\n---\n/workspace/b.md: Error - ENOENT: no such file",
        ["read a.md"],
    ),
    (
        "mcp__filesystem__list_directory",
        {"path": "/workspace"},
        "[FILE] a.md\n[DIR] sub\n[FILE] b c.txt",
        ["listed a.md", "listed b c.txt"],
    ),
    (
        "list_directory_with_sizes",
        {"path": "/workspace"},
        "[FILE] a.md                     12 B\n[DIR] sub                       \n\nTotal: 1 files, 1 directories\nCombined size: 12 B",
        ["listed a.md"],
    ),
    (
        "directory_tree",
        {"path": "/workspace"},
        '[\n  {\n    "name": "a.md",\n    "type": "file"\n  },\n  {\n    "name": "sub",\n    "type": "directory",\n    "children": [\n      {\n        "name": "b.md",\n        "type": "file"\n      }\n    ]\n  }\n]',
        ["listed a.md", "listed sub/b.md"],
    ),
    (
        "mcp__filesystem__search_files",
        {"path": "/workspace", "pattern": "*.md"},
        "/workspace/a.md\n/workspace/sub/b.md",
        ["listed a.md", "listed sub/b.md"],
    ),
    (
        "get_file_info",
        {"path": "/workspace/a.md"},
        "size: 12\ncreated: x\nisDirectory: false\nisFile: true\npermissions: 644",
        [],
    ),
    (
        "move_file",
        {"source": "/workspace/a.md", "destination": "/workspace/b.md"},
        "Successfully moved /workspace/a.md to /workspace/b.md",
        ["renamed b.md"],
    ),
    (
        "mcp__filesystem__write_file",
        {"path": "/workspace/o.md", "content": "x"},
        "Successfully wrote to /workspace/o.md",
        ["authored o.md"],
    ),
    (
        "sheets_server_sheets",
        {"request": {"action": "list_tabs", "file_path": "/workspace/a.xlsx"}},
        '{"action":"list_tabs","error":null,"list_tabs":{"raw_output":"Sheet1"}}',
        ["read a.xlsx"],
    ),
    (
        "sheets_server_sheets",
        {"request": {"action": "read_tab", "file_path": "/workspace/a.xlsx"}},
        '{"action":"read_tab","error":"File not found","read_tab":null}',
        [],
    ),
    (
        "slides_server_slides",
        {"request": {"action": "read_slides", "file_path": "/workspace/a.pptx"}},
        '{"action":"read_slides","error":null,"read_slides":{"raw_output":"truncated to 20 rows"}}',
        ["read a.pptx"],
    ),
    ("docs_server_read_content", {"file_path": "/workspace/a.docx"}, "Hello", ["read a.docx"]),
    (
        "filesystem_server_list_files",
        {"path": "/workspace/mail"},
        "'a' (folder)\n'b.txt' (text/plain file) 4 bytes",
        ["listed mail/b.txt"],
    ),
    (
        "filesystem_server_search_files",
        {"path": "/workspace", "pattern": "x"},
        "No files matching 'x' found in /workspace.",
        [],
    ),
    (
        "swe_agent",
        {"command": "open docs/a.md"},
        "[File: /workspace/docs/a.md (2 lines total)]\n1:# A\n2:x\n(Open file: /workspace/docs/a.md)\n(Current directory: /workspace)\nbash-$",
        ["read docs/a.md"],
    ),
    (
        "swe_agent",
        {"command": "cat a.md"},
        "# A\n(Open file: n/a)\n(Current directory: /workspace)\nbash-$",
        ["read a.md"],
    ),
    (
        "swe_agent",
        {"command": "goto 5"},
        "[File: /workspace/docs/a.md (9 lines total)]\n5:x\n(Open file: /workspace/docs/a.md)\n(Current directory: /workspace)\nbash-$",
        ["read docs/a.md"],
    ),
    (
        "swe_agent",
        {"command": 'search_file "x" a.md'},
        'Found 1 matches for "x" in /workspace/a.md:\nLine 3:x\nEnd of matches for "x" in /workspace/a.md\n(Open file: n/a)\n(Current directory: /workspace)\nbash-$',
        ["read a.md"],
    ),
    (
        "swe_agent",
        {"command": "search_dir x"},
        'Found 3 matches for "x" in /workspace:\n/workspace/a.md (3 matches)\nEnd of matches for "x" in /workspace\n',
        ["listed a.md"],
    ),
    (
        "swe_agent",
        {"command": "edit 1:1\nx\nend_of_edit"},
        "Your proposed edit has introduced new syntax error(s).\n",
        [],
    ),
    (
        "find_file",
        {"file_name": "a.md", "dir": "docs"},
        'Found 1 matches for "a.md" in /workspace/docs:\n/workspace/docs/a.md',
        ["listed docs/a.md"],
    ),
    ("bash", {"command": "cat a.md"}, "<returncode>0</returncode>\n<output>\n# A\n</output>", ["read a.md"]),
    (
        "bash",
        {"command": "cat a.md"},
        "<returncode>0</returncode>\n<warning>\nThe output of your last command was too long.\n</warning><output_head>\n# A\n</output_head>\n<elided_chars>\n5 characters elided\n</elided_chars>\n<output_tail>\nz\n</output_tail>",
        ["read a.md"],
    ),
    (
        "bash_command",
        {"keystrokes": "cat a.md\n", "duration": 0.1},
        "New Terminal Output:\n\nroot@x:/workspace# cat a.md\n# A\nroot@x:/workspace# ",
        ["read a.md"],
    ),
    (
        "bash_command",
        {"keystrokes": "cat a.md\n"},
        "root@x:/workspace# ls\na.md\nb.md\nroot@x:/workspace# cat a.md\n# A\nroot@x:/workspace# ",
        ["read a.md"],
    ),
    ("bash_command", {"keystrokes": "C-c"}, "^C\nroot@x:/workspace# ", []),
    ("peek", {"document": "/workspace/a.md"}, "# A", ["read a.md"]),
    ("weather", {"city": "Oslo"}, "rain", []),
    ("frobnicate", {"path": "/workspace/a.md"}, "# A", ["read a.md"]),
    ("store_note", {"file_path": "/workspace/a.md", "content": "x"}, "ok", ["authored a.md"]),
    ("frob_cli", {"command": "cat a.md"}, "# A", ["read a.md"]),
    ("semantic_lookup", {"query": "travel"}, "policies/a.md: travel rules apply", []),
]

REFUSED: list[Row] = [
    (
        "Read",
        {"file_path": "/workspace/big.txt"},
        "File content (37111 tokens) exceeds maximum allowed tokens (25000). Use offset",
        [],
    ),
    (
        "Read",
        {"file_path": "/workspace/e.txt"},
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        [],
    ),
    ("ls", {"path": "nope"}, "Path not found: /workspace/nope", []),
]

PICTURES: list[Row] = [
    ("Read", {"file_path": "/workspace/n.png"}, "", ["read n.png"]),
    ("read", {"path": "img.png"}, "Read image file [image/png]", ["read img.png"]),
    ("view_image", {"path": "/workspace/x.png"}, "attached local image path", ["read x.png"]),
    ("filesystem_server_read_image_file", {"file_path": "/workspace/p.png"}, "", ["read p.png"]),
]


def found(row: Row, **fields: Any) -> list[str]:
    tool, arguments, text, _ = row
    workspace = Workspace("/workspace", "/workspace")
    result = capture(ToolCall("1", tool, arguments), Observation("1", text, **fields), workspace)
    return sorted(f"{finding.kind} {finding.path}" for finding in result.findings if finding.kind != "unknown")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {list(row[1].values())[:2]}"[:70])
def test_a_tool_is_judged_by_its_own_arguments_and_what_it_showed(row: Row) -> None:
    assert found(row) == row[3]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row[0])
def test_a_refused_call_shows_nothing(row: Row) -> None:
    assert found(row, is_error=True) == row[3]


@pytest.mark.parametrize("row", PICTURES, ids=lambda row: row[0])
def test_a_picture_is_content(row: Row) -> None:
    assert found(row, images=1) == row[3]


def test_an_unknown_tool_says_so_in_its_rule() -> None:
    workspace = Workspace("/workspace", "/workspace")
    call = ToolCall("1", "frobnicate", {"path": "/workspace/a.md"})
    [finding] = capture(call, Observation("1", "# A"), workspace).findings
    assert "unknown tool" in finding.rule


def test_a_terminal_that_shows_two_commands_gives_each_call_its_own_part() -> None:
    workspace = Workspace("/workspace", "/workspace")
    screen = "me@box:/workspace$ ls docs\na.md\nme@box:/workspace$ cat docs/b.md\nBeta\nme@box:/workspace$ "
    first = capture(ToolCall("1", "bash_command", {"keystrokes": "ls docs\n"}), Observation("", screen), workspace)
    second = capture(
        ToolCall("2", "bash_command", {"keystrokes": "cat docs/b.md\n"}), Observation("", screen), workspace
    )
    assert (first.paths("listed"), first.paths("read")) == (("docs/a.md",), ())
    assert (second.paths("listed"), second.paths("read")) == ((), ("docs/b.md",))


def test_output_that_comes_later_belongs_to_the_command_that_the_harness_repeats_before_it() -> None:
    workspace = Workspace("/workspace", "/workspace")
    head = "Command: /bin/bash -lc 'cat '\"'a b.txt'\"\nChunk ID: 7\nProcess exited with code 0\nOutput:\n"
    later = Observation("", head + "hello\n", spans=(Span(0, len(head), "harness"),))
    result = capture(ToolCall("1", "write_stdin", {"session_id": 7, "chars": ""}), later, workspace)
    assert [(finding.kind, finding.path) for finding in result.findings] == [("read", "a b.txt")]


def test_a_window_whose_header_the_harness_wrote_is_that_of_the_open_file() -> None:
    workspace = Workspace("/workspace", "/workspace", open_file="/workspace/a.py")
    head = "[File: /workspace/a.py (2 lines total)]\r\n"
    shown = Observation("", head + "1:import os\r\n2:\r\n", spans=(Span(0, len(head), "harness"),))
    result = capture(ToolCall("1", "swe_agent", {"command": "edit 'x' 'y'"}), shown, workspace)
    assert result.paths("read") == ("a.py",)
