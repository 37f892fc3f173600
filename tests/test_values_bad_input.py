"""Values in texts that are large, packed or torn; deliverables that are missing, empty, a picture, or one of many."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from random import Random

import pytest
from small_logs import pi_agent, pi_log, pi_result, pi_user

from tabcore import rerun
from tabcore.analyses.shown_but_missing import ShownButMissing
from tabcore.questions import shown_but_missing

WANTED = "1234567.89"


def ask(
    tmp_path: Path, shown: str, deliverables: dict[str, bytes] | None = None, text: str = f"States {WANTED}"
) -> ShownButMissing:
    """A run that is shown a text and delivers these files; what became of the value that its rubric expects."""
    folder = tmp_path / "run"
    (folder / "deliverable").mkdir(parents=True)
    log = pi_log(
        pi_user("Sum it up"),
        pi_agent("", ("c1", "bash", {"command": "cat /ws/big.txt"})),
        pi_result("c1", shown),
        pi_agent("Done."),
    )
    (folder / "session.jsonl").write_text(log)
    (folder / "rubrics.json").write_text(json.dumps([{"id": "a", "text": text}]))
    (folder / "verdicts.json").write_text(json.dumps([{"rubric": "a", "passed": False}]))
    for name, data in (deliverables or {}).items():
        (folder / "deliverable" / name).write_bytes(data)
    store = tmp_path / "runs.duckdb"
    rerun.load([str(folder)], store)
    return shown_but_missing(store)


def is_shown(found: ShownButMissing) -> bool:
    [value] = found.values
    return bool(value.shown)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"rows":[{{"id":7,"amount":{WANTED},"note":"x"}}]}}',
        f"\x1b[1m| payee \x1b[0m| amount |\n| Fjord | \x1b[32m{WANTED}\x1b[0m |\n",
        f"a,b\r\nFjord,{WANTED}\r\n",
        "a" * 200_000 + f" {WANTED} " + "b" * 200_000,
        f"total: {WANTED}\x00\x00",
        f"\ufefftotal\t{WANTED}",
    ],
    ids=["minified JSON", "colours", "CRLF", "a very long line", "NUL", "BOM"],
)
def test_a_value_is_found_in(text: str, tmp_path: Path) -> None:
    assert is_shown(ask(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        f"x1{WANTED}",
        f"{WANTED}7",
        "12345\n67.89",
        base64.b64encode(Random(1).randbytes(400_000)).decode(),
    ],
    ids=["the end of a longer number", "the start of a longer number", "wrapped over two lines", "base64"],
)
def test_a_value_is_not_found_in(text: str, tmp_path: Path) -> None:
    assert not is_shown(ask(tmp_path, text))


@pytest.mark.long
def test_fifty_megabytes_are_read_in_bounded_time(tmp_path: Path) -> None:
    row = "2024-06-28,Fjord AS,{},17,0.5000,posted\n"
    lines = "".join(row.format(f"{n}.25") for n in range(1_200_000))
    start = time.process_time()
    assert is_shown(ask(tmp_path, lines + row.format(WANTED)))
    assert time.process_time() - start < 60


PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(40)


@pytest.mark.parametrize(
    ("files", "known"),
    [
        ({"empty.md": b""}, True),
        ({"picture.png": PICTURE}, False),
        ({"broken.docx": b"PK\x03\x04 nothing of a document"}, False),
        ({f"part_{n}.md": b"no number" for n in range(20)}, True),
    ],
    ids=["empty", "a picture", "damaged", "twenty files"],
)
def test_a_deliverable_without_the_value_is_absent_or_said_not_to_be_known(
    files: dict[str, bytes], known: bool, tmp_path: Path
) -> None:
    found = ask(tmp_path, WANTED, files)
    if known:
        assert [value.outcome for value in found.values] == ["absent, failed"]
    else:
        assert (found.values, len(found.without_deliverable)) == ((), 1)


def test_one_of_twenty_files_delivers_it(tmp_path: Path) -> None:
    files = {f"part_{n}.md": b"no number" for n in range(19)} | {"last.md": b"it is 1,234,567.89"}
    [value] = ask(tmp_path, WANTED, files).values
    assert [place.path for place in value.delivered] == ["last.md"]
