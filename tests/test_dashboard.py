"""The pages without a browser: what they say, and what they do with a store."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dashboard_server import APP
from made_log import made_log, path_of, read_turn
from small_logs import cc_agent, cc_user, lines, result, text, use
from streamlit.testing.v1 import AppTest

from dashboard import headers, uploads
from dashboard.data import load_dropped
from dashboard.parts.load_report import line_of
from dashboard.uploads import Dropped
from dashboard.views.runs import table_of
from sample_runs import runs_folder
from tabcore import partitions, rerun
from tabcore.labelling import notes


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for a store, which the pages use."""
    path = tmp_path / "data" / "runs.duckdb"
    monkeypatch.setenv("RUNNINGTAB_DB", str(path))
    return path


@pytest.fixture
def run_id(store: Path, tmp_path: Path) -> str:
    """A made run in the store."""
    log = tmp_path / "made.jsonl"
    log.write_text(made_log(40, 30, 6, 3))
    [loaded] = rerun.load([str(log)], store)
    return loaded.runs[0]


def _texts(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*app.text, *app.markdown))


def _labelled(elements: Any, label: str) -> Any:
    """The one element of a page with this label."""
    [found] = [element for element in elements if element.label == label]
    return found


def _links(app: AppTest) -> list[str]:
    return [element.proto.label for element in app.get("page_link")]


