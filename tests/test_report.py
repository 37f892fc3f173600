"""The report: one file that asks nobody for anything, with the figures, their definitions and examples."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_rubrics import Rubrics, made_run

from sample_runs import runs_folder
from tabcore import rerun
from tabcore.cli import main
from tabcore.errors import UsageError
from tabcore.exports.label_rows import read_rows
from tabcore.labelling import take_in
from tabcore.presentation.report import Chosen, report

VOID = {"meta", "br", "rect", "line", "path", "circle", "link", "img", "hr"}


class Page(HTMLParser):
    """A page's tags, checked for being closed; its ids, links, and whatever it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.scripts = 0
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"]] if found.get("id") and tag != "pattern" else []
        self.links += [found["href"]] if tag == "a" and found.get("href") else []
        self.loads += [
            value for name, value in attrs if value and name in ("src", "srcset", "data", "action", "poster")
        ]
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    take_in(store, read_rows((runs_folder().parent / "types.csv").read_text("utf-8")))
    return store


def test_it_loads_nothing_and_each_link_leads_to_a_place_of_its_own(samples: Path) -> None:
    page = Page(report(samples, Chosen(annotator="by hand")))
    assert (page.loads, page.scripts) == ([], 0)
    assert len(page.links) == 10  # two examples of each type, but Formatting and Other have one
    assert {link.removeprefix("#") for link in page.links} == set(page.ids)
    assert "http" not in re.sub(r"<(?:meta|svg)[^>]*>", "", report(samples, Chosen()))


def test_it_says_what_it_is_and_is_not_and_on_what_it_stands(samples: Path) -> None:
    text = report(samples, Chosen(title="For Tuesday"))
    assert "<title>For Tuesday</title>" in text
    assert "does not verify that the sources are right" in text
    assert re.search(r"store runs\.duckdb, sha256 [0-9a-f]{64}", text)
    assert "7 of 7 runs are scripted or re-enacted" in text


def test_the_figures_stand_beside_the_papers(samples: Path) -> None:
    text = report(samples, Chosen(annotator="by hand"))
    assert "Of 89 expected values that were shown, 22 (24.7 %) are missing" in text
    for words in (
        "13 of 19 (68.4 %) · paper 12.3 %",
        "11 of 12 (91.7 %) · paper 27.0 %",
        "19 of 22 (86.4 %) · paper 94.8 %",
        "44.12 %, 3 runs · paper 41.6 %",
        "16 of 18 (88.9 %) · paper 45.8 %",
    ):
        assert words in text
    assert "What the rubric expects is absent from the deliverable, although" in text


def test_examples_are_static_replays_with_the_turns_that_matter(samples: Path) -> None:
    text = report(samples, Chosen(parts=("examples",)))
    assert text.count("The run, turn by turn</summary>") == 9
    assert "EUR 80 was shown</td>" in text
    assert "<mark>EUR 80</mark>" in text
    assert "Agreement" not in text


def test_a_report_is_of_the_chosen_runs_and_of_somebodys_labels(samples: Path) -> None:
    run = next(row.run_id for row in rerun.runs(samples) if row.task_name == "business travel guide")
    assert "<caption>Runs: 1</caption>" in report(samples, Chosen(runs=(run[:8],)))
    with pytest.raises(UsageError, match="Known: by hand, rules"):
        report(samples, Chosen(annotator="Cy"))


def test_nothing_of_a_log_becomes_markup(tmp_path: Path) -> None:
    store = tmp_path / "runs.duckdb"
    nasty = '<script>alert(1)</script><img src="http://x.y/z">"\'\x1b[31m'
    rubrics: Rubrics = {"a": (f"{nasty} 1,234.50", False), nasty: ("7890.25", False)}
    made_run(tmp_path / "run", store, rubrics, nasty, task_name=nasty, method=nasty)
    page = Page(report(store, Chosen(title=nasty)))
    assert (page.loads, page.scripts) == ([], 0)


def test_runs_without_rubrics_make_a_report_all_the_same(tmp_path: Path) -> None:
    store = tmp_path / "runs.duckdb"
    made_run(tmp_path / "run", store, {})
    assert "<caption>Runs: 1</caption>" in report(store, Chosen())
    with pytest.raises(UsageError, match="there is no run"):
        report(tmp_path / "none.duckdb", Chosen())


def test_the_command_writes_the_file_and_refuses_a_place_it_cannot_write(
    samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    assert main(["report", "--out", str(out), "--part", "taxonomy", "--db", str(samples)]) == 0
    assert "Why rubrics failed" in out.read_text("utf-8")
    assert main(["report", "--out", str(tmp_path / "no" / "where.html"), "--db", str(samples)]) == 2
    assert "cannot be written" in capsys.readouterr().err
