"""Documents that attack their reader, or were damaged on the way: each ends as a document with a problem."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_documents import PNG, docx, office, packed, paragraph, pdf, relations, xlsx
from pypdf import PdfReader, PdfWriter

from tabcore.documents import Document, Limits, read_bytes, read_document
from tabcore.documents.child import Child
from tabcore.documents.limits import Content

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def only(document: Document) -> tuple[str, bool]:
    """The kind of the one problem, and whether something was lost."""
    [problem] = document.problems
    return problem.kind, problem.lost


def mentions(document: Document, words: str) -> bool:
    return any(words in str(problem) for problem in document.problems)


class TestBombs:
    def test_a_zip_bomb_is_unpacked_to_the_limit_and_no_further(self) -> None:
        bomb = docx(paragraph("x") + " " * 400_000_000)
        assert len(bomb) < 1_000_000
        begun = time.monotonic()
        document = read_bytes(bomb, "x.docx")
        assert mentions(document, "raise Limits.unpacked_bytes")
        assert not document.pieces
        assert time.monotonic() - begun < 20

    def test_a_part_that_lies_about_its_size_is_a_problem(self) -> None:
        honest = docx(paragraph("0" * 5000))
        # The directory's entry of the part claims 10 bytes unpacked.
        at = honest.index(b"PK\x01\x02", honest.index(b"PK\x01\x02") + 1)
        while honest[at + 46 : at + 46 + 17] != b"word/document.xml":
            at = honest.index(b"PK\x01\x02", at + 1)
        lying = honest[: at + 24] + struct.pack("<I", 10) + honest[at + 28 :]
        assert only(read_bytes(lying, "x.docx")) == ("damaged", True)

    @pytest.mark.parametrize(
        "doctype",
        [
            '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>',
            '<!DOCTYPE w [<!ENTITY c SYSTEM "file:///etc/hostname">]>',
            '<!DOCTYPE w SYSTEM "http://127.0.0.1:9/x.dtd">',
        ],
    )
    def test_entities_are_neither_expanded_nor_fetched(self, doctype: str) -> None:
        body = f'{doctype}<w:document xmlns:w="urn:w"><w:body>{paragraph("&c;")}</w:body></w:document>'
        document = read_bytes(office("word/document.xml", {"word/document.xml": body}), "x.docx")
        assert only(document) == ("damaged", True)
        assert not document.text

    def test_a_document_type_alone_is_refused_since_no_office_file_has_one(self) -> None:
        body = f'<!DOCTYPE w><w:document xmlns:w="urn:w"><w:body>{paragraph("x")}</w:body></w:document>'
        assert only(read_bytes(office("word/document.xml", {"word/document.xml": body}), "x.docx")) == ("damaged", True)

    def test_a_sheet_that_claims_a_huge_range_costs_what_it_holds(self) -> None:
        rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
        document = read_bytes(xlsx(rows), "x.xlsx")
        assert [str(piece.place) for piece in document.pieces] == ["sheet Costs", "Costs!A1", "Costs!XFD1048576"]

    def test_repeated_rows_of_an_opendocument_sheet_are_counted_and_not_made(self) -> None:
        content = (
            '<o:d xmlns:o="o" xmlns:t="t" xmlns:x="x"><o:body><o:spreadsheet><t:table t:name="S"><t:table-row '
            't:number-rows-repeated="1048576"><t:table-cell t:number-columns-repeated="16384"><x:p>1</x:p></t:table-cell>'
            "</t:table-row></t:table></o:spreadsheet></o:body></o:d>"
        )
        data = packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})
        assert [piece.text for piece in read_bytes(data, "x.ods").pieces] == ["S", "1"]

    def test_archives_in_archives_are_read_to_a_depth(self) -> None:
        data = b"Rent 12"
        for depth in range(4):
            data = packed({f"{depth}.zip" if depth else "a.txt": data})
        document = read_bytes(data, "x.zip")
        assert mentions(document, "raise Limits.nesting")
        deeper = read_bytes(data, "x.zip", Limits(nesting=4))
        assert str(deeper.pieces[-1].place) == "3.zip: 2.zip: 1.zip: a.txt: line 1"
        assert deeper.pieces[-1].text == "Rent 12"

    def test_an_archive_of_too_many_files_is_not_read(self) -> None:
        data = packed({f"{i}.txt": b"" for i in range(50)})
        assert mentions(read_bytes(data, "x.zip", Limits(members=49)), "raise Limits.members")

    def test_xml_nested_a_hundred_thousand_deep_is_a_problem(self) -> None:
        document = read_bytes(docx("<w:sdt>" * 100_000 + "</w:sdt>" * 100_000), "x.docx")
        assert document.problems[0].lost

    def test_json_nested_a_hundred_thousand_deep_is_plain_text(self) -> None:
        assert read_bytes(b"[" * 100_000 + b"]" * 100_000, "x.json").kind == "text"

    def test_a_number_of_a_million_digits_stays_a_text(self) -> None:
        assert len(read_bytes(b"[" + b"9" * 900_000 + b"]", "x.json").text) == 900_000


class TestLimits:
    def test_a_pdf_of_a_thousand_pages_is_read_to_the_limit_and_says_so(self) -> None:
        document = read_bytes(pdf([[f"page {i}"] for i in range(1, 1001)]), "x.pdf")
        assert len(document.pieces) == 500
        [problem] = document.problems
        assert "1,000 pages" in problem.what
        assert problem.done == "pages 1 to 500 were read; raise Limits.pages to read more"
        assert len(read_bytes(pdf([[f"page {i}"] for i in range(1, 601)]), "x.pdf", Limits(pages=600)).pieces) == 600

    def test_pieces_and_characters_end_where_their_limits_say(self) -> None:
        lines = "".join(f"line {i}\n" for i in range(100)).encode()
        few = read_bytes(lines, "x.txt", Limits(pieces=10))
        assert len(few.pieces) == 10
        assert few.problems[0].done == "read up to line 11; raise Limits.pieces to read more"
        short = read_bytes(lines, "x.txt", Limits(characters=20))
        assert short.text == "line 0\nline 1\nline 2"
        assert mentions(short, "raise Limits.characters")

    def test_a_text_larger_than_the_limit_is_read_to_there(self, tmp_path: Path) -> None:
        path = tmp_path / "x.txt"
        path.write_text("12345\n" * 1000)
        document = read_document(path, Limits(file_bytes=60))
        assert document.text == "\n".join(["12345"] * 10)
        assert mentions(document, "raise Limits.file_bytes")
        path.write_bytes(docx(paragraph("x" * 500)))
        assert only(read_document(path, Limits(file_bytes=60))) == ("limit", True)

    def test_what_takes_too_much_memory_is_a_problem_and_the_next_is_read(self) -> None:
        heavy = docx(paragraph("x") * 1_000_000)
        assert mentions(read_bytes(heavy, "x.docx", Limits(memory_bytes=250 << 20)), "raise Limits.memory_bytes")
        assert read_bytes(docx(paragraph("next")), "y.docx").text == "next"

    def test_what_takes_too_long_is_ended_and_the_next_is_read(self) -> None:
        slow = b"<html>" + b"<![if " * 150_000
        begun = time.monotonic()
        document = read_bytes(slow, "x.html", Limits(seconds=0.5))
        assert time.monotonic() - begun < 30
        assert mentions(document, "raise Limits.seconds"), document
        assert read_bytes(docx(paragraph("next")), "y.docx").text == "next"


class TestDamage:
    @pytest.mark.parametrize(
        ("name", "data", "kind"),
        [
            ("empty.docx", b"", "empty"),
            ("picture.pdf", PNG, "picture"),
            ("noise.txt", bytes(range(256)) * 40, "unknown format"),
            ("head.pdf", b"%PDF-1.7\n", "damaged"),
            ("head.xlsx", b"PK\x03\x04", "damaged"),
            ("nothing.zip", packed({}), "no text"),
            ("locked.docx", COMPOUND + "EncryptedPackage\0".encode("utf-16-le"), "encrypted"),
            ("torn.xls", COMPOUND + "Workbook\0".encode("utf-16-le"), "damaged"),
            ("other.msg", COMPOUND, "unknown format"),
        ],
    )
    def test_a_file_without_readable_text_says_why(self, name: str, data: bytes, kind: str) -> None:
        document = read_bytes(data, name)
        assert not document.pieces
        assert [(problem.kind, problem.file) for problem in document.problems] == [(kind, name)]

    def test_a_document_of_pictures_alone_says_so(self) -> None:
        assert only(read_bytes(docx("", parts={"word/media/a.png": PNG}), "x.docx")) == ("picture", False)

    def test_an_encrypted_pdf_needs_its_password(self) -> None:
        writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf([["secret"]]))))
        writer.encrypt("word", algorithm="RC4-128")
        stream = io.BytesIO()
        writer.write(stream)
        assert only(read_bytes(stream.getvalue(), "x.pdf")) == ("encrypted", True)

    def test_an_encrypted_member_is_named_and_the_others_are_read(self) -> None:
        data = bytearray(packed({"a.txt": b"one", "b.txt": b"two"}, zipfile.ZIP_STORED))
        for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(mark) + at] |= 1
        document = read_bytes(bytes(data), "x.zip")
        assert [piece.text for piece in document.pieces] == ["a.txt", "b.txt", "two"]
        assert only(document) == ("encrypted", True)

    def test_a_broken_part_costs_only_itself(self) -> None:
        whole = docx(paragraph("body"), [("header", "header1.xml")], {"word/header1.xml": "<w:hdr"})
        document = read_bytes(whole, "x.docx")
        assert document.text == "body"
        assert "word/header1.xml" in document.problems[0].what

    def test_a_slide_that_is_missing_is_named(self) -> None:
        slides = '<p:p xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId9"/></p:sldIdLst></p:p>'
        parts = {"ppt/presentation.xml": slides, "ppt/_rels/presentation.xml.rels": relations()}
        assert mentions(read_bytes(office("ppt/presentation.xml", parts), "x.pptx"), "slide 1 is listed and not there")

    def test_the_name_does_not_decide_what_a_file_is(self) -> None:
        assert read_bytes(docx(paragraph("x")), "x.pdf").kind == "docx"
        assert read_bytes(pdf([["x"]]), "x.xlsx").kind == "pdf"
        assert read_bytes(b"<html><p>x</html>", "x.doc").kind == "html"


@cache
def wholes() -> tuple[tuple[str, bytes], ...]:
    """A whole file of each kind, to be damaged."""
    page = b"<!doctype html><table><tr><td>1<td>2</table><p>text &amp; more"
    mail = b"From: a@b\nTo: c@d\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=q\n\n--q\n\nhi\n--q--\n"
    return (
        ("x.docx", docx(paragraph("Rent 12") + f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc></w:tr></w:tbl>")),
        ("x.xlsx", xlsx('<row r="1"><c r="A1" s="1"><v>0.5</v></c><c><f>A1*2</f></c></row>', ["0.0%"])),
        ("x.pdf", pdf([["Rent 12"], ["more"]])),
        ("x.zip", packed({"a.txt": b"text", "b.csv": b"1,2"})),
        ("x.rtf", rb"{\rtf1\ansi\ansicpg1252 Rent \'80 12\par\trowd a\cell b\cell\row}"),
        ("x.html", page),
        ("x.eml", mail),
        ("x.json", b'{"a": [1, 2.5, {"b": null}], "c": "\xc3\xa4"}'),
        ("x.csv", b'a,"b ""c""",1\n2,"3\n4",5\n'),
        ("x.txt", "Größe 12".encode("utf-16")),
    )


