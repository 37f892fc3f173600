"""What holds of the readers of conversations, trajectories and streams alike, shown on the samples of their own tests."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_reading import claimants, runs_of
from test_anthropic_messages import SAMPLE as ANTHROPIC
from test_chat_messages import MESSAGES as CHAT_MESSAGES
from test_chat_messages import SAMPLE as CHAT
from test_codex import SAMPLE as CODEX
from test_dci_agent import SAMPLE as DCI
from test_live_tab import JOURNAL
from test_mini_swe_agent import SAMPLES as MINI
from test_pi_stream import SAMPLE as STREAM
from test_swe_agent import SAMPLES as SWE

from tabcore.readers import READERS
from tabcore.readers.base import HEAD
from tabcore.source import Source
from tabcore.trajectory import Tally

NAMED = {reader.NAME: reader for reader in READERS}
LOGS: dict[str, tuple[str, bytes]] = {
    "codex": ("codex", CODEX),
    "chat": ("chat-messages", CHAT),
    "chat lines": ("chat-messages", "".join(json.dumps(message) + "\n" for message in CHAT_MESSAGES).encode()),
    "anthropic": ("anthropic-messages", ANTHROPIC),
    "dci": ("dci-agent", DCI),
    "stream": ("pi-stream", STREAM),
    "live tab": ("live-tab", JOURNAL),
    **{f"mini {name}": ("mini-swe-agent", data) for name, data in MINI.items()},
    **{f"swe {name}": ("swe-agent", data) for name, data in SWE.items()},
}
LINES = [name for name, (_, data) in LOGS.items() if data.startswith(b"{") and data.count(b"\n{") > 2]
DEEP = b"[" * 100_000


def said(name: str, data: bytes) -> list[object]:
    """What a log's turns hold, without their places."""
    return [
        (turn.text, turn.reasoning, [(call.name, call.arguments) for call in turn.calls], [seen.text for seen in turn.observations])
        for run in runs_of(NAMED[LOGS[name][0]], data)
        for turn in run.turns
    ]  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_a_log_has_one_claimant_however_its_bytes_are_written(name: str) -> None:
    reader, data = LOGS[name]
    text = data.decode()
    for written in (
        data,
        b"\xef\xbb\xbf" + data,
        b"\n\n" + data,
        text.encode("utf-16"),
        text.replace("\n", "\r\n").encode(),
    ):
        assert claimants(written) == [reader]
        assert said(name, written) == said(name, data)


@pytest.mark.parametrize("name", LINES)
def test_a_log_of_lines_is_known_although_its_first_line_is_torn_or_glued(name: str) -> None:
    reader, data = LOGS[name]
    first, _, others = data.partition(b"\n")
    assert claimants(first[: len(first) // 2] + b"\n" + others) == [reader]
    assert claimants(first + others) == [reader]
    assert said(name, first + others) == said(name, data)


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_is_torn_or_no_record_costs_that_line_alone(name: str) -> None:
    reader, data = LOGS[name]
    for odd in (b'{"torn": "li\n', b"null\n", b"[]\n", b"12\n", b"\0\0\n", DEEP + b"\n", b'"\xff\xfe"\n'):
        runs = runs_of(NAMED[reader], data + odd)
        assert said(name, data + odd) == said(name, data)
        assert runs[0].problems or not odd.strip(b"\0\n")


@pytest.mark.parametrize("name", LOGS)
def test_a_log_cut_anywhere_keeps_its_first_turns_and_ends_in_a_tally(name: str) -> None:
    reader, data = LOGS[name]
    whole = said(name, data)
    for end in range(len(data) // 2, len(data), max(1, len(data) // 60)):
        cut = said(name, data[:end])
        assert cut[: len(cut) - 1] == whole[: len(cut) - 1] or len(cut) <= 1
        *_, last = NAMED[reader].read(Source.of_bytes("log", data[:end]))
        assert isinstance(last, Tally)


@pytest.mark.parametrize("name", LOGS)
def test_a_log_inside_another_logs_text_is_not_claimed(name: str) -> None:
    _, data = LOGS[name]
    talk = [{"role": "user", "content": data.decode()}, {"role": "assistant", "content": data.decode()}]
    assert claimants(json.dumps(talk).encode()) == ["chat-messages"]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("codex", "You are an agent."),
        ("chat lines", "You are an agent."),
        ("chat", "Sum the bills"),
        ("anthropic", "Sum the bills"),
        ("dci", "Use bash."),
        ("swe 0.x", "I cd bills"),
        ("mini bare", "exactly ONE"),
    ],
)
def test_a_log_whose_first_text_is_longer_than_the_head_is_known(name: str, word: str) -> None:
    reader, data = LOGS[name]
    long = data.replace(word.encode(), word.encode() + b" x" * HEAD, 1)
    assert len(long) > len(data) + HEAD
    assert claimants(long) == [reader]


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize(
    "junk", [DEEP, b"\0" * 5000, b"\xe2\x80\xa8", b'{"a":' * 100_000], ids=["deep", "nul", "u2028", "objects"]
)
def test_junk_in_the_middle_never_raises(name: str, junk: bytes) -> None:
    reader, data = LOGS[name]
    middle = len(data) // 2
    runs_of(NAMED[reader], data[:middle] + junk + data[middle:])
    claimants(data[:middle] + junk + data[middle:])


@given(st.sampled_from(sorted(LOGS)), st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_values_of_other_types_never_raise_and_claim_no_second_reader(name: str, seed: int) -> None:
    (reader, sound), chance = LOGS[name], Random(seed)
    if name in LINES:
        lines = [json.loads(line) for line in sound.splitlines()]
        spoilt = "".join(json.dumps(twisted(line, chance)) + "\n" for line in lines).encode()
    else:
        spoilt = json.dumps(twisted(json.loads(sound), chance)).encode()
    assert len(claimants(spoilt)) <= 1
    runs_of(NAMED[reader], spoilt)


ODD = [None, True, 7, -1.5, "", "text", [], {}, [[]], {"a": {"b": None}}, [None, 1, "x", {}], 10**30]


def twisted(value: object, chance: Random) -> object:
    """A value with some of its parts replaced by values of other types."""
    if chance.random() < 0.04:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {name: twisted(item, chance) for name, item in value.items()}
    if isinstance(value, list):
        return [twisted(item, chance) for item in value]
    return value
