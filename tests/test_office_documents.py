"""Word files, sheets and slides: what they show, and where."""

from __future__ import annotations

from datetime import date

import docx as python_docx
import openpyxl
import pptx as python_pptx
import xlwt
from made_documents import docx, lost, packed, paragraph, placed, relations, saved, word_part, xlsx
from openpyxl.comments import Comment
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tabcore.documents import Cell, Limits, Piece, Sheet, read_bytes


class TestWord:
    def test_nested_tables_headers_notes_boxes_and_insertions_are_all_read(self) -> None:
        inner = f"<w:tbl><w:tr><w:tc>{paragraph('deep 7')}</w:tc></w:tr></w:tbl>"
        box = f"<w:txbxContent>{paragraph('boxed 3')}</w:txbxContent>"
        body = (
            f"{paragraph('First')}"
            "<w:p><w:r><w:t>Paid </w:t></w:r><w:ins><w:r><w:t>EUR 40</w:t></w:r></w:ins>"
            "<w:del><w:r><w:delText>EUR 30</w:delText></w:r></w:del>"
            "<w:moveFrom><w:r><w:t>moved away</w:t></w:r></w:moveFrom></w:p>"
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

    def test_shared_texts_are_found_by_number_and_lose_their_readings(self) -> None:
        texts = '<sst xmlns="s"><si><t>no</t></si><si><r><t>東</t></r><r><t>京</t></r><rPh><t>とう</t></rPh></si></sst>'
        related = relations(("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml"))
        more = {"xl/sharedStrings.xml": texts, "xl/_rels/workbook.xml.rels": related}
        assert read_bytes(xlsx('<row><c t="s"><v>1</v></c></row>', more=more), "x.xlsx").text == "Costs\n東京"

    def test_a_workbook_that_counts_from_1904_shows_its_own_dates(self) -> None:
        data = xlsx('<row><c s="1"><v>43890</v></c></row>', ["yyyy-mm-dd"], before='<workbookPr date1904="1"/>')
        assert read_bytes(data, "x.xlsx").pieces[1].text == "2024-03-01"

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

    def test_today_is_the_day_on_which_the_workbook_was_changed(self) -> None:
        changed = '<c:p xmlns:c="c" xmlns:d="d"><d:modified>2024-03-01T10:00:00Z</d:modified></c:p>'
        data = xlsx('<row><c s="1"><f>TODAY()</f></c></row>', ["yyyy-mm-dd"], more={"docProps/core.xml": changed})
        assert read_bytes(data, "x.xlsx").pieces[1].text == "2024-03-01"

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
