"""The command that fuzzes: what it keeps, what it calls a failure; and, with --long, a minute of it. What it found once is here too."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest
from fuzz import TARGETS, Corpus, Outcome, Target, changed, fuzz

from tabcore.capture import Workspace, capture
from tabcore.trajectory import Observation, ToolCall


def lengths(data: bytes) -> Outcome:
    if b"!" in data:
        raise IndexError("a bang")
    return frozenset({f"length {len(data)}"})


TOY = Target("toy", lambda: iter([b"a", b"bb"]), lengths)


def test_what_leads_to_something_new_is_kept_and_tried_again_at_the_next_start(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, TOY)
    corpus.begin()
    for data in (b"cc", b"ccc", b"ddd"):
        corpus.attempt(data)
    assert [path.read_bytes() for path in (tmp_path / "toy").iterdir()] == [b"ccc"]
    again = Corpus(tmp_path, TOY)
    again.begin()
    assert again.inputs == [b"a", b"bb", b"ccc"]


def test_each_place_that_fails_is_kept_once_with_its_traceback(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, TOY)
    corpus.attempt(b"x!")
    corpus.attempt(b"y!")
    assert corpus.failures == 1
    [told] = (tmp_path / "failing" / "toy").glob("*.txt")
    assert "IndexError: a bang" in told.read_text()
    assert told.with_suffix("").read_bytes() == b"x!"


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_changed_seeds_hold(name: str, tmp_path: Path) -> None:
    corpus, chance = Corpus(tmp_path, TARGETS[name]), Random(5)
    seeds = list(islice(TARGETS[name].seeds(), 6))
    for data in seeds:
        corpus.attempt(data)
        corpus.attempt(changed(data, chance.choice(seeds), name, chance))
    assert (corpus.failures, corpus.tried) == (0, 12)
    assert corpus.new


@pytest.mark.long
def test_a_minute_of_it_finds_nothing(tmp_path: Path) -> None:
    assert [corpus.failures for corpus in fuzz(list(TARGETS.values()), tmp_path, 60, 1)] == [0, 0, 0, 0]


def test_a_variable_without_a_name_is_no_variable() -> None:
    call = ToolCall("1", "bash", {"command": "xmllint --f$€[[>$&atalog.xml"})
    capture(call, Observation("1", '<?xml version="1.0"?>\n<catalog>\n'), Workspace("/workspace", "/workspace"))
