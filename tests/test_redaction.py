"""What a load finds of secrets is counted, kept as it is in the store, and masked at every door."""

import json
from pathlib import Path

import pytest
from made_logs import pi_log, write_log
from test_secrets import KEY, SECRETS

from tabcore import rerun
from tabcore.cli import main
from tabcore.ingest import load
from tabcore.store.store import Store

AWS, GITHUB, STRIPE = (SECRETS[kind] for kind in ("AWS Access Key", "GitHub Token", "Stripe Access Key"))
LEAKS = [AWS, GITHUB, STRIPE, *KEY.splitlines()[1:-1]]


def log_with_secrets() -> str:
    """A person pastes a key, a file shows two, a command has one in its words and a folder in its name."""
    task = f"Write the travel policy guide with key {AWS}"
    log = pi_log(5, task=task, prefix=f"hotel --token {GITHUB} ")
    shown = f"Hotel limit with {STRIPE}: 120\n{KEY}\n"
    return log.replace(json.dumps("Travel policy\nHotel limit: 120 a night\n"), json.dumps(shown)).replace(
        "notes.txt", f"notes-{AWS}.txt"
    )


@pytest.fixture
def db(tmp_path: Path) -> str:
    folder = tmp_path / "run"
    write_log(folder, "session.jsonl", log_with_secrets())
    (folder / "run.toml").write_text('root = "/w"\n')
    (folder / "rubrics.json").write_text(json.dumps([{"id": "a", "text": f"Uses {GITHUB}"}]))
    (folder / "deliverable").mkdir()
    (folder / "deliverable" / "guide.md").write_text(f"The key is {STRIPE}")
    return str(tmp_path / "runs.duckdb")


def loaded(db: str, *, look: bool = True) -> str:
    [item] = load([str(Path(db).parent / "run")], Store(db), look_for_secrets=look)
    assert bool(item.secrets) == look
    return item.runs[0]


def leaks(shown: object) -> list[str]:
    text = shown if isinstance(shown, str) else repr(shown)
    return [secret for secret in LEAKS if secret in text]


def doors(db: str, run: str) -> dict[str, object]:
    turns = rerun.run(db, run).turns
    entries = [entry.entry_id for entry in rerun.tab_row(db, run).read_log]
    return {
        "runs": rerun.runs(db),
        "run": rerun.run(db, run),
        "replay": rerun.replay(db, run),
        "turns": [rerun.turn_body(db, run, turn) for turn in range(1, turns + 1)],
        "excerpts": [rerun.excerpt(db, run, entry) for entry in entries],
        "candidates": rerun.candidate_order(db, run, turns),
        "review": rerun.review_at(db, run, turns),
        "tab": rerun.tab_row(db, run),
        "tab text": rerun.tab_text(db, run),
        "problems": rerun.problems(db),
        "problems of the run": rerun.problems(db, run),
        "export": rerun.export_atif(db, run),
        "export for a judge": rerun.export_atif(db, run, for_judge=True),
        "checked": rerun.checked(db, run),
        "corrections": rerun.decision_corrections(db, run),
    }


def test_no_door_lets_a_secret_out(db: str) -> None:
    run = loaded(db)
    shown = doors(db, run)
    assert {name: leaks(value) for name, value in shown.items() if leaks(value)} == {}
    assert "[secret: Private Key]" in repr(shown["excerpts"])
    assert "[secret: GitHub Token]" in repr(shown["turns"])
    assert "[secret: AWS Access Key]" in repr(shown["tab text"])
    assert leaks(rerun.correct(db, run, root="/other")) == []


def test_secrets_are_counted_and_the_record_stays_as_it_is(db: str) -> None:
    run = loaded(db)
    with Store(db).reading() as connection:
        kinds = dict(
            connection.execute("SELECT kind, count(DISTINCT (text, start)) FROM secrets GROUP BY kind").fetchall()
        )
        texts = "".join(text for (text,) in connection.execute("SELECT text FROM texts").fetchall())
    assert kinds == {"AWS Access Key": 2, "GitHub Token": 5, "Private Key": 1, "Stripe Access Key": 2}
    assert rerun.run(db, run).secrets == 10
    assert set(leaks(texts)) == set(LEAKS)
    assert (Path(db).parent / "run" / "session.jsonl").read_text() == log_with_secrets()
    before = doors(db, run)
    rerun.correct(db, run, root="/w")
    assert rerun.run(db, run).secrets == 10
    assert leaks(before) == []


def test_review_and_ranking_look_at_the_texts_as_they_are(db: str, tmp_path: Path) -> None:
    run = loaded(db)
    other = str(tmp_path / "other.duckdb")
    load([str(tmp_path / "run")], Store(other), look_for_secrets=False)
    scores = [score for _, score in rerun.candidate_order(db, run, 3)]
    assert scores == [score for _, score in rerun.candidate_order(other, run, 3)]


def test_without_redaction_everything_is_as_it_stands(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = loaded(db)
    for command in (["show", run], ["show", run, "--json"], ["export", run]):
        assert main([*command, "--db", db]) == 0
        assert leaks(capsys.readouterr().out) == []
        assert main([*command, "--db", db, "--no-redact"]) == 0
        assert leaks(capsys.readouterr().out)


def test_a_load_that_looks_for_none_masks_none(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["load", str(Path(db).parent / "run"), "--db", db, "--no-redact"]) == 0
    assert "key or token" not in capsys.readouterr().out
    [run] = rerun.runs(db)
    assert run.secrets == 0
    assert leaks(doors(db, run.run_id))


def test_the_load_says_how_many_it_found(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["load", str(Path(db).parent / "run"), "--db", db]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("10 places with a key or token: masked")


def test_secrets_go_with_their_run(db: str) -> None:
    run = loaded(db)
    rerun.delete(db, run)
    with Store(db).reading() as connection:
        assert connection.execute("SELECT (SELECT count(*) FROM secrets), (SELECT count(*) FROM texts)").fetchall() == [
            (0, 0)
        ]


def test_the_secrets_of_a_log_that_grows_are_found_as_it_grows(tmp_path: Path) -> None:
    lines = log_with_secrets().splitlines(keepends=True)
    folder, db = tmp_path / "grown", str(tmp_path / "grown.duckdb")
    path = write_log(folder, "s.jsonl", "".join(lines[:3]))
    watcher = rerun.watcher([str(folder)], db)
    watcher.step()
    for line in lines[3:]:
        with path.open("a") as file:
            file.write(line)
        watcher.step()
    [run] = rerun.runs(db)
    assert {name: leaks(value) for name, value in doors(db, run.run_id).items() if leaks(value)} == {}
    whole = Store(tmp_path / "whole.duckdb")
    [item] = load([str(path)], whole)
    assert run.secrets == rerun.run(whole.path, item.runs[0]).secrets > 0
