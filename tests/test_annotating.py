"""A language model as annotator: what it is asked, its quotes held against the record, its labels kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_rubrics import BILLS, Rubrics, made_run
from model_server import Body, Reply, answering, said

from tabcore.analyses.failure_types import DEFINITIONS, FailureType
from tabcore.analyses.labels import counting
from tabcore.analyses.type_prompts import VERSION, judged
from tabcore.annotating import Annotated, annotate, plan
from tabcore.cli import main
from tabcore.labelling import agreement, failure_taxonomy, labels
from tabcore.language_models import endpoint

RUBRICS: Rubrics = {"a": ("States Aldgate's 1,234.50", False), "b": ("Has a heading", False), "c": ("7,890.25", True)}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    made_run(tmp_path / "run", tmp_path / "runs.duckdb", RUBRICS, "Fjord 7890.25")
    return tmp_path / "runs.duckdb"


def told(type: str, *quotes: str, why: str = "so it is") -> Reply:
    return Reply(json.dumps({"quotes": list(quotes), "why": why, "type": type}))


def asked(db: Path, url: str, most: int = 0) -> Annotated:
    return annotate(db, plan(db, None, "m", most), endpoint(url, "m", environment={}))


def counted(db: Path) -> dict[str, FailureType | None]:
    return {item[1]: label.type for item, label in counting(labels(db)).get("m", {}).items()}


def by_rubric(body: Body) -> Reply:
    return told("Formatting", "Fjord 7890.25") if "Has a heading" in said(body) else told("1", "1,Aldgate,1234.50")


def test_a_models_types_are_labels_of_its_own_with_its_quotes_and_the_prompts_version(db: Path) -> None:
    with answering(by_rubric) as server:
        assert asked(db, server.url) == Annotated(labelled=2)
    assert counted(db) == {"a": "Shown but Missing", "b": "Formatting"}
    first = next(label for label in labels(db) if label.rubric_id == "a")
    assert (first.kind, first.version, first.evidence, first.note) == (
        "model",
        VERSION,
        "1,Aldgate,1234.50",
        "so it is",
    )
    found = agreement(failure_taxonomy(db), labels(db))
    assert [(pair.first, pair.second, pair.agreed.count) for pair in found.pairs] == [("m", "rules", 2)]


def test_it_is_told_definitions_evidence_and_files_and_nothing_of_what_others_say(db: Path) -> None:
    with answering(by_rubric) as server:
        asked(db, server.url, most=1)
        [body] = server.requests
    words = said(body)
    assert all(definition in words for definition in DEFINITIONS.values())
    assert "  | 1,Aldgate,1234.50" in words
    assert "- bills.csv (turn 2)" in words
    assert "- letters_council.txt" in words
    assert "## DELIVERABLE report.md\nFjord 7890.25" in words
    assert "shown and absent" not in words


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (told("Discovery", "this stands nowhere"), "its quote “this stands nowhere” does not occur in the record"),
        (told("Discovery", "bills.csv", "nor this"), "its quote “nor this” does not occur"),
        (told("Discovery"), "it quotes nothing"),
        (told("Typo", "bills.csv"), "“Typo” is no type"),
        (Reply("I think it is Discovery."), "its answer is no JSON object"),
        (Reply('{"type": ["Discovery"], "quotes": "bills.csv"}'), "is no type"),
        (Reply(told("Discovery", "bills.csv").text, finish="length"), "its answer was cut"),
    ],
)
def test_an_answer_that_proves_nothing_is_refused_with_its_reason(db: Path, reply: Reply, why: str) -> None:
    with answering([reply]) as server:
        found = asked(db, server.url, most=1)
    assert (found.labelled, counted(db)) == (0, {})
    assert why in found.refused[0][1]


def test_cannot_tell_labels_nothing_and_is_no_fault(db: Path) -> None:
    with answering([told("cannot tell")]) as server:
        assert asked(db, server.url) == Annotated(left_open=2)
    assert counted(db) == {}


def test_a_quote_counts_whatever_its_white_space_and_quotation_marks() -> None:
    answer = told("Discovery", "1,Aldgate, ", '"so"').text
    assert judged(answer, [BILLS.replace("1,Aldgate,", "1,Aldgate,\n\n"), "said “so”"]).type == "Discovery"


def test_what_was_answered_is_not_asked_again(db: Path) -> None:
    with answering(by_rubric) as server:
        asked(db, server.url, most=1)
        assert plan(db, None, "m").known == 1
        asked(db, server.url)
        asked(db, server.url)
        assert len(server.requests) == 2


def test_an_answer_that_was_refused_is_kept_too_and_not_paid_twice(db: Path) -> None:
    with answering([told("Discovery", "nowhere")]) as server:
        asked(db, server.url, most=1)
        found = asked(db, server.url, most=1)
        assert (len(found.refused), len(server.requests)) == (1, 1)


def test_an_endpoint_that_cannot_be_used_ends_it_in_one_sentence(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with answering([Reply("wrong key", status=401)]) as server:
        command = ["labels", "ask", "--with-model", "m", "--base-url", server.url, "--db", str(db)]
        assert main(command) == 1
    told_words = capsys.readouterr()
    assert "0 labels kept" in told_words.out
    assert "does not accept the key" in told_words.err


def test_the_prompt_is_shown_and_nothing_is_sent(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(by_rubric) as server:
        main(["labels", "ask", "--with-model", "m", "--base-url", server.url, "--show-prompt", "--db", str(db)])
        assert server.requests == []
    shown = capsys.readouterr()
    assert "2 rubrics to ask about" in shown.err
    assert "the text stays on this machine" in shown.err
    assert "## RUBRIC\nStates Aldgate's 1,234.50" in shown.out


def test_secrets_are_never_sent(tmp_path: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLA"
    store = tmp_path / "runs.duckdb"
    made_run(tmp_path / "run", store, {"a": (f"Keeps {key} and 1,234.50", False)}, f"the key {key}")
    with answering([told("Other", "[secret: AWS Access Key]")]) as server:
        assert asked(store, server.url).labelled == 1
        assert key not in json.dumps(server.requests)