def _opened(page: str = "", **query: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page:
        app.switch_page(page)
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
    assert not app.exception
    return app


def _components(app: AppTest) -> list[str]:
    found: list[str] = []
    blocks = [app.main]
    while blocks:
        for child in blocks.pop().children.values():
            if hasattr(child, "children"):
                blocks.append(child)
            elif child.proto is not None and hasattr(child.proto, "component_name"):
                found.append(child.proto.component_name)
    return found


def test_an_empty_store_says_what_the_page_needs_and_offers_it(store: Path) -> None:
    app = _opened()
    assert "No run is stored yet." in _texts(app)
    assert [button.label for button in app.button] == ["Load the sample runs", "Follow it"]
    assert not store.exists()


def test_the_table_has_one_row_a_run_with_its_counts(run_id: str, store: Path) -> None:
    app = _opened()
    [table] = app.dataframe
    [row] = table.value.to_dict("records")
    assert (row["turns"], row["files read"], row["candidates left"], row["requirements"]) == (40, 6, 24, "3 / 3")
    assert (row["run"], row["model"], row["problems"]) == (run_id, "made-model", 0)


def test_a_search_that_finds_nothing_says_of_how_many(run_id: str) -> None:
    app = _opened()
    app.text_input(key="words").input("no such run").run()
    assert "0 of 1 runs" in _texts(app)
    app.text_input(key="words").input("MADE-model").run()
    assert "1 of 1 runs" in _texts(app)


def test_the_replay_asks_for_a_run_when_none_is_chosen(run_id: str) -> None:
    assert "No run is chosen." in _texts(_opened("views/replay.py"))


def test_an_unknown_run_in_the_address_is_said_to_be_unknown(run_id: str) -> None:
    app = _opened("views/replay.py", run="f" * 16)
    assert "not in this store" in _texts(app)
    assert not _components(app)


def test_the_replay_names_the_run_and_draws_its_parts(run_id: str) -> None:
    app = _opened("views/replay.py", run=run_id, turn="8")
    assert "made-model" in _texts(app)
    drawn = _components(app)
    assert (drawn.count("runningtab_replay"), drawn.count("runningtab_turn_text"), len(drawn)) == (1, 1, 5)
    labels = [expander.label for expander in app.expander]
    assert labels == [
        "Correct what capture decided in this turn",
        "0 notes on this run",
        "The log, and 0 problems with it",
        "0 unknowns: what capture could not decide",
        "Task and workspace root",
    ]


def test_the_problems_of_a_log_stand_on_the_runs_page(store: Path, tmp_path: Path) -> None:
    log = tmp_path / "torn.jsonl"
    lines = made_log(40, 30, 6, 3).splitlines(keepends=True)
    log.write_text("".join(lines[:-1]) + lines[-1][:20])
    [loaded] = rerun.load([str(log)], store)
    app = _opened("views/replay.py", run=loaded.runs[0])
    assert f"{len(lines) - 1} read, 1 skipped (line {len(lines)})" in _texts(app)
    [row] = app.dataframe[0].value.to_dict("records")
    assert (row["file"], row["line"], row["lost"]) == ("torn.jsonl", len(lines), "lost")


def test_a_correction_is_kept_and_taken_back_in_the_form(run_id: str, store: Path) -> None:
    app = _opened("views/replay.py", run=run_id)
    root, save, back = (
        "Workspace root; paths are relative to it",
        "Derive the tab again",
        "Back to what the record says",
    )
    task = "Task text; the threshold and the ranks come from its words"
    _labelled(app.text_area, task).input("energy bill")
    _labelled(app.button, save).click().run()
    assert "task: from corrected" in _texts(app)
    assert rerun.runs(store)[0].task == "energy bill"
    _labelled(app.text_input, root).input("/elsewhere")
    _labelled(app.button, save).click().run()
    assert (rerun.runs(store)[0].task, rerun.runs(store)[0].root) == ("energy bill", "/elsewhere")
    _labelled(app.button, back).click().run()
    assert rerun.runs(store)[0].task_source != "corrected"
    assert rerun.runs(store)[0].root == "/ws"


def test_a_decision_is_corrected_and_given_back_to_capture_in_the_replay(run_id: str, store: Path) -> None:
    app = _opened("views/replay.py", run=run_id, turn="2")
    _labelled(app.text_input, "Your name").input("Ann")
    files = next(box for box in app.selectbox if box.label == "File: choose, or type a path")
    files.select(path_of(7))
    _labelled(app.button, "Save and derive again").click().run()
    assert not app.exception
    assert rerun.replay(store, run_id).timeline.entries[0].path == path_of(7)
    assert f"call 1, {path_of(7)}: corrected by Ann on " in _texts(app)
    assert ": read; capture said listed (find" in _texts(app)
    assert "1 correction of capture's decisions, 1 in force" in [expander.label for expander in app.expander]
    _labelled(app.button, "as capture said").click().run()
    assert "taken back by Ann" in _texts(app)
    assert len(rerun.replay(store, run_id).timeline.entries) == 6


def test_a_note_on_a_turn_or_a_requirement_is_kept_and_listed(run_id: str, store: Path) -> None:
    app = _opened("views/replay.py", run=run_id, turn="8")
    _labelled(app.text_area, "Note").input("reads the wrong year")
    next(field for field in app.text_input if field.key == f"note-name-{run_id}-8").input("Ann")
    _labelled(app.button, "Keep the note").click().run()
    assert [(note.text, note.who, note.turn) for note in notes(store)] == [("reads the wrong year", "Ann", 8)]
    assert "on turn 8: reads the wrong year" in _texts(app)
    assert "1 note on this run" in [expander.label for expander in app.expander]


def test_a_correction_without_a_name_is_refused_in_one_sentence(run_id: str, store: Path) -> None:
    app = _opened("views/replay.py", run=run_id, turn="2")
    next(box for box in app.selectbox if box.label == "File: choose, or type a path").select(path_of(7))
    _labelled(app.button, "Save and derive again").click().run()
    assert "State a name" in _texts(app)
    assert rerun.decision_corrections(store, run_id) == ()


def test_a_run_and_its_sub_agents_lead_to_each_other(store: Path, tmp_path: Path) -> None:
    log = tmp_path / "parent.jsonl"
    side = {"isSidechain": True}
    log.write_text(
        lines(
            cc_user("u0", None, "Sum up"),
            cc_agent("u1", "u0", "m1", use("t1", "Task", prompt="look at a")),
            cc_user("a0", None, "look at a", **side),
            cc_agent("a1", "a0", "ma1", text("nothing in a"), **side),
            cc_user("u2", "u1", [result("t1", "nothing")]),
            cc_agent("u3", "u2", "m2", text("Done")),
        )
    )
    [loaded] = rerun.load([str(log)], store)
    parent, child = loaded.runs
    assert "sub-agent 1" in _links(_opened("views/replay.py", run=parent))
    assert "started by" in _links(_opened("views/replay.py", run=child))


def test_a_fault_that_was_foreseen_is_one_sentence_and_its_remedy(store: Path) -> None:
    store.parent.mkdir()
    store.write_text("this is no store")
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    assert not app.exception
    assert "This did not work." in _texts(app)
    assert str(store) in _texts(app)


def test_dropped_files_lie_in_a_private_folder_and_are_loaded_once(store: Path) -> None:
    files = [Dropped("../made.jsonl", made_log(40, 30, 6, 3).encode()), Dropped("made.jsonl", b"{}")]
    first = load_dropped(files, lambda done, of: None)
    again = load_dropped(files, lambda done, of: None)
    assert [item.state for item in first] == ["skipped", "loaded"]
    assert [item.state for item in again] == ["skipped", "unchanged"]
    assert {Path(item.path).parent.parent for item in first} == {store.parent / uploads.FOLDER}
    kept = [path for path in (store.parent / uploads.FOLDER).rglob("*") if path.is_file()]
    assert {path.name for path in kept} == {"made.jsonl", "2-made.jsonl"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert {stat.S_IMODE(path.parent.stat().st_mode) for path in kept} == {0o700}
    assert line_of(first[1]).startswith("made.jsonl: loaded · ")


def test_what_belongs_to_a_log_may_be_dropped_with_it(store: Path) -> None:
    folder = runs_folder() / "business_travel"
    files = [Dropped(path.name, path.read_bytes()) for path in folder.iterdir() if path.is_file()]
    assert len(files) > 1
    [loaded] = load_dropped(files, lambda done, of: None)
    assert (loaded.state, loaded.problems) == ("loaded", ())
    assert rerun.runs(store)[0].task_source == "run folder"
    app = _opened("views/replay.py", run=loaded.runs[0])
    assert 'class="simulated-word"' in "".join(element.body for element in app.get("html"))


def test_on_a_dataset_pages_say_that_it_is_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = tmp_path / "dataset"
    partitions.load([str(runs_folder() / "village_hall")], dataset)
    monkeypatch.setenv("RUNNINGTAB_DB", str(dataset))
    runs = _opened()
    assert "which is only read here; `runningtab load LOGS --dataset FOLDER` adds runs" in _texts(runs)
    assert "Add runs" not in [box.label for box in runs.expander]
    assert "Folder whose logs grow" not in [field.label for field in runs.text_input]
    assert "no label can be kept in it" in _texts(_opened("views/taxonomy.py"))


def test_texts_in_the_table_are_single_plain_lines(run_id: str, store: Path) -> None:
    rerun.correct(store, run_id, task="a\x1b[31mb\u202e\nsecond")
    assert table_of(rerun.runs(store))["task"] == ["ab"]


def test_every_inline_script_of_the_server_is_allowed_by_its_hash_alone() -> None:
    policy = headers.CONTENT_SECURITY_POLICY
    assert "script-src 'self' blob: 'wasm-unsafe-eval' 'sha256-" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]


def test_the_settings_hold_when_it_is_started_from_an_empty_folder(tmp_path: Path) -> None:
    program = (
        "from streamlit import config\n"
        f"config._main_script_path = {str(APP)!r}\n"
        "names = ('server.address', 'server.fileWatcherType', 'browser.gatherUsageStats', 'client.showErrorDetails', 'runner.magicEnabled')\n"
        "print([config.get_option(name) for name in names])\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert told.stdout.strip() == "['127.0.0.1', 'none', False, 'none', False]"


def test_the_made_run_reads_when_it_says(run_id: str, store: Path) -> None:
    entries = rerun.replay(store, run_id).timeline.entries
    assert [entry.turn for entry in entries] == [read_turn(i, 40, 6, 3) for i in range(6)]


def _two_faults() -> None:
    from dashboard.parts.boundary import boundary
    from tabcore.errors import UsageError

    for number in (1, 2):
        with boundary():
            raise UsageError(f"run {number}", "there is no such run", "Load its log")


def test_two_faults_on_one_page_are_told_each_in_a_box_of_its_own() -> None:
    app = AppTest.from_function(_two_faults).run()
    assert not app.exception
    assert [text.value for text in app.text] == [f"run {n}: there is no such run.\nLoad its log" for n in (1, 2)]
