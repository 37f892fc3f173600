"""Files of the old office formats: which program reads them, and what is said when none does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from docx import Document as new_word_file
from pptx import Presentation as new_show

from tabcore.documents import Document
from tabcore.documents.limits import Content, Limits
from tabcore.documents.reading import gathered

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
DOC = COMPOUND + "WordDocument\0".encode("utf-16-le")
PPT = COMPOUND + "PowerPoint Document\0".encode("utf-16-le")
OFFICE = shutil.which("soffice")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, but for the shell."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def read(data: bytes, name: str = "x.doc", limits: Limits | None = None) -> Document:
    return gathered(Content(data, name, limits or Limits()))


def test_without_a_program_the_problem_names_those_that_would_read_it(programs: Path) -> None:
    [problem] = read(DOC).problems
    assert (problem.kind, problem.done) == ("no converter", "not read; install one of libreoffice, antiword, catdoc")
    assert read(PPT).problems[0].done == "not read; install one of libreoffice, catppt"


def test_the_next_program_is_tried_when_one_fails(programs: Path) -> None:
    install(programs, "antiword", "echo 'too small' >&2; exit 1")
    install(programs, "catdoc", "echo 'Rent 12'; echo; echo 'more'")
    document = read(DOC)
    assert [(str(piece.place), piece.text) for piece in document.pieces] == [
        ("paragraph 1", "Rent 12"),
        ("paragraph 3", "more"),
    ]
    assert [(problem.what, problem.lost) for problem in document.problems] == [("it was read by catdoc", False)]


def test_when_all_programs_fail_their_words_are_given(programs: Path) -> None:
    install(programs, "antiword", "echo 'too small' >&2; exit 1")
    install(programs, "catdoc", "exit 0")
    [problem] = read(DOC).problems
    assert problem.lost
    assert problem.what == "no program could read it (antiword: too small; catdoc: no text)"


def test_a_program_that_hangs_is_ended(programs: Path) -> None:
    install(programs, "catppt", "exec /bin/sleep 60")
    [problem] = read(PPT, limits=Limits(seconds=1.5)).problems
    assert problem.what == "no program could read it (catppt: not ended within 0.5 s)"


def test_form_feeds_part_the_slides_of_catppt(programs: Path) -> None:
    install(programs, "catppt", "printf 'One\\n\\fTwo 12\\n'")
    assert [str(piece.place) for piece in read(PPT).pieces] == ["slide 1", "slide 2"]


@pytest.mark.skipif(not OFFICE, reason="LibreOffice is not on PATH")
def test_libreoffice_keeps_the_tables_of_doc_and_the_slides_of_ppt(tmp_path: Path) -> None:
    text = new_word_file()
    text.add_paragraph("Limit: EUR 165 a night")
    table = text.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Rent", "12.3 %"
    text.add_paragraph("End")
    text.save(str(tmp_path / "a.docx"))
    show = new_show()
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = "Rent 12"
    show.save(str(tmp_path / "b.pptx"))
    for name, kind in (("a.docx", "doc"), ("b.pptx", "ppt")):
        command = [
            str(OFFICE),
            f"-env:UserInstallation=file://{tmp_path}/profile",
            "--headless",
            "--convert-to",
            kind,
            name,
        ]
        subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, check=True)
    patient = Limits(seconds=180)
    document = read((tmp_path / "a.doc").read_bytes(), limits=patient)
    assert document.kind == "doc"
    assert [(str(piece.place), piece.text) for piece in document.pieces] == [
        ("paragraph 1", "Limit: EUR 165 a night"),
        ("table 1, row 1, column 1", "Rent"),
        ("table 1, row 1, column 2", "12.3 %"),
        ("paragraph 2", "End"),
    ]
    assert "Rent 12" in read((tmp_path / "b.ppt").read_bytes(), limits=patient).text


@pytest.mark.skipif(not OFFICE or not shutil.which("antiword"), reason="LibreOffice or antiword is not on PATH")
def test_antiword_gives_paragraphs_as_lines(tmp_path: Path, programs: Path) -> None:
    text = new_word_file()
    for number in range(30):
        text.add_paragraph(f"Limit {number}: EUR 165 a night, and some more words, since antiword refuses short texts")
    text.save(str(tmp_path / "a.docx"))
    command = [
        str(OFFICE),
        f"-env:UserInstallation=file://{tmp_path}/profile",
        "--headless",
        "--convert-to",
        "doc",
        "a.docx",
    ]
    paths = {**os.environ, "PATH": "/usr/bin:/bin"}
    subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, check=True)
    (programs / "antiword").symlink_to("/usr/bin/antiword")
    patient = Limits(seconds=180)
    document = read((tmp_path / "a.doc").read_bytes(), limits=patient)
    assert [problem.what for problem in document.problems] == ["it was read by antiword"]
    assert document.pieces[29].text.startswith("Limit 29: EUR 165 a night")
