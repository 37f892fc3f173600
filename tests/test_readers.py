"""What holds of every reader: it is chosen by content, and bad bytes never make it raise."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_logs import (
    REAL,
    atif_log,
    cc_agent,
    cc_log,
    cc_user,
    lines,
    pi_agent,
    pi_log,
    pi_result,
    pi_user,
    result,
    runs_of,
    text,
    use,
)

from tabcore.errors import UnknownFormat
from tabcore.readers import READERS, atif, claude_code, formats, identify, pi
from tabcore.readers.base import HEAD, Reader
from tabcore.readers.heads import Head
from tabcore.source import Source
from tabcore.trajectory import Run, Tally, collect

PI_LOG = pi_log(
    pi_user("Count"),
    pi_agent("Listing", ("c1", "bash", {"command": "ls"})),
    pi_result("c1", "a\n\nCommand exited with code 2", "[tab] 0 open"),
    pi_agent("Two."),
)
FORKED_LOG = lines(
    cc_user("u0", None, "x"),
    cc_agent("u1", "u0", "m1", use("t1", command="ls"), use("t2", "Task", prompt="look")),
    cc_user("a0", None, "look", isSidechain=True),
    cc_agent("a1", "a0", "ma", text("seen"), isSidechain=True),
    cc_user("u2", "u1", [result("t1", "a"), result("t2", [text("seen")])]),
    cc_user("u3", "u2", "wrong way"),
    cc_agent("u4", "u3", "m2", text("given up")),
    cc_user("u5", "u2", "right way <system-reminder>todo</system-reminder>"),
    cc_agent("u6", "u5", "m3", text("kept")),
)
LOGS: dict[str, tuple[Reader, str]] = {
    "pi": (pi, PI_LOG),
    "claude-code": (claude_code, cc_log()),
    "claude-code, forked": (claude_code, FORKED_LOG),
    "atif": (atif, atif_log()),
}


def read(reader: Reader, data: bytes) -> tuple[Run, ...]:
    """The runs that a reader makes of any bytes; the last piece is the tally."""
    pieces = list(reader.read(Source.of_bytes("log", data)))
    assert isinstance(pieces[-1], Tally)
    assert sum(isinstance(piece, Tally) for piece in pieces) == 1
    return collect(pieces, digest="0" * 64, path="log")


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_recognised_by_its_content_whatever_its_name(name: str) -> None:
    reader, log = LOGS[name]
    for file_name in ("log", "atif.json", "pi.jsonl", "claude.txt"):
        assert identify(Source.of_bytes(file_name, log.encode())) is reader


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_recognised_although_its_first_line_is_torn_or_glued(name: str) -> None:
    reader, log = LOGS[name]
    assert identify(Source.of_bytes("log", log.encode("utf-16"))) is reader
    if reader is atif:
        assert identify(Source.of_bytes("log", log[:-30].encode())) is reader
        return
    first, *others = log.splitlines()
    for damaged in (first[: len(first) // 2] + "\n" + "\n".join(others), first + "\n".join(others), "\n\n" + log):
        assert identify(Source.of_bytes("log", damaged.encode())) is reader


def test_a_log_inside_another_logs_text_is_not_recognised() -> None:
    for _, (reader, log) in LOGS.items():
        outer = pi_log(pi_user("x"), pi_agent("", ("c1", "bash", {})), pi_result("c1", log))
        head = Head(Source.of_bytes("", outer.encode()))
        claimants = [other.NAME for other in READERS if other.recognises(head)]
        assert claimants == ["pi"], reader.NAME


def test_a_log_whose_first_line_is_longer_than_the_head_is_recognised() -> None:
    long = cc_log().replace("Write report.md", "x" * (2 * HEAD))
    assert identify(Source.of_bytes("log", long.encode())) is claude_code
    long = PI_LOG.replace("Count", "x" * (2 * HEAD))
    assert identify(Source.of_bytes("log", long.encode())) is pi


@pytest.mark.parametrize("data", [b"hello", b'{"a": 1}', b"\x00\x01", b"%PDF-1.7"])
def test_a_file_of_no_known_format_is_told_in_a_line_that_says_where_the_formats_are_listed(data: bytes) -> None:
    with pytest.raises(UnknownFormat) as refused:
        identify(Source.of_bytes("notes.txt", data))
    assert str(refused.value) == (
        "notes.txt: its content is of no known log format. `runningtab load --formats` lists the known ones"
    )


@pytest.mark.parametrize("data", [b"", b"\n \n"])
def test_an_empty_file_is_told_as_one(data: bytes) -> None:
    with pytest.raises(UnknownFormat) as refused:
        identify(Source.of_bytes("log", data))
    assert str(refused.value) == "log: the file is empty. There is nothing to load"


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.NAME)
def test_each_format_is_listed_with_one_whole_sentence(reader: Reader) -> None:
    assert formats()[reader.NAME].endswith(".")


def test_two_claimants_are_an_error_that_names_both() -> None:
    with pytest.raises(UnknownFormat, match="it reads as claude-code and pi alike"):
        identify(Source.of_bytes("log", (cc_log() + PI_LOG).encode()))


@pytest.mark.parametrize("folder", ["pi", "claude_code", "atif"])
def test_every_real_log_loads(folder: str) -> None:
    files = sorted((REAL / folder).glob("*")) if REAL.exists() else []
    if not files:
        pytest.skip("the real logs are not on this machine")
    for path in files:
        if path.name == "rfc_gemini-cli-trajectory.json":
            continue  # a Gemini CLI chat that lies among the ATIF files
        source = Source.of_path(path)
        reader = identify(source)
        assert reader.NAME.replace("-", "_") == folder
        runs = collect(reader.read(source), digest=source.digest(), path=str(path))
        assert all(run.turns for run in runs)
        assert not any(problem.lost for run in runs for problem in run.problems), path.name
        assert runs[0].tally.skipped == ()


def test_numbers_of_turns_rise_by_one_in_every_real_log() -> None:
    if not REAL.exists():
        pytest.skip("the real logs are not on this machine")
    for path in sorted(REAL.glob("pi/*")) + sorted(REAL.glob("claude_code/*")):
        for run in runs_of(path.read_bytes()):
            assert [turn.number for turn in run.turns] == list(range(1, len(run.turns) + 1))


Damage = Callable[[bytes], bytes]


@st.composite
def damages(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` after some of the accidents that happen to logs."""
    for _ in range(draw(st.integers(1, 3))):
        place, other = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=4))
        data = draw(
            st.sampled_from(
                (
                    data[:place],
                    data[other:],
                    data[:place] + data[other:],
                    data[:other] + data[place:],
                    data[:place] + piece + data[place:],
                    data[:place] + piece + data[place + len(piece) :],
                    data.replace(b"\n", b"", 1),
                    data.replace(b"\n", b"\r\n"),
                )
            )
        )
    return data