class TestAccidents:
    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def test_no_accident_to_the_bytes_makes_reading_raise(self, data: st.DataObject) -> None:
        name, whole = data.draw(st.sampled_from(wholes()))
        damaged = bytearray(whole)
        for at, byte in data.draw(st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), max_size=8)):
            damaged[at] = byte
        cut = data.draw(st.integers(0, len(whole)))
        for hurt in (bytes(damaged), bytes(damaged[:cut])):
            document = read_bytes(hurt, name)
            assert document.pieces or document.problems

    @settings(max_examples=100, deadline=None)
    @given(
        st.binary(max_size=300),
        st.sampled_from(["", "PK\x03\x04", "%PDF-", "{\\rtf1 ", "<html>", "[", "From: a\nTo: b\n"]),
    )
    def test_no_bytes_at_all_make_reading_raise(self, data: bytes, head: str) -> None:
        read_bytes(head.encode() + data, "x")


class TestChild:
    def test_many_threads_share_one_reading_process(self) -> None:
        files = [docx(paragraph(f"number {i}")) for i in range(20)]
        with ThreadPoolExecutor(8) as pool:
            texts = list(pool.map(lambda data: read_bytes(data, "x.docx").text, files))
        assert texts == [f"number {i}" for i in range(20)]

    def test_a_child_that_was_killed_costs_one_document(self) -> None:
        child = Child()
        content = Content(docx(paragraph("x")), "x.docx")
        try:
            assert child.read(content).text == "x"
            assert child._process
            os.kill(child._process.pid, 9)
            document = child.read(content)
            assert not document.pieces
            assert mentions(document, "its parser crashed (SIGKILL)")
            assert child.read(content).text == "x"
        finally:
            child.close()

    def test_nothing_in_the_working_directory_is_imported(self, tmp_path: Path) -> None:
        for name in ("zipfile", "pickle", "defusedxml", "tabcore"):
            (tmp_path / f"{name}.py").write_text("open('trap', 'w')")
        (tmp_path / "x.docx").write_bytes(docx(paragraph("x")))
        code = "from tabcore.documents import read_document; print(read_document('x.docx').text)"
        ran = subprocess.run(
            [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert ran.stdout == "x\n"
        assert not (tmp_path / "trap").exists()
        assert ran.stderr == ""
