"""Words in all runs: wherever they stand, in any script, and the place where they do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_logs import pi_agent, pi_log, pi_result, pi_user

from tabcore import rerun
from tabcore.cli import main
from tabcore.searching import Found, search

KEY = "AKIA" + "IOSFODNN7EXAMPLA"
SHOWN = "first line\n出差期间的住宿费标准 HOTEL per night\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run with words of its own everywhere."""
    folder = tmp_path_factory.mktemp("search")
    run = folder / "logs" / "run"
    run.mkdir(parents=True)
    log = pi_log(
        pi_user("Wanted: a guide to zebras"),
        pi_agent("I look at yaks.", ("c1", "tab_add", {"items": ["rate of walrus"]})),
        pi_result("c1", "r1"),
        pi_agent("", ("c2", "bash", {"command": "cat /ws/notes.txt"})),
        pi_result("c2", SHOWN),
        pi_agent("", ("c3", "write", {"path": "/ws/guide.md", "content": f"Vicunas, and {KEY}"})),
        pi_result("c3", "ok"),
        pi_agent("Done."),
    )
    (run / "session.jsonl").write_text(log)
    (run / "rubrics.json").write_text(json.dumps([{"id": "b1", "text": "Names the umbrellabird"}]))
    (run / "run.toml").write_text('task_name = "The tapir task"\nmethod = "running_tab"\n')
    rerun.load([str(folder / "logs")], folder / "runs.duckdb")
    return folder / "runs.duckdb"


def places(found: Found) -> set[tuple[str, int]]:
    return {(hit.kind, hit.turn) for hit in found.hits}


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("zebras", {("task", 1), ("told", 1)}),
        ("YAKS", {("said", 1)}),
        ("walrus", {("called", 1), ("required", 1)}),
        ("hotel", {("shown", 2)}),
        ("住宿费", {("shown", 2)}),
        ("night 住宿费", {("shown", 2)}),
        ('"hotel per"', {("shown", 2)}),
        ('"per hotel"', set()),
        ("hotel zebras", set()),
        ("vicunas", {("called", 3), ("delivered", 3)}),
        ("umbrellabird", {("rubric", 1)}),
        ("tapir", {("task", 1)}),
        ("%", set()),
        ("h.tel", set()),
        ("(", set()),
        ("  ", set()),
    ],
)
def test_words_are_found_where_they_stand(store: Path, words: str, where: set[tuple[str, int]]) -> None:
    assert places(search(store, words)) == where


def test_a_hit_in_a_result_names_its_call_and_its_characters(store: Path) -> None:
    [hit] = search(store, "hotel").hits
    assert (hit.call, SHOWN[hit.start : hit.end], hit.before[-3:], hit.after[:4]) == (0, "HOTEL", "标准 ", " per")


def test_a_pasted_page_is_looked_for_as_it_stands(store: Path) -> None:
    assert search(store, f'"{"zebras " * 40_000}"').total == 0


def test_keys_are_blotted_out(store: Path) -> None:
    hits = search(store, "vicunas").hits
    assert all(KEY not in hit.after for hit in hits)
    assert any("█" in hit.after for hit in hits)


def test_more_hits_than_are_listed_are_counted(store: Path) -> None:
    found = search(store, "zebras", most=1)
    assert (len(found.hits), found.total) == (1, 2)


def test_the_command_prints_them(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "hotel", "--db", str(store)]) == 0
    assert "turn 2  shown" in capsys.readouterr().out
    assert main(["search", "hotel", "--json", "--db", str(store)]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["found"] == "HOTEL"
