"""A folder of event files: one log, whose digest tells when an event is added."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from test_openhands import V1, V1_LINES, event, runs_in, runs_of, write_directory

from tabcore.bundles import openhands_events
from tabcore.discovery import discover
from tabcore.readers import identify, openhands
from tabcore.source import Folder, Source


def is_log(source: Source) -> bool:
    return identify(source).NAME == "openhands"


def conversation(place: Path) -> Folder:
    (place / "base_state.json").write_text(json.dumps({"id": "x"}))
    return Folder.of_path(write_directory(place / "events"))


def test_a_folder_of_events_is_one_log(tmp_path: Path) -> None:
    log = openhands_events.read(conversation(tmp_path), is_log).log
    assert log is not None
    assert is_log(log)
    [run], [lines] = runs_of(openhands, log), runs_in(openhands, V1_LINES)
    assert (run.turns, run.tally.total) == (lines.turns, len(V1))


def test_a_search_finds_the_folder_once_and_no_event_as_a_log_of_its_own(tmp_path: Path) -> None:
    conversation(tmp_path)
    found = discover([str(tmp_path)])
    assert sorted(found.places) == [str(tmp_path / "base_state.json"), str(tmp_path / "events")]


def test_a_new_event_is_a_new_digest(tmp_path: Path) -> None:
    folder = conversation(tmp_path)
    before = openhands_events.read(folder, is_log).log
    assert before is not None
    digest = before.digest()
    (tmp_path / "events" / "event-00099-00000099.json").write_text(json.dumps(event("PauseEvent", "user")))
    after = openhands_events.read(Folder.of_path(tmp_path), is_log).log
    assert after is not None
    assert after.digest() != digest


@given(st.lists(st.binary(max_size=9), min_size=1, max_size=5), st.integers(0, 60), st.integers(1, 9))
@settings(deadline=None)
def test_joined_files_read_the_same_from_anywhere_as_their_lines(parts: list[bytes], start: int, size: int) -> None:
    source = openhands_events.joined("log", tuple(Source.of_bytes(f"{n}", part) for n, part in enumerate(parts)))
    whole = b"".join(part.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" for part in parts)
    assert source.size == len(whole)
    with source.open() as stream:
        stream.seek(start)
        assert b"".join(iter(lambda: stream.read(size), b"")) == whole[start:]
        assert stream.seek(0, io.SEEK_END) == len(whole)
