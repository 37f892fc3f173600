"""Documents as text with places, each made here by hand or by the library that agents make them with."""

from __future__ import annotations

import io
import json
from datetime import date
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx as python_docx
import openpyxl
import pptx as python_pptx
import pypdfium2
import pytest
import xlwt
from hypothesis import given
from hypothesis import strategies as st
from made_documents import docx, packed, paragraph, pdf, word_part, xlsx
from openpyxl.comments import Comment
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tabcore.documents import Cell, Document, Field, Limits, Line, Page, Piece, Sheet, read_bytes, read_document
from tabcore.errors import UnreadableSource

SAMPLE_DOC = Path("sample_runs/runs/business_travel/deliverable/employee_business_travel_guide.doc")


def placed(document: Document) -> list[tuple[str, str]]:
    """Each piece's place and text, as a person reads them."""
    return [(str(piece.place), piece.text) for piece in document.pieces]


def saved(thing: Any) -> bytes:
    stream = io.BytesIO()
    thing.save(stream)
    return stream.getvalue()


def lost(document: Document) -> list[str]:
    return [problem.kind for problem in document.problems if problem.lost]


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
        document = read_bytes(b'{"a/b": [1.50, {"c": 1e3}], "d": null, "e": "x"}', "data.bin")
        assert document.kind == "json"
        assert placed(document) == [("/a~1b/0", "1.50"), ("/a~1b/1/c", "c: 1e3"), ("/d", "d: null"), ("/e", "e: x")]

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


class TestWord:
    def test_nested_tables_headers_notes_boxes_and_insertions_are_all_read(self) -> None:
        inner = f"<w:tbl><w:tr><w:tc>{paragraph('deep 7')}</w:tc></w:tr></w:tbl>"
        box = f"<w:txbxContent>{paragraph('boxed 3')}</w:txbxContent>"
        body = (
            f"{paragraph('First')}"
            "<w:p><w:r><w:t>Paid </w:t></w:r><w:ins><w:r><w:t>EUR 40</w:t></w:r></w:ins>"
            "<w:del><w:r><w:delText>EUR 30</w:delText></w:r></w:del></w:p>"
            f"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{paragraph('wide')}{inner}</w:tc>"
            f"<w:tc>{paragraph('third')}</w:tc></w:tr><w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph('gone')}</w:tc></w:tr>"
            "</w:tbl>"
            f"<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
            "</mc:AlternateContent></w:r></w:p>"
            f"<w:sdt><w:sdtContent>{paragraph('chosen')}</w:sdtContent></w:sdt>"
            "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>"
        )
        parts = {
            "word/header1.xml": word_part("hdr", paragraph("Page head")),
            "word/footnotes.xml": word_part(
                "footnotes",
                f'<w:footnote w:type="separator" w:id="0">{paragraph("---")}</w:footnote>'
                f'<w:footnote w:id="1">{paragraph("note 12.5 %")}</w:footnote>',
            ),
            "word/comments.xml": word_part("comments", f"<w:comment w:id='0'>{paragraph('why?')}</w:comment>"),
        }
        related = [("header", "header1.xml"), ("footnotes", "footnotes.xml"), ("comments", "comments.xml")]
        document = read_bytes(docx(body, related, parts), "x.doc")
        assert document.kind == "docx"
        assert placed(document) == [
            ("paragraph 1", "First"),
            ("paragraph 2", "Paid EUR 40"),
            ("table 1, row 1, column 1", "wide"),
            ("table 1, row 1, column 1, table 1, row 1, column 1", "deep 7"),
            ("table 1, row 1, column 3", "third"),
            ("text box 1, paragraph 1", "boxed 3"),
            ("paragraph 4", "chosen"),
            ("paragraph 5", "a\tb"),
            ("header 1, paragraph 1", "Page head"),
            ("footnote 1, paragraph 1", "note 12.5 %"),
            ("comment 1, paragraph 1", "why?"),
        ]

    def test_a_file_of_python_docx_is_read_in_order(self) -> None:
        made = python_docx.Document()
        made.add_heading("Guide", 1)
        made.add_paragraph("Limit: EUR 165 a night")
        table = made.add_table(2, 2)
        table.cell(1, 1).text = "12.3 %"
        made.sections[0].footer.paragraphs[0].text = "Page foot"
        document = read_bytes(saved(made), "x.docx")
        assert placed(document) == [
            ("paragraph 1", "Guide"),
            ("paragraph 2", "Limit: EUR 165 a night"),
            ("table 1, row 2, column 2", "12.3 %"),
            ("footer 1, paragraph 1", "Page foot"),
        ]

    def test_macros_are_named_and_nothing_is_lost(self) -> None:
        document = read_bytes(docx(paragraph("x"), parts={"word/vbaProject.bin": b"Sub AutoOpen()"}), "x.docm")
        assert [(problem.kind, problem.lost) for problem in document.problems] == [("macro", False)]
        assert document.text == "x"


