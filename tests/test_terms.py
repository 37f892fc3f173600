"""Terms: the one meaning of "a word" for threshold, evidence check, review and ranking."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcore.text.terms import STOP_WORDS, shared_terms, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("docs/business_travel-policy.v2.pdf", ["docs", "business", "travel", "policy", "v", "2", "pdf"]),
        ("camelCaseHTMLFile", ["camel", "case", "html", "file"]),
        ("PO1003", ["po", "1003"]),
        ("差旅管理制度.md", ["差旅", "旅管", "管理", "理制", "制度", "md"]),
        ("휴가 규정", ["휴가", "규정"]),
        ("税", ["税"]),
        ("ＡＢＣ１２", ["abc", "12"]),
        ("Straße", ["strasse"]),
        ("the price of a ticket", ["price", "ticket"]),
        ("Übersicht_Kosten", ["übersicht", "kosten"]),
        ("1,234.50", ["1", "234", "50"]),
        (" \n\t", []),
    ],
)
def test_a_text_has_these_terms(text: str, expected: list[str]) -> None:
    assert list(terms(text)) == expected


@given(st.text())
def test_terms_are_normalised_and_never_stop_words(text: str) -> None:
    for term in terms(text):
        assert term
        assert term not in STOP_WORDS
        assert term == unicodedata.normalize("NFKC", term).casefold() or not term.isascii()


@given(st.text(alphabet="abzABZ019_-./ ", max_size=40))
def test_the_fast_way_for_ascii_says_what_the_general_way_says(text: str) -> None:
    forced = terms(text + " é")
    assert forced[-1] == "é"
    assert terms(text) == forced[:-1]


@given(st.text(), st.text())
def test_joining_two_texts_by_a_space_joins_their_terms(left: str, right: str) -> None:
    if not re.search(r"[\W_]$", left + " "):
        return
    assert terms(f"{left} {right}") == terms(left) + terms(right)


def test_shared_terms_are_distinct_and_symmetric() -> None:
    assert shared_terms("travel travel policy", "policy for travel") == {"travel", "policy"}
    assert shared_terms("a", "b") == frozenset()
