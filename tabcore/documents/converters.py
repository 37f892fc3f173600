"""Word's and PowerPoint's binary files (.doc, .ppt), by a converter program that is on PATH."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import which

from tabcore.documents.limits import Content, Item
from tabcore.documents.places import Kind, Paragraph, Piece, Shape
from tabcore.documents.slides import read_slides
from tabcore.documents.word import read_word

_TEXT_PROGRAMS: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "doc": (("antiword", "-m", "UTF-8.txt", "-w", "0"), ("catdoc", "-d", "utf-8", "-w")),
    "ppt": (("catppt", "-d", "utf-8"),),
}
_OFFICES = ("soffice", "libreoffice")


def read_doc(content: Content) -> Iterator[Item]:
    """A Word file of the old make."""
    yield from _converted(content, "doc")


def read_ppt(content: Content) -> Iterator[Item]:
    """A PowerPoint file of the old make."""
    yield from _converted(content, "ppt")


def _converted(content: Content, kind: Kind) -> Iterator[Item]:
    """The document as the first program reads it that is there and succeeds; which one did is noted.

    LibreOffice comes first: it keeps tables and slides. The others give lines of text.
    """
    faults: list[str] = []
    office = next(filter(which, _OFFICES), None)
    if office:
        converted = _by_office(content, kind, office, faults)
        if converted is not None:
            yield content.problem(
                "converted", f"it was converted by {office}", "places are those of the copy", lost=False
            )
            inner = Content(converted, content.name, content.limits)
            yield from read_word(inner) if kind == "doc" else read_slides(inner)
            return
    for command in _TEXT_PROGRAMS[kind]:
        text = _output(content, command, faults) if which(command[0]) else None
        if text is not None:
            yield content.problem("converted", f"it was read by {command[0]}", "as lines of text", lost=False)
            yield from _lines(text, kind)
            return
    yield _unread(content, kind, faults)


def _unread(content: Content, kind: Kind, faults: list[str]) -> Item:
    programs = [*_OFFICES[1:], *(command[0] for command in _TEXT_PROGRAMS[kind])]
    if faults:
        return content.problem("damaged", f"no program could read it ({'; '.join(faults)})", "not read")
    what = f"a .{kind} file of the old make needs a program to read it, and none is on PATH"
    return content.problem("no converter", what, f"not read; install one of {', '.join(programs)}")


def _lines(text: str, kind: Kind) -> Iterator[Item]:
    if kind == "doc":
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                yield Piece(line.strip(), Paragraph("body", number))
        return
    for number, slide in enumerate(text.split("\f"), start=1):
        for line in slide.splitlines():
            if line.strip():
                yield Piece(line.strip(), Shape(f"slide {number}", ""))


def _output(content: Content, command: tuple[str, ...], faults: list[str]) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "document")
        path.write_bytes(content.data)
        ran = _run([*command, str(path)], content, folder)
    if ran.returncode or not ran.stdout.strip():
        faults.append(f"{command[0]}: {ran.stderr.decode(errors='replace').strip()[:200] or 'no text'}")
        return None
    return ran.stdout.decode("utf-8", "replace")


def _by_office(content: Content, kind: Kind, office: str, faults: list[str]) -> bytes | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"document.{kind}")
        path.write_bytes(content.data)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        ran = _run(
            [office, profile, "--headless", "--convert-to", f"{kind}x", "--outdir", folder, str(path)], content, folder
        )
        made = path.with_suffix(f".{kind}x")
        if made.is_file():
            return made.read_bytes()
    faults.append(f"{office}: {ran.stderr.decode(errors='replace').strip()[:200] or 'no document'}")
    return None


def _run(command: list[str], content: Content, folder: str) -> subprocess.CompletedProcess[bytes]:
    """What the program answered; one that does not end leaves time for the next."""
    seconds = content.limits.seconds / 3
    try:
        return subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        words = f"not ended within {seconds:.1f} s" if isinstance(fault, subprocess.TimeoutExpired) else str(fault)
        return subprocess.CompletedProcess(command, 1, b"", words.encode())