class TestSheets:
    def test_what_a_cell_shows_and_what_it_stores_are_both_known(self) -> None:
        rows = '<row r="4"><c r="B4" s="1"><v>0.123</v></c><c r="C4" s="2"><v>1234.5</v></c><c r="E4" s="3"><v>45352</v></c></row>'
        document = read_bytes(xlsx(rows, ["0.0%", "#,##0.00", "yyyy-mm-dd"]), "x.xlsx")
        assert document.pieces[1:] == (
            Piece("12.3%", Cell("Costs", 4, 2, "0.123")),
            Piece("1,234.50", Cell("Costs", 4, 3, "1234.5")),
            Piece("2024-03-01", Cell("Costs", 4, 5, "45352")),
        )
        assert str(document.place_at(document.text.index("1,234"))) == "Costs!C4"

    def test_a_formula_is_shown_by_its_stored_value(self) -> None:
        document = read_bytes(xlsx('<row r="1"><c r="A1" s="1"><f>1/8</f><v>0.125</v></c></row>', ["0.0%"]), "x.xlsx")
        assert document.pieces[1] == Piece("12.5%", Cell("Costs", 1, 1, "0.125", "=1/8"))
        assert not document.problems

    def test_strings_errors_booleans_and_shared_formulas_are_read(self) -> None:
        rows = (
            '<row r="1"><c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r><rPh><t>no</t></rPh></is></c>'
            '<c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c></row>'
            '<row><c><f t="shared" si="0" ref="A2:A3">1+1</f><v>2</v></c></row><row><c><f t="shared" si="0"/><v>3</v></c></row>'
        )
        document = read_bytes(xlsx(rows), "x.xlsx")
        assert [piece.text for piece in document.pieces[1:]] == ["inline", "TRUE", "#DIV/0!", "2", "3"]
        assert document.pieces[-1].place == Cell("Costs", 3, 1, "3", "=1+1")

    def test_a_file_of_openpyxl_is_calculated_and_says_so(self) -> None:
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Costs"
        sheet.append(["Rent", 1000])
        sheet.append(["Food", 234.5])
        sheet["B3"] = "=SUM(B1:B2)"
        sheet["B3"].number_format = "#,##0.00"
        sheet["B4"] = "=B2/B3"
        sheet["B4"].number_format = "0.0%"
        sheet["A5"] = "=DATE(2024,3,1)"
        sheet["A5"].number_format = "d mmm yyyy"
        sheet["B1"].comment = Comment("incl. 19 % VAT", "me")
        other = book.create_sheet("Notes")
        other["A1"] = "=Costs!B3*2"
        other.sheet_state = "hidden"
        document = read_bytes(saved(book), "x.xlsx")
        assert placed(document) == [
            ("sheet Costs", "Costs"),
            ("Costs!A1", "Rent"),
            ("Costs!B1", "1000"),
            ("Costs!A2", "Food"),
            ("Costs!B2", "234.5"),
            ("Costs!B3", "1,234.50"),
            ("Costs!B4", "19.0%"),
            ("Costs!A5", "1 Mar 2024"),
            ("Costs!B1 (comment)", "incl. 19 % VAT"),
            ("sheet Notes (hidden)", "Notes"),
            ("Notes!A1", "2469"),
        ]
        assert document.pieces[5].place == Cell("Costs", 3, 2, "1234.5", "=SUM(B1:B2)")
        assert [(problem.kind, problem.lost) for problem in document.problems] == [("formula", False)]
        assert "4 formulas have no stored value" in document.problems[0].what

    def test_a_formula_that_cannot_be_calculated_is_shown_itself(self) -> None:
        formulas = ("[1]Other!A1", "1+1", "UNKNOWN(1)", "1/0", "E1+1")
        rows = '<row r="1">' + "".join(f"<c><f>{formula}</f></c>" for formula in formulas) + "</row>"
        document = read_bytes(xlsx(rows), "x.xlsx")
        assert document.text == "Costs\n=[1]Other!A1\t2\t=UNKNOWN(1)\t#DIV/0!\t=E1+1"
        assert lost(document) == ["formula"]

    def test_ten_thousand_formulas_on_each_other_are_calculated_in_seconds(self) -> None:
        book = openpyxl.Workbook()
        for row in range(1, 10_001):
            book.active.append([f"=A{row - 1}+1" if row > 1 else 1])
        assert read_bytes(saved(book), "x.xlsx", Limits(seconds=20)).pieces[-1].text == "10000"

    def test_an_old_binary_file_shows_its_cells_by_their_formats(self) -> None:
        book = xlwt.Workbook()
        sheet = book.add_sheet("Costs")
        sheet.write(3, 1, 0.123, xlwt.easyxf(num_format_str="0.0%"))
        sheet.write(3, 2, date(2024, 3, 1), xlwt.easyxf(num_format_str="d mmm yyyy"))
        sheet.write(5, 0, "Rent")
        document = read_bytes(saved(book), "x.csv")
        assert document.kind == "xls"
        assert document.pieces == (
            Piece("Costs", Sheet("Costs")),
            Piece("12.3%", Cell("Costs", 4, 2, "0.123")),
            Piece("1 Mar 2024", Cell("Costs", 4, 3, "45352")),
            Piece("Rent", Cell("Costs", 6, 1, "Rent")),
        )

    def test_opendocument_sheets_state_both_forms_themselves(self) -> None:
        content = (
            '<o:document xmlns:o="urn:o" xmlns:t="urn:t" xmlns:x="urn:x"><o:body><o:spreadsheet><t:table t:name="Costs">'
            '<t:table-row t:number-rows-repeated="3"><t:table-cell t:number-columns-repeated="16384"/></t:table-row>'
            '<t:table-row><t:table-cell t:number-columns-repeated="2"/>'
            '<t:table-cell o:value="0.123" t:formula="of:=1/8"><x:p>12.3 %</x:p></t:table-cell></t:table-row>'
            "</t:table></o:spreadsheet></o:body></o:document>"
        )
        data = packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})
        document = read_bytes(data, "x.xlsx")
        assert document.kind == "ods"
        assert document.pieces[1] == Piece("12.3 %", Cell("Costs", 4, 3, "0.123", "=1/8"))


