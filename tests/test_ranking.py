"""Ranking: BM25 kept up to date while documents come and go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Plus

from tabcore.tab.ranking import Ranking

WORDS = st.sampled_from(["travel", "policy", "energy", "order", "2024", "doc"])
DOCUMENTS = st.lists(st.lists(WORDS, min_size=1, max_size=8), min_size=1, max_size=12)
QUERY = st.lists(WORDS, min_size=1, max_size=5)


def fresh_scores(documents: dict[str, list[str]], query: list[str]) -> dict[str, float]:
    """What the library says of the same collection, built at once; the query's repeats dropped."""
    bm25 = BM25Plus(list(documents.values()), delta=0)
    scores = bm25.get_scores(list(dict.fromkeys(query)))
    return {name: score for name, score in zip(documents, scores, strict=True) if score > 0}


@given(DOCUMENTS, QUERY, st.data())
def test_a_collection_that_grew_and_shrank_scores_as_a_fresh_one(
    documents: list[list[str]], query: list[str], data: st.DataObject
) -> None:
    ranking = Ranking()
    for i, document in enumerate(documents):
        ranking.add(str(i), document)
    gone = data.draw(st.sets(st.integers(0, len(documents) - 1), max_size=len(documents) - 1))
    for i in gone:
        ranking.remove(str(i))
    left = {str(i): document for i, document in enumerate(documents) if i not in gone}
    assert dict(ranking.best(query)) == pytest.approx(fresh_scores(left, query), abs=1e-6)


@given(DOCUMENTS, QUERY)
def test_a_document_without_any_term_of_the_query_is_never_ranked(documents: list[list[str]], query: list[str]) -> None:
    ranking = Ranking()
    for i, document in enumerate(documents):
        ranking.add(str(i), document)
    ranked = {name for name, _ in ranking.best(query)}
    assert ranked == {str(i) for i, document in enumerate(documents) if set(document) & set(query)}


def test_a_repeated_query_word_counts_once() -> None:
    ranking = Ranking()
    ranking.add("a", ["travel", "policy"])
    ranking.add("b", ["energy"])
    assert ranking.best(["travel", "travel"]) == ranking.best(["travel"])


def test_a_collection_of_one_gives_its_match_a_positive_score() -> None:
    ranking = Ranking()
    ranking.add("only", ["travel"])
    [(name, score)] = ranking.best(["travel"])
    assert name == "only"
    assert score > 0


def test_an_empty_collection_ranks_nothing() -> None:
    ranking = Ranking()
    assert ranking.best(["travel"]) == []
    ranking.add("a", ["travel"])
    ranking.remove("a")
    assert ranking.best(["travel"]) == []


def test_equal_scores_are_ordered_by_the_tie_rule() -> None:
    ranking = Ranking()
    for name in ("L1", "L2", "L3"):
        ranking.add(name, ["travel", "policy"])
    newest_first = ranking.best(["travel"], tie=lambda name: -int(name[1:]))
    assert [name for name, _ in newest_first] == ["L3", "L2", "L1"]
