"""git: content of objects and patches, names in status and stat."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from tabcore.capture.patterns import DEEP, STAR, resolve
from tabcore.capture.programs.call import Call, Row, noise
from tabcore.capture.programs.search import grep
from tabcore.capture.shows import Content, Names, Noise, Stream

Verb = Callable[[Call, str], Stream]
"""What a subcommand shows; the second argument is the folder in which git runs."""

_GLOBAL_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")
_VALUES = "n L format pretty S G U since until after before author grep O l m F C c t o e x"


def git(call: Call) -> Stream:
    """Global options, then the subcommand."""
    words = list(call.arguments)
    folder = call.shell.cwd
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in _GLOBAL_VALUES and words:
            value = words.pop(0)
            if option == "-C":
                folder = call.path(value)
    if not words:
        return (Noise("git: about itself"),)
    verb = VERBS.get(words[0])
    shell = call.shell.child()
    shell.cwd = folder
    inner = Call("git " + words[0], words[1:], shell, call.stdin)
    return verb(inner, _repository(folder, call)) if verb else noise(inner)


def _repository(folder: str, call: Call) -> str:
    """The root of the working tree: the nearest folder that is known to hold .git, else `folder`."""
    facts = call.shell.facts
    current = folder
    while current not in ("/", ""):
        inside = current + "/.git"
        if facts.is_folder(inside) or inside in facts.workspace.files or current in facts.workspace.repositories:
            return current
        current = posixpath.dirname(current)
    return ""


def show(call: Call, repository: str) -> Stream:
    """git show, git log, git diff, stash show: patches are content, --stat and --name-only names, REV:path a file."""
    parsed = call.parsed(_VALUES)
    objects = [word for word in parsed.operands if ":" in word and not word.startswith((":/", "/", "."))]
    if call.name in ("git show", "git cat-file") and objects:
        return _objects(call, objects, repository)
    if call.name == "git cat-file":
        return (Noise("git cat-file: an object"),)
    if parsed.has(
        "name-only", "name-status", "stat", "numstat", "shortstat", "summary", "compact-summary", "dirstat", "raw"
    ):
        form = "status" if parsed.has("name-status") else "plain" if parsed.has("name-only") else "stat-lines"
        relative = parsed.has("relative")
        return (
            Names(
                call.shell.cwd if relative else _base(call, repository),
                form,
                f"{call.name}: names without content",
                folders=("git",),
            ),
        )
    patch = call.name in (
        "git show",
        "git diff",
        "git format-patch",
        "git range-diff",
        "git diff-tree",
        "git diff-index",
        "git diff-files",
    )
    if not patch and not parsed.has("p", "u", "patch", "L", "G", "cc"):
        return (Noise(f"{call.name}: no content of files"),)
    return (Content((), f"{call.name}: a patch shows content", "diff", _base(call, repository), deep=True),)


def _base(call: Call, repository: str) -> str:
    """Patches name paths from the root of the working tree; where that is not known, from the working directory."""
    return repository or call.shell.cwd


def _objects(call: Call, objects: list[str], repository: str) -> Stream:
    """`REV:path`, from the root of the working tree, or `REV:./path`; a folder shows its entries."""
    shown: list[Content | Names] = []
    for word in objects:
        path = word.split(":", 1)[1]
        if repository or path.startswith(("./", "../")):
            absolute = resolve(call.shell.cwd if path.startswith(".") else repository, path)
        else:
            absolute = call.shell.facts.in_repository(path, call.shell.cwd)
        shown.append(Content((absolute,), "git show REV:path: content of the file", "object", absolute))
    return tuple(shown)


def status(call: Call, repository: str) -> Stream:
    """git status: paths that changed, relative to the working directory."""
    parsed = call.parsed("u ignored porcelain")
    base = call.shell.cwd if not parsed.has("porcelain") else _base(call, repository)
    return (Names(base, "status", "git status: paths that changed", folders=("git",)),)


def ls_files(call: Call, repository: str) -> Stream:
    """git ls-files, ls-tree: paths under version control."""
    base = call.shell.cwd if not call.parsed("x X").has("full-name") else _base(call, repository)
    form = (
        "plain"
        if call.parsed().has("name-only", "name-status") or call.name == "git ls-files"
        else r"^\d{6} \w+ [0-9a-f]+(?: +\S+)?\s(?P<path>.+)$"
    )
    if call.name == "git ls-files" and call.parsed().has("s", "stage"):
        form = r"^\d{6} [0-9a-f]+ \d\t(?P<path>.+)$"
    return (Names(base, form, f"{call.name}: paths under version control", (DEEP + STAR,), folders=("git",)),)


def blame(call: Call, repository: str) -> Stream:
    """git blame, annotate: a file's lines."""
    words = [
        word for word in call.parsed("L C M S").operands if not re.fullmatch(r"HEAD.*|[0-9a-f]{7,40}|\w+[~^]\d*", word)
    ]
    return call.content(words[-1:], f"{call.name}: takes content")


def git_grep(call: Call, repository: str) -> Stream:
    """git grep: recursive."""
    words = [word for word in call.arguments if not word.startswith("--untracked")]
    return grep(Call("grep", ["-rH", *words], call.shell, call.stdin))


def log(call: Call, repository: str) -> Stream:
    """git log: subjects, unless a patch or names are asked for."""
    return show(call, repository)


def stash(call: Call, repository: str) -> Stream:
    """git stash show: as git diff, with --stat by default."""
    if call.arguments[:1] != ["show"]:
        return noise(call)
    words = call.arguments[1:]
    patch = any(word in ("-p", "--patch", "-u") for word in words)
    return show(Call("git diff", words if patch else ["--stat", *words], call.shell), repository)


def move(call: Call, repository: str) -> Stream:
    """git mv: as mv."""
    return call.run(["mv", *call.arguments])


def remove(call: Call, repository: str) -> Stream:
    """git rm: names what it removes."""
    return ()


def archive(call: Call, repository: str) -> Stream:
    """git archive, bundle: written with -o."""
    target = call.parsed("o output prefix format remote").value("o", "output")
    if target:
        call.shell.facts.author(call.path(target), "git archive: writes a file")
    return ()


VERBS: dict[str, Verb] = {
    **dict.fromkeys(
        [
            "show",
            "diff",
            "log",
            "diff-tree",
            "diff-index",
            "diff-files",
            "cat-file",
            "whatchanged",
            "reflog",
            "range-diff",
        ],
        show,
    ),
    "status": status,
    "stash": stash,
    "ls-files": ls_files,
    "ls-tree": ls_files,
    "blame": blame,
    "annotate": blame,
    "grep": git_grep,
    "mv": move,
    "rm": remove,
    "archive": archive,
}

ROWS: dict[str, Row] = {
    "git": git,
    **dict.fromkeys(["hg", "svn", "gh", "glab"], noise),
}
