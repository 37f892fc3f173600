"""Which part of a tool call names files: a bash command, a path argument, a pattern.

TOOLS is the table, by name; a server's prefix (`mcp__files__read_file`, `filesystem_server_read_file`) is taken off. A tool
that is not in it falls back to the words of its name and the names of its arguments, and its rule says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from tabcore.capture.patterns import words_of
from tabcore.capture.tools.file_tools import (
    about_file,
    apply_patch,
    copy_tool,
    document_tool,
    edit_tool,
    editor_tool,
    list_tool,
    nothing,
    patch_tool,
    read_tool,
    write_tool,
)
from tabcore.capture.tools.scene import COMMAND_ARGUMENTS, PATH_ARGUMENTS, Scene
from tabcore.capture.tools.search_tools import names_tool, search_tool
from tabcore.capture.tools.shell_tools import code_tool, command_of, keystrokes_tool, poll_tool, shell_tool
from tabcore.capture.tools.swe_agent import COMMANDS as SWE_COMMANDS
from tabcore.capture.tools.swe_agent import swe_agent_tool, swe_function
from tabcore.trajectory import Json

Tool = Callable[[Scene], None]


def _find(scene: Scene) -> None:
    """Pi's find, or a shell's."""
    (shell_tool if command_of(scene) and not scene.argument("pattern") else names_tool)(scene)


TOOLS: dict[str, Tool] = {
    **dict.fromkeys(
        words_of(
            "bash Bash shell exec_command execute_bash run_shell_command execute_command run_command run_in_terminal terminal run_terminal_cmd "
            "local_shell local_shell_call container.exec shell_command powershell PowerShell run_bash cmd_runner code_exec execute run exec bash_exec "
            "computer_bash bash_20250124 run_terminal_command CmdRunAction bash_execute ShellTool sh zsh command"
        ),
        shell_tool,
    ),
    **dict.fromkeys(["bash_command", "terminal_command", "send_keys", "keystrokes", "tmux"], keystrokes_tool),
    **dict.fromkeys(
        ["write_stdin", "BashOutput", "bash_output", "TaskOutput", "read_terminal", "get_terminal_output"], poll_tool
    ),
    **dict.fromkeys(
        [
            "ipython",
            "python",
            "execute_ipython_cell",
            "jupyter",
            "run_python",
            "python_exec",
            "code_interpreter",
            "IPythonRunCellAction",
            "execute_python",
        ],
        code_tool,
    ),
    **dict.fromkeys(
        words_of(
            "read Read read_file view View read_text_file read_media_file read_multiple_files read_many_files file_read cat open_file view_file NotebookRead "
            "get_file_contents get_file_content read_pdf view_image ReadFile ReadManyFiles FileReadAction read_document load_file readFile fs_read ReadFolder"
        ),
        read_tool,
    ),
    **dict.fromkeys(
        [
            "ls",
            "LS",
            "list",
            "list_directory",
            "list_files",
            "list_dir",
            "directory_tree",
            "get_directory_tree",
            "list_directory_with_sizes",
            "ListDir",
            "tree",
            "read_directory",
        ],
        list_tool,
    ),
    **dict.fromkeys(
        [
            "glob",
            "Glob",
            "search_files",
            "find_files",
            "glob_file_search",
            "file_search",
            "find_by_name",
            "GlobTool",
            "FindFiles",
        ],
        names_tool,
    ),
    "find": _find,
    **dict.fromkeys(
        [
            "grep",
            "Grep",
            "search_file_content",
            "grep_search",
            "search",
            "ripgrep",
            "search_in_files",
            "codebase_search",
            "GrepTool",
            "SearchText",
            "rg",
        ],
        search_tool,
    ),
    **dict.fromkeys(
        [
            "write",
            "Write",
            "write_file",
            "create_file",
            "write_to_file",
            "save_file",
            "file_write",
            "FileWriteAction",
            "WriteFile",
            "create_text_file",
            "fs_write",
        ],
        write_tool,
    ),
    **dict.fromkeys(
        words_of(
            "edit Edit MultiEdit multi_edit edit_file replace replace_in_file str_replace NotebookEdit search_replace insert_edit apply_diff file_edit "
            "FileEditAction multiedit replace_string_in_file insert"
        ),
        edit_tool,
    ),
    **dict.fromkeys(
        ["str_replace_editor", "str_replace_based_edit_tool", "text_editor", "str_replace_based_edit", "file_editor"],
        editor_tool,
    ),
    **dict.fromkeys(["apply_patch", "patch", "ApplyPatch"], patch_tool),
    **dict.fromkeys(["move_file", "rename_file", "copy_file", "move", "rename"], copy_tool),
    **dict.fromkeys(["get_file_info", "file_info", "stat_file", "stat"], about_file),
    **dict.fromkeys(
        words_of(
            "Task task Agent agent TodoWrite TodoRead todowrite todoread todo update_plan WebSearch WebFetch web_search web_fetch think finish submit exit_plan_mode "
            "ExitPlanMode submit final_result Skill ToolSearch AskUserQuestion KillShell KillBash create_directory list_allowed_directories browser browse google_web_search save_memory "
            "attempt_completion ask_followup_question subagent task_done final_answer message mark_task_complete SlashCommand thought"
        ),
        nothing,
    ),
    **dict.fromkeys(
        ["sheets", "pdf", "docs", "slides", "word", "excel", "powerpoint", "document", "spreadsheet"], document_tool
    ),
    "swe_agent": swe_agent_tool,
    **dict.fromkeys([name for name in SWE_COMMANDS if name not in ("edit", "insert", "submit")], swe_function),
}

_BY_WORD: tuple[tuple[re.Pattern[str], Tool], ...] = (
    (re.compile(r"(?:^|_)(?:bash|shell|terminal|exec|cmd|command|run)(?:_|$)"), shell_tool),
    (re.compile(r"(?:^|_)(?:python|ipython|jupyter)(?:_|$)"), code_tool),
    (re.compile(r"(?:^|_)(?:grep|search_content|search_text|rg)(?:_|$)"), search_tool),
    (re.compile(r"(?:^|_)(?:glob|find|search_files|search_names)(?:_|$)"), names_tool),
    (re.compile(r"(?:^|_)(?:ls|list|tree|dir|directory)(?:_|$)"), list_tool),
    (re.compile(r"(?:^|_)(?:write|create|save|new|export)(?:_|$)"), write_tool),
    (re.compile(r"(?:^|_)(?:edit|replace|patch|update|modify|insert|append|delete|remove)(?:_|$)"), edit_tool),
    (re.compile(r"(?:^|_)(?:read|view|open|cat|get|load|show|fetch|extract|parse|preview|describe)(?:_|$)"), read_tool),
    (
        re.compile(r"(?:^|_)(?:sheets?|pdf|docx?|xlsx|excel|word|slides?|pptx?|pages?|workbook|spreadsheet)(?:_|$)"),
        document_tool,
    ),
)


def judge(scene: Scene) -> None:
    """Gathers what one call read, listed and wrote."""
    scene.arguments = _inner(scene.arguments)
    if scene.tool == "shell" and _patch_text(scene):
        apply_patch(scene, _patch_text(scene))
        return
    tool = find_tool(scene.tool)
    if tool is not None:
        tool(scene)
        return
    _fallback(scene)


def _patch_text(scene: Scene) -> str:
    words = scene.arguments.get("command")
    if isinstance(words, list) and words[:1] == ["apply_patch"] and len(words) > 1 and isinstance(words[1], str):
        return words[1]
    return ""


def _inner(arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    """Arguments that stand one level down, as in `{"request": {…}}`."""
    if len(arguments) == 1:
        only = next(iter(arguments.values()))
        if isinstance(only, dict) and only:
            return only
    return arguments


def find_tool(name: str) -> Tool | None:
    """The table's tool for a name, with a server's prefix or without.

    >>> find_tool("mcp__files__read_text_file") is read_tool, find_tool("filesystem_server_list_files") is list_tool
    (True, True)
    >>> find_tool("frobnicate") is None
    True
    """
    if name in TOOLS:
        return TOOLS[name]
    bare = re.split(r"__|[.:/]", name)[-1]
    if bare in TOOLS:
        return TOOLS[bare]
    words = bare.split("_")
    for start in range(1, len(words)):
        if (suffix := "_".join(words[start:])) in TOOLS:
            return TOOLS[suffix]
    return None


def _fallback(scene: Scene) -> None:
    """An unknown tool: by the words of its name, else by its arguments and what is seen."""
    bare = re.split(r"__|[.:/]", scene.tool)[-1]
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).replace("-", "_").lower()
    known = scene.tool
    scene.tool = f"{known} (unknown tool, by its name and arguments)"
    for words, tool in _BY_WORD:
        if words.search(name) and _has_what_it_needs(tool, scene):
            tool(scene)
            return
    if any(name in scene.arguments for name in COMMAND_ARGUMENTS):
        shell_tool(scene)
    elif scene.argument(*PATH_ARGUMENTS):
        (write_tool if scene.argument("content", "file_text", "text") else read_tool)(scene)
    elif scene.text.strip() and any(isinstance(value, str) and "/" in value for value in scene.arguments.values()):
        scene.sight.undecided.setdefault("", f"{known}: an unknown tool; which files it shows cannot be told")


def _has_what_it_needs(tool: Tool, scene: Scene) -> bool:
    if tool in (shell_tool, code_tool):
        return bool(command_of(scene))
    if tool in (list_tool, names_tool, search_tool):
        told = re.search(r"file|dir|folder|path|glob|tree|grep|repo|drive", scene.tool, re.IGNORECASE)
        return told is not None or bool(scene.argument(*PATH_ARGUMENTS))
    if tool in (read_tool, write_tool, edit_tool, document_tool):
        return bool(scene.argument(*PATH_ARGUMENTS)) or any(
            isinstance(value, list) for value in scene.arguments.values()
        )
    return True


__all__ = ["TOOLS", "Scene", "Tool", "find_tool", "judge", "replace"]
