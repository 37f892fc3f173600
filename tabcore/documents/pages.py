"""PDF files, by pdfium; by pypdf where pdfium finds no document in the file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pypdfium2

from tabcore.documents.limits import Content, Item, NotRead
from tabcore.documents.places import Page, Piece

_CHARACTERS = str.maketrans({"\r": None, "\0": None, "\ufffe": "-", "\x02": "-"})
"""pdfium marks the hyphen at a line's end by U+FFFE or U+0002."""


def read_pages(content: Content) -> Iterator[Item]:
    """A piece for each page, its rows as lines. Pages without text are named: they may be pictures of text."""
    try:
        document = pypdfium2.PdfDocument(content.data)
    except pypdfium2.PdfiumError as fault:
        if "password" in str(fault).lower():
            raise NotRead(content.problem("encrypted", "it needs a password to open", "not read")) from fault
        yield from _numbered(content, *_by_pypdf(content, str(fault)))
        return
    try:
        document.init_forms()
        yield from _numbered(content, len(document), (_page_text(document, i) for i in range(len(document))))
    finally:
        document.close()


def _numbered(content: Content, count: int, texts: Iterator[str | None]) -> Iterator[Item]:
    limit = content.limits.pages
    empty: list[int] = []
    for number, text in zip(range(1, min(count, limit) + 1), texts, strict=False):
        if text is None:
            yield content.problem("damaged", f"page {number} cannot be read", "skipped")
        elif text.strip():
            yield Piece(text.translate(_CHARACTERS).strip("\n"), Page(number))
        else:
            empty.append(number)
    if empty:
        shown = ", ".join(map(str, empty[:10])) + (", …" if len(empty) > 10 else "")
        what = f"{len(empty)} of {count} pages have no text (page {shown})"
        yield content.problem("picture", what, "text in pictures was not read", lost=False)
    if count > limit:
        yield content.hit("pages", f"it has {count:,} pages", f"pages 1 to {limit} were read")


def _page_text(document: Any, index: int) -> str | None:
    """A page's text with the values of its form fields and what is stamped on it; None for a broken page."""
    try:
        page = document[index]
        if pypdfium2.raw.FPDFPage_GetAnnotCount(page):
            # The page's own method does so for forms alone. Where it fails, the page is read without.
            pypdfium2.raw.FPDFPage_Flatten(page, pypdfium2.raw.FLAT_NORMALDISPLAY)
            page.close()
            page = document[index]
        textpage = page.get_textpage()
        text: str = textpage.get_text_bounded()
        textpage.close()
        page.close()
    except pypdfium2.PdfiumError:
        return None
    return text


def _by_pypdf(content: Content, fault: str) -> tuple[int, Iterator[str | None]]:
    # Imported here: few files need it, and it takes 0.1 s.
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        pages = PdfReader(io.BytesIO(content.data)).pages
        count = len(pages)
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as second:
        problem = content.problem("damaged", f"it is no whole PDF file ({fault.rstrip('.')}; {second})", "not read")
        raise NotRead(problem) from second
    if not count:
        raise NotRead(content.problem("damaged", f"no page is found in it ({fault.rstrip('.')})", "not read"))
    return count, (page.extract_text() for page in pages)
