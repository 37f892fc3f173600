"""What harnesses wrap around a command's output: headers, trailers, prompts, notices. Taken off, the output is left."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from tabcore.capture.text_spans import lines_with, without

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78cDEHMNOZ]")
_BLUE = re.compile(r"\x1b\[(?:\d+;)*34(?:;\d+)*m([^\x1b\n]+)")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)\n?", re.DOTALL)
_CLEARED = re.compile(
    r"\s*(?:\[Old tool result content cleared\]|\[cleared\]|\(no output\)|\(no content\)|<no output>|exec_command failed for[^\0]*|\(Bash completed with no output\)|\(Command completed with no output\)|Tool ran without output or errors|\[no output\]|Error decoding bytes[^\n]*|Your command ran successfully and did not produce any output\.)\s*"
)
_SKIPPED = re.compile(
    r"\s*(?:<tool_use_error>.*|The user doesn't want to (?:proceed|take this action).*|\[Request interrupted by user.*|Operation aborted.*|Tool call skipped.*|Skipped due to queued user message.*"
    r"|Command aborted.*|\[?(?:tool )?call (?:was )?(?:aborted|cancelled|skipped)[^\n]*|User rejected.*|Permission to use \w+ .*|This command requires approval.*)\s*",
    re.DOTALL | re.IGNORECASE,
)
_TIMEOUT = re.compile(
    r"^\[?(?:the )?command (?:timed out|aborted|was (?:aborted|killed|interrupted))[^\n]*\]?$|^Command exited with code -?\d+$|^\[?Process (?:timed out|exited|killed)[^\n]*$|^Exit code:? -?\d+$|^\[exit(?: code)?:? -?\d+\]$",
    re.MULTILINE | re.IGNORECASE,
)
_CUT = re.compile(
    r"^[ \t]*(?:\.\.\.|…)?[ \t]*[\[<(]?[ \t]*(?:\.\.\.|…)?[ \t]*(?:(?:the )?(?:output|response|observation|result|content|text|file|lines?)?[ \t]*(?:was |has been |is )?(?:truncated|clipped)\b[^\n]*|\d[\d,.]* (?:more )?(?:characters?|chars?|lines?|bytes|tokens)\b[^\n]{0,40}(?:omitted|truncated|elided|remaining|more|left)[^\n]*"
    r"|Showing lines \d+[^\n]*|\d+ more lines in file[^\n]*|\d+ (?:matches|results|entries|files) limit reached[^\n]*|Output (?:truncated|too large)[^\n]*|Results? (?:are |is )?truncated[^\n]*|Full output[^\n]*|Truncated[^\n]*)[\]>)]?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_INLINE_CUT = re.compile(
    r"<response clipped>(?:<NOTE>[^\n]*</NOTE>)?|\[\.\.\.truncated, \d+ chars omitted\]|<NOTE>[^\n]*</NOTE>|\.\.\.\s*\[truncated\]",
    re.DOTALL,
)
_CODEX = re.compile(
    r"\A(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?(?:Process (?:exited with code -?\d+|running with session ID[^\n]*)\n)?(?:Exit code: -?\d+\n)?(?:Wall time: [^\n]*\n)?(?:Original token count: [^\n]*\n)?(?:Total output lines: [^\n]*\n)?Output:\n?"
)
_MINI = re.compile(r"\A(?:<returncode>-?\d+</returncode>\n?)?<output>\n?(.*?)\n?(?:</output>\s*\Z|\Z)", re.DOTALL)
_MINI_PARTS = re.compile(
    r"<(?:output_head|output_tail|elided_chars|warning)>\n?|</(?:output_head|output_tail|elided_chars|warning)>\n?"
)
_GEMINI = re.compile(
    r"\A(?:Command: .*?\n)?(?:Directory: [^\n]*\n)?(?:Stdout|Output): (.*?)(?:\nStderr: (.*?))?(?:\nError: [^\n]*)?(?:\nExit Code: [^\n]*)?(?:\nSignal: [^\n]*)?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?\s*\Z",
    re.DOTALL,
)
_HEADS = re.compile(
    r"\A(?:OBSERVATION:\n|Observation: ?|New Terminal Output:\n+|Current Terminal Screen:\n+|Command executed\.\nOutput:\n|Command executed successfully\.?\n(?:Output:\n)?|Exit code:? -?\d+\n|Output:\n|EXECUTION RESULT of \[[^\]]*\]:\n|stdout:\n|STDOUT:\n|\[stdout\]\n)"
)
_OPENHANDS = re.compile(
    r"\n?\[(?:The command completed with exit code -?\d+|The command has no new output|Command finished with exit code -?\d+|The command timed out)[^\n]*(?:\n\[[^\n]*\])*\s*\Z|\n?\[(?:Current working directory|Python interpreter): [^\n]*\](?:\n\[[^\n]*\])*\s*\Z|\n?\[Jupyter [^\n]*\]\s*\Z"
)
_OPENHANDS_CWD = re.compile(r"^\[Current working directory: (?P<cwd>[^\n]*)\]$", re.MULTILINE)
_SWE = re.compile(
    r"\n?^\(Open file: (?P<open>[^\n]*)\)\n\(Current directory: (?P<cwd>[^\n]*)\)\n?(?:bash-\$ ?)?\s*\Z", re.MULTILINE
)
_VIEWER = re.compile(
    r"\A(?P<shown>.*?)\n*^\[stdout\]\n(?P<output>.*?)(?:\n\[stderr\]\n.*?)?\n*^\[metadata\] [^\n]*\s*\Z",
    re.DOTALL | re.MULTILINE,
)
_PERSISTED = re.compile(
    r"\A\s*<persisted-output>\n(?:Output too large[^\n]*\n)?\s*(?:Preview[^\n]*:\n)?(.*?)(?:\n\.\.\.)?\n?</persisted-output>\s*\Z",
    re.DOTALL,
)
_TIMING = re.compile(r"\n^real\t?\s*\d[\d.msh]*\n(?:user|sys)[^\n]*\n(?:user|sys)[^\n]*\n?", re.MULTILINE)
_PROMPT = re.compile(
    r"^(?:\([\w.-]+\) )?(?:[\w.-]+@[\w.-]+:[^\n$#]*[$#]|bash-[\d.]*[$#]|root@[\w.-]+:[^\n$#]*#|\[[\w.-]+@[\w.-]+ [^\]\n]*\][$#])[ \t]?(?P<typed>[^\n]*)$",
    re.MULTILINE,
)
_PROMPT_SIGN = re.compile(r"^(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+:[^\n$#]*[$#]", re.MULTILINE)


@dataclass(slots=True)
class Unwrapped:
    """A command's output without what the harness put around it.

    `cut`: some of it is missing. `preview`: the harness shows a beginning only. `empty`: it says that there is none, or
    that the call was not made. `cwd`, `open_file`: where the wrapping states them. `folders`: names in the colour of folders.
    """

    text: str
    cut: bool = False
    preview: bool = False
    empty: bool = False
    cwd: str = ""
    open_file: str | None = None
    folders: set[str] = field(default_factory=set)


_CUT_SIGNS = (
    "runcated",
    "RUNCATED",
    "lipped",
    "omitted",
    "elided",
    "emaining",
    "Showing lines",
    "more lines",
    "more char",
    "more bytes",
    "more line",
    "limit reached",
    "oo large",
    "ull output",
    "lines left",
)
_END_SIGNS = ("imed out", "borted", "xited", "xit code", "exit:", "illed", "nterrupted")


def unwrapped(text: str) -> Unwrapped:
    """The output inside a shell tool's result.

    >>> unwrapped("<returncode>0</returncode>\\n<output>\\na\\n</output>").text
    'a'
    >>> unwrapped("a\\n... [output truncated, 10 characters omitted]").cut
    True
    """
    result = Unwrapped(text)
    if "\x1b" in text:
        result.folders = set(_BLUE.findall(text))
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if len(text) < 400 and (_CLEARED.fullmatch(text) or _SKIPPED.fullmatch(text)):
        return Unwrapped("", empty=True)
    return _peeled(text, result)


def _peeled(text: str, result: Unwrapped) -> Unwrapped:
    if "<system-reminder>" in text:
        text = _REMINDER.sub("", text)
    if text[:1] in "{ \n":
        text = _from_json(text)
    for expression in (_PERSISTED, _MINI) if text[:40].lstrip()[:1] == "<" else ():
        if (match := expression.match(text)) is not None:
            result.preview = result.preview or expression is _PERSISTED
            text = match.group(1)
    if "<output_head>" in text:
        text = _MINI_PARTS.sub("", text)
        result.cut = True
    if "[metadata]" in text and (match := _VIEWER.match(text)) is not None:
        text = match["output"]
    if text.startswith("Command: ") and (place := text.find("\nChunk ID: ", 0, 40_000)) > 0:
        text = text[place + 1 :]
    if (
        text.startswith(("Command: ", "Directory: ", "Output: ", "Stdout: "))
        and (match := _GEMINI.match(text)) is not None
    ):
        text = "\n".join(part for part in match.groups() if part and part not in ("(empty)", "(none)"))
    if (match := _CODEX.match(text)) is not None and match.end():
        text = text[match.end() :]
    while (match := _HEADS.match(text)) is not None:
        text = text[match.end() :]
    return _without_trailers(text, result)


def _without_trailers(text: str, result: Unwrapped) -> Unwrapped:
    if "[Current working directory" in text and (match := _OPENHANDS_CWD.search(text)) is not None:
        result.cwd = match["cwd"]
    tail = text[-1500:]
    if "[The command" in tail or "[Command finished" in tail or "[Current working" in tail or "[Jupyter" in tail:
        text = text[: len(text) - len(tail)] + _OPENHANDS.sub("", tail)
    if "(Open file: " in text and (match := _SWE.search(text)) is not None:
        result.open_file = match["open"] if match["open"] not in ("n/a", "") else ""
        result.cwd = match["cwd"]
        text = text[: match.start()] + "\n"
    if "\nreal" in text and "\nuser" in text:
        text = _TIMING.sub("\n", text)
    cuts = _cut_notices(text)
    if cuts:
        text, result.cut = without(text, cuts), True
    if _may_end(text[:200]):
        text = _TIMEOUT.sub("", text[:200]) + text[200:]
    if len(text) > 200 and _may_end(text[-300:]):
        text = text[:-300] + _TIMEOUT.sub("", text[-300:])
    result.text = "" if _CLEARED.fullmatch(text) else text
    return result


def _may_end(part: str) -> bool:
    return any(sign in part for sign in _END_SIGNS)


def _cut_notices(text: str) -> list[tuple[int, int]]:
    """Where the text says that some of it is missing: whole lines, and notices within a line."""
    spans: list[tuple[int, int]] = []
    for start, end in lines_with(text, _CUT_SIGNS, 400):
        if _CUT.match(text, start, end) is not None:
            spans.append((start, end))
        else:
            spans += [(match.start(), match.end() - 1) for match in _INLINE_CUT.finditer(text, start, end)]
    return spans


def _from_json(text: str) -> str:
    """The output in `{"output": …}`, `{"stdout": …, "stderr": …}` and their like."""
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")) or len(stripped) > 5_000_000:
        return text
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict):
        return text
    parts = [
        value[key] for key in ("output", "stdout", "stderr", "aggregated_output") if isinstance(value.get(key), str)
    ]
    known = {
        "output",
        "stdout",
        "stderr",
        "metadata",
        "success",
        "exit_code",
        "error",
        "returncode",
        "interrupted",
        "isImage",
        "aggregated_output",
        "noOutputExpected",
        "status",
        "duration_ms",
        "message",
        "code",
    }
    return "\n".join(parts) if parts and set(value) <= known else text


def without_prompts(text: str, command: str) -> str:
    """A terminal's screen without prompts and typed commands; where it shows several commands, the part of this one.

    >>> without_prompts("me@box:/w$ ls\\na\\nme@box:/w$ cat a.txt\\nhello\\nme@box:/w$ ", "cat a.txt")
    'hello\\n'
    """
    prompts = list(_PROMPT.finditer(text))
    if not any(_PROMPT_SIGN.match(prompt.group()) for prompt in prompts):
        return text
    typed = [line.strip() for line in command.splitlines() if line.strip()]
    own = [i for i, prompt in enumerate(prompts) if _is_typed(prompt["typed"], typed)]
    if not own:
        return re.sub(r"\A\n+", "", _PROMPT.sub(_kept, text))
    pieces: list[str] = []
    for i in own:
        start = prompts[i].end() + 1
        end = prompts[i + 1].start() if i + 1 < len(prompts) else len(text)
        pieces.append(text[start:end])
    return "".join(pieces)


def _is_typed(shown: str, typed: list[str]) -> bool:
    """True when the text behind a prompt is one of the lines, whole or as far as the screen is wide."""
    shown = shown.strip()
    return bool(shown) and any(line == shown or (len(shown) > 30 and line.startswith(shown)) for line in typed)


def _kept(match: re.Match[str]) -> str:
    return "" if not match["typed"].strip() or _PROMPT_SIGN.match(match.group()) else match.group()
