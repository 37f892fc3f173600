"""Texts, markup and PDF pages as text with places."""

from __future__ import annotations

import json
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_documents import pdf, placed, xlsx

from tabcore.documents import Cell, Document, Field, Line, Page, Piece, TableCell, read_bytes, read_document
from tabcore.errors import UnreadableSource

SAMPLE_DOC = Path("sample_runs/runs/business_travel/deliverable/employee_business_travel_guide.doc")


class TestDocument:
    @given(st.lists(st.tuples(st.text(max_size=5), st.integers(1, 3), st.integers(1, 3)), max_size=8))
    def test_every_offset_leads_back_to_the_piece_that_holds_it(self, cells: list[tuple[str, int, int]]) -> None:
        document = Document("xlsx", tuple(Piece(text, Cell("S", row, column)) for text, row, column in cells))
        for piece, start in zip(document.pieces, document.starts, strict=True):
            assert document.text[start : start + len(piece.text)] == piece.text
            for offset in range(start, start + len(piece.text)):
                assert document.place_at(offset) == piece.place

    def test_cells_of_a_row_are_parted_by_a_tab_and_rows_by_a_newline(self) -> None:
        assert read_bytes(b"a,b\nc,d\n", "x.csv").text == "a\tb\nc\td"

    def test_paragraphs_of_one_table_cell_are_parted_by_a_newline(self) -> None:
        cell = TableCell("body", 1, 1, 1)
        assert Document("docx", (Piece("a", cell), Piece("b", cell))).text == "a\nb"

    def test_an_offset_outside_of_the_text_is_refused(self) -> None:
        with pytest.raises(IndexError):
            Document("text").place_at(0)

    def test_reading_twice_gives_the_same_document(self) -> None:
        data = xlsx('<row r="1"><c r="A1"><f>RAND()+TODAY()</f></c></row>')
        assert read_bytes(data, "x.xlsx") == read_bytes(data, "x.xlsx")

    def test_a_missing_file_is_refused_with_a_remedy(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableSource, match="Check the path"):
            read_document(tmp_path / "none.docx")
        with pytest.raises(UnreadableSource, match="not a regular file"):
            read_document(tmp_path)


