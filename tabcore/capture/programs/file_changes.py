"""Programs that make, copy, move and remove files, and those that show nothing."""

from __future__ import annotations

import posixpath

from tabcore.capture.patterns import DEEP, STAR, is_literal, resolve, words_of
from tabcore.capture.programs.call import Call, Row, noise, silent
from tabcore.capture.shows import Names, Noise, Stream


def copy(call: Call) -> Stream:
    """cp, install, rsync, scp: the copy is authored; -v prints paths that are neither read nor listed."""
    parsed = call.parsed("t S target-directory suffix m o g e exclude include rsh")
    facts = call.shell.facts
    rule = f"{call.name}: writes a copy"
    recursive = parsed.has("r", "R", "a", "recursive", "archive")
    for source, target in _pairs(call, parsed.operands, parsed.value("t", "target-directory")):
        if facts.errors.mentions(call.path(source)):
            continue
        if not is_literal(target):
            facts.author_all(target, rule)
        elif recursive and (facts.is_folder(call.path(source)) or not posixpath.splitext(source)[1]):
            facts.author_all(target + "/" + DEEP + STAR, rule)
            facts.folders.add(target)
        else:
            facts.author(target, rule, call.shell.content([source], f"{call.name}: copies content"))
            script = facts.script(call.path(source))
            if script:
                facts.scripts[target] = script
    return ()


def move(call: Call) -> Stream:
    """mv: the file has a new path."""
    parsed = call.parsed("t S target-directory suffix")
    for source, target in _pairs(call, parsed.operands, parsed.value("t", "target-directory")):
        call.shell.facts.move(call.path(source), target, "mv: the file has a new path")
    return ()


def _pairs(call: Call, operands: list[str], folder: str | None) -> list[tuple[str, str]]:
    """Each source with the absolute path that it gets."""
    if folder is None:
        if len(operands) < 2:
            return []
        *operands, folder = operands
        into = (
            folder.endswith("/")
            or len(operands) > 1
            or folder in (".", "..")
            or call.shell.facts.is_folder(call.path(folder))
        )
        if not into and is_literal(folder):
            return [(operands[0], call.path(folder))]
    sources = [path for word in operands for path in _expanded(call, word)]
    return [(source, call.path(posixpath.join(folder, posixpath.basename(source)))) for source in sources]


def _expanded(call: Call, word: str) -> list[str]:
    return [word] if is_literal(word) else call.shell.facts.known(call.path(word)) or [word]


def link(call: Call) -> Stream:
    """ln: makes a name for a file."""
    parsed = call.parsed("t S")
    operands = parsed.operands
    if len(operands) == 2 and is_literal(operands[1]):
        folder = posixpath.dirname(call.path(operands[1])) if parsed.has("s", "symbolic") else call.shell.cwd
        source = call.shell.content([resolve(folder, operands[0])], "ln: links")
        call.shell.facts.author(call.path(operands[1]), "ln: makes a link", source)
    return ()


def touch(call: Call) -> Stream:
    """touch, truncate: an empty file of the agent's own, where there was none."""
    facts = call.shell.facts
    for word in call.parsed("r t d s size reference date").operands:
        if is_literal(word) and call.path(word) not in facts.workspace.files:
            facts.author(call.path(word), f"{call.name}: makes a file")
    return ()


def make_folder(call: Call) -> Stream:
    """mkdir: folders are never candidates."""
    for word in call.parsed("m mode").operands:
        if is_literal(word):
            call.shell.facts.folders.add(call.path(word))
    return ()


def remove(call: Call) -> Stream:
    """rm, unlink, shred: nothing is shown."""
    call.shell.facts.removed.update(call.path(word) for word in call.parsed().operands)
    return ()


def download(call: Call) -> Stream:
    """curl, wget: file:// shows a file, -o writes one."""
    parsed = call.parsed(
        "o O output output-document H X d data A u user-agent header request m max-time retry connect-timeout w write-out b cookie c e F T x P"
    )
    target = parsed.value("o", "output") or (parsed.value("O", "output-document") if call.name == "wget" else None)
    files = [word.removeprefix("file://") for word in parsed.operands if word.startswith("file://")]
    if target and target != "-":
        call.shell.facts.author(
            call.path(target),
            f"{call.name}: writes a file",
            call.content(files, "curl: takes content") if files else (),
        )
        return ()
    return call.content(files, f"{call.name} file://: takes content") if files else noise(call)


def temporary(call: Call) -> Stream:
    """mktemp: a path outside the workspace."""
    return (Names("/tmp", "none", "mktemp: a temporary path"),)


_SILENT = words_of("""mkfifo chmod chown chgrp rmdir unlink shred sync wait kill pkill killall disown jobs bg fg fc trap ulimit umask
true false : sleep clear reset stty tput exit return break continue shift unset local readonly declare typeset
shopt complete bind hash times logout notify-send xdg-open open pbcopy xclip systemctl service mount umount
chattr setfacl touchbar patch at crontab unalias enable getopts let builtin-none mknod losetup renice ionice-none""")

_NOISY = words_of("""date pwd whoami id hostname uname uptime env-none printenv arch nproc free df lscpu ps top htop vmstat lsof
history pip pip3 npm pnpm yarn bun cargo rustc go gcc g++ clang cc make cmake ninja mvn gradle javac java dotnet
apt apt-get apt-cache dpkg dnf yum brew snap apk docker podman kubectl helm terraform ansible pytest tox mypy ruff black flake8
isort pylint eslint tsc jest vitest mocha locale locale-gen getent groups last w who ping nslookup dig host ip ifconfig netstat ss
ssh ssh-keygen openssl gpg base-none man info help tldr apropos cal bc dc expr yes factor jot random basename-none
tty sw_vers sysctl pgrep pidof screen tmux nc telnet pre-commit coverage sphinx-build rake bundle gem
latexmk pdflatex xelatex lualatex bibtex fc-list fc-cache ldd nm objdump readelf strace ltrace gdb lldb timedatectl hostnamectl rbenv pyenv nvm
google-chrome chromium playwright psql mysql redis-cli mongo aws gcloud az lsblk blkid dmesg journalctl rustup""")

_ONE_LINE = words_of("date whoami id hostname uname uptime nproc arch expr tty bc")

ROWS: dict[str, Row] = {
    **dict.fromkeys(_SILENT, silent),
    **dict.fromkeys(_NOISY, noise),
    **dict.fromkeys(_ONE_LINE, lambda call: (Noise(f"{call.name}: one line that tells nothing of files", 1),)),
    **dict.fromkeys(["cp", "install", "rsync", "scp", "gcp", "ditto"], copy),
    **dict.fromkeys(["mv", "rename", "gmv"], move),
    "ln": link,
    **dict.fromkeys(["touch", "truncate"], touch),
    "mkdir": make_folder,
    **dict.fromkeys(["rm", "unlink", "trash", "trash-put"], remove),
    **dict.fromkeys(["curl", "wget", "http", "xh"], download),
    "mktemp": temporary,
}