PIECES = (
    *(b"\0", b"\n", b"\xff", b"\xef\xbb\xbf", "\u2028".encode(), b"null", b"{}", b"[]", b'"', b"\\", b"{", b"}", b"}{"),
    *(b"NaN", b"1e999", b'"\\ud800"', b"[" * 3000, b'{"a":' * 3000, b"9" * 5000, b"true", b"-1", b",", b":"),
)


@pytest.mark.parametrize("name", LOGS)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_accident_makes_a_reader_raise(name: str, data: st.DataObject) -> None:
    reader, log = LOGS[name]
    damaged = data.draw(damages(log.encode()))
    runs = read(reader, damaged)
    for run in runs:
        assert run.tally.read + len(run.tally.skipped) == run.tally.total
        for turn in (*run.turns, *run.abandoned):
            turn.text.encode()
            for observation in turn.observations:
                observation.text.encode()
                assert all(0 <= span.start <= span.end <= len(observation.text) for span in observation.spans)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("name", LOGS)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_value_of_a_wrong_type_makes_a_reader_raise(name: str, data: st.DataObject) -> None:
    reader, log = LOGS[name]
    records = [json.loads(line) for line in log.splitlines()]
    place = records
    while True:
        keys = list(range(len(place))) if isinstance(place, list) else list(place)
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        place = inner
    place[key] = data.draw(VALUES)
    read(reader, "".join(json.dumps(record) + "\n" for record in records).encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("name", LOGS)
def test_another_encoding_gives_the_same_turns(name: str, encoding: str) -> None:
    reader, log = LOGS[name]
    plain, other = read(reader, log.encode()), read(reader, log.encode(encoding))
    assert [run.turns for run in plain] == [run.turns for run in other]


def test_reading_twice_gives_the_same_pieces() -> None:
    for reader, log in LOGS.values():
        source = Source.of_bytes("log", log.encode())
        assert list(reader.read(source)) == list(reader.read(source))


def test_turns_are_handed_over_while_the_log_is_read() -> None:
    many = lines(
        *(cc_user(f"u{n}", f"a{n - 1}" if n else None, f"q{n}") | {} for n in range(1)),
        *(
            record
            for n in range(1, 3000)
            for record in (cc_agent(f"a{n}", f"u{n - 1}", f"m{n}", text("x" * 500)), cc_user(f"u{n}", f"a{n}", "go on"))
        ),
    )
    opened: list[int] = []

    class Counting(Source):
        def lines(self, start: int = 0, number: int = 1):  # type: ignore[no-untyped-def]
            for line in super().lines(start, number):
                opened.append(line.number)
                yield line

    pieces = claude_code.read(Counting("log", Source.of_bytes("log", many.encode()).open, lambda: len(many)))
    next(pieces), next(pieces)
    assert len(opened) < 5999 + 10