class TestPlainText:
    def test_a_line_is_found_by_its_number_and_empty_ones_are_counted(self) -> None:
        document = read_bytes("Eins\r\n\r\nZwölf\n".encode(), "x.txt")
        assert document.kind == "text"
        assert document.pieces == (Piece("Eins", Line(1)), Piece("Zwölf", Line(3)))

    @pytest.mark.parametrize(
        "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "gb18030", "shift_jis", "cp1252"]
    )
    def test_a_text_is_decoded_whatever_its_encoding(self, encoding: str) -> None:
        text = {
            "gb18030": "差旅费用管理规定：住宿标准每晚不超过三百元，餐费每天一百元。出差人员应当按照规定填写报销单并附上全部原始发票",
            "shift_jis": "出張費の精算は帰社後十日以内に行ってください。宿泊費の上限は一泊につき一万二千円です。",
        }.get(encoding, "Größe und Maße: 12,5 m² für die Küche, 30 € für die Straßenbahn und das Frühstück im Café")
        document = read_bytes(text.encode(encoding), "x.txt")
        assert document.text == text
        assert all(problem.kind == "encoding" and not problem.lost for problem in document.problems)

    def test_fields_are_split_at_the_separator_that_the_lines_share(self) -> None:
        document = read_bytes(b'Posten;Betrag\nMiete;"1.234,50"\n', "x.csv")
        assert document.pieces[3] == Piece("1.234,50", Field(2, 2, 2))

    def test_a_quoted_field_may_span_lines(self) -> None:
        document = read_bytes(b'"a\nb",c\nd,e\n', "x.csv")
        assert document.pieces[2] == Piece("d", Field(2, 1, 3))

    def test_tab_separated_fields_know_their_column(self) -> None:
        assert placed(read_bytes(b"1,5,7\t\tb\n", "x.tsv")) == [("row 1, column 1", "1,5,7"), ("row 1, column 3", "b")]

    def test_json_numbers_are_as_written_and_found_by_pointer(self) -> None:
        document = read_bytes(b'{"a/~b": [1.50, {"c": 1e3}], "d": null, "e": "x"}', "data.bin")
        assert document.kind == "json"
        assert placed(document) == [("/a~1~0b/0", "1.50"), ("/a~1~0b/1/c", "c: 1e3"), ("/d", "d: null"), ("/e", "e: x")]

    def test_json_lines_name_line_and_pointer_and_a_torn_one_is_a_problem(self) -> None:
        document = read_bytes(b'{"a": 1}\n{"a": 2}\n{"a": 3}\n{"a": \n', "x.log")
        assert placed(document)[1] == ("line 2, /a", "a: 2")
        assert [(problem.line, problem.kind) for problem in document.problems] == [(4, "torn line")]

    @given(st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
    def test_each_pointer_leads_to_its_value(self, value: Any) -> None:
        if not isinstance(value, dict | list):
            return
        for piece in read_bytes(json.dumps(value).encode(), "x.json").pieces:
            found = value
            for step in piece.place.pointer.split("/")[1:]:  # type: ignore[union-attr]
                key = step.replace("~1", "/").replace("~0", "~")
                found = found[int(key)] if isinstance(found, list) else found[key]
            assert piece.text.endswith(str(found).encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


class TestMarkup:
    def test_blocks_of_html_are_what_a_browser_shows(self) -> None:
        page = (
            "<!doctype html><head><title>Q3</title><style>p{}</style></head><body><script>var x = 12</script>\n"
            "<h1>Costs &amp; <b>more</b></h1><p>Rent:\n  <i>1,234.50</i><br>a year</p>"
            "<table><tr><th>Item<td>12.3&nbsp;%</tr><tr><td>x</td><td>y</td></tr></table><input value=7></body>"
        )
        document = read_bytes(page.encode(), "x.txt")
        assert document.text.splitlines() == [
            "Q3",
            "Costs & more",
            "Rent: 1,234.50",
            "a year",
            "Item\t12.3\xa0%",
            "x\ty",
            "7",
        ]
        assert str(document.place_at(document.text.index("Costs"))) == "block 2 <h1>, line 2"

    def test_a_mail_gives_headers_bodies_and_the_documents_attached(self) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "a@b.example", "c@d.example", "Zahlen für März"
        mail["Date"] = "Fri, 01 Mar 2024 10:00:00 +0100"
        mail.set_content("Rent is 1,234.50.\n")
        mail.add_alternative("<p>Rent is 1,234.50.</p>", subtype="html")
        sheet = xlsx('<row r="4"><c r="B4" s="1"><v>0.123</v></c></row>', ["0.0%"])
        mail.add_attachment(sheet, maintype="application", subtype="octet-stream", filename="costs.xlsx")
        document = read_bytes(mail.as_bytes(), "x.eml")
        assert document.kind == "mail"
        assert ("header Subject", "Subject: Zahlen für März") in placed(document)
        assert placed(document)[4:] == [
            ("body 1: line 1", "Rent is 1,234.50."),
            ("file 2 inside", "attachment: costs.xlsx"),
            ("costs.xlsx: sheet Costs", "Costs"),
            ("costs.xlsx: Costs!B4", "12.3%"),
        ]

    def test_rtf_called_doc_is_read_as_the_rtf_that_it_is(self) -> None:
        document = read_document(SAMPLE_DOC)
        assert document.kind == "rtf"
        assert not document.problems
        assert "EUR 165 in tier A" in document.text
        assert placed(document)[0] == ("paragraph 1", "Business travel guide for employees")

    def test_rtf_tables_have_cells_and_what_is_left_out_is_named(self) -> None:
        rtf = rb"{\rtf1\ansi{\header H 7\par}Before\par\trowd Rent\cell 1,234\cell\row x\cell y\cell\row After \u8364?\par}"
        document = read_bytes(rtf, "x.doc")
        assert placed(document) == [
            ("paragraph 1", "Before"),
            ("table 1, row 1, column 1", "Rent"),
            ("table 1, row 1, column 2", "1,234"),
            ("table 1, row 2, column 1", "x"),
            ("table 1, row 2, column 2", "y"),
            ("paragraph 2", "After €"),
        ]
        assert "header" in document.problems[0].what


class TestPages:
    def test_each_page_is_a_piece_and_rows_stay_together(self) -> None:
        document = read_bytes(pdf([["Rent 1,234.50", "Share 12.3 %"], ["Last page"]]), "x.txt")
        assert document.kind == "pdf"
        assert document.pieces == (Piece("Rent 1,234.50\nShare 12.3 %", Page(1)), Piece("Last page", Page(2)))

    def test_a_page_without_text_is_named_since_it_may_be_a_picture(self) -> None:
        document = read_bytes(pdf([["text"], []]), "x.pdf")
        assert "1 of 2 pages have no text (page 2)" in document.problems[0].what

    def test_what_is_stamped_on_a_page_is_read_with_it(self) -> None:
        document = read_bytes(pdf([["Rent"], ["more"]], stamp="PAID 40"), "x.pdf")
        assert [piece.text for piece in document.pieces] == ["Rent\nPAID 40", "more"]

    def test_a_file_that_pdfium_refuses_is_read_by_pypdf(self) -> None:
        headless = pdf([["Rent 12"]]).replace(b"2 0 obj", b"2 0 oxj")
        with pytest.raises(pypdfium2.PdfiumError):
            pypdfium2.PdfDocument(headless)
        assert read_bytes(headless, "x.pdf").text == "Rent 12"