class TestSlides:
    def test_shapes_groups_tables_charts_and_notes_are_read(self) -> None:
        show = python_pptx.Presentation()
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = "Results"
        group = slide.shapes.add_group_shape()
        group.name = "Group"
        box = group.shapes.add_textbox(0, 0, 100, 100)
        box.name, box.text_frame.text = "Box", "12.3 %\nof all"
        frame = slide.shapes.add_table(1, 2, 0, 0, Inches(4), Inches(1))
        frame.name = "Grid"
        frame.table.cell(0, 0).text, frame.table.cell(0, 1).text = "Rent", "1,234.50"
        data = CategoryChartData(number_format="0.0%")
        data.categories = ["Q1", "Q2"]
        data.add_series("Share", (0.123, 0.5))
        drawn = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data)
        drawn.name = "Plot"
        slide.notes_slide.notes_text_frame.text = "Say 7"
        document = read_bytes(saved(show), "x.pptx")
        assert document.kind == "pptx"
        assert placed(document) == [
            ("slide 1, Title 1", "Results"),
            ("slide 1, Box", "12.3 %"),
            ("slide 1, Box", "of all"),
            ("slide 1, Grid, row 1, column 1", "Rent"),
            ("slide 1, Grid, row 1, column 2", "1,234.50"),
            ("slide 1, Plot, Share", "Share"),
            ("slide 1, Plot, Share, Q1", "Q1: 12.3%"),
            ("slide 1, Plot, Share, Q2", "Q2: 50.0%"),
            ("slide 1, notes", "Say 7"),
        ]
        assert "Rent\t1,234.50" in document.text


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
