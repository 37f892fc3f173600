"""What readers see of the outside: numbered lines, the head, the digest, what lies beside."""

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcore import source as module
from tabcore.errors import UnreadableSource
from tabcore.source import BLOCK, Folder, Source


def of(data: bytes) -> Source:
    return Source.of_bytes("log", data)


@given(st.binary(max_size=200).map(lambda data: data.replace(b"\xef\xbb\xbf", b"").replace(b"\0", b"")))
def test_lines_joined_are_the_file(data: bytes) -> None:
    source = of(data)
    if source.encoding == "utf-8":
        assert b"".join(line.data for line in source.lines()) == data


@given(st.lists(st.text(alphabet="ab\u2028\u0085\r\x0b", max_size=5), min_size=1, max_size=6))
def test_lines_end_at_the_newline_only_and_are_numbered(texts: list[str]) -> None:
    data = "".join(text + "\n" for text in texts).encode()
    found = [(line.number, line.data) for line in of(data).lines()]
    assert found == [(number, text.encode() + b"\n") for number, text in enumerate(texts, 1)]


@given(st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"").replace(b"\0", b"")), max_size=6), st.data())
def test_reading_on_from_a_line_gives_the_lines_after_it(parts: list[bytes], data: st.DataObject) -> None:
    source = of(b"{}\n" + b"\n".join(parts))
    every = list(source.lines())
    stop = data.draw(st.integers(0, len(every) - 1))
    assert list(source.lines(every[stop].next_offset, every[stop].number + 1)) == every[stop + 1 :]


def test_a_line_longer_than_a_block_is_one_line() -> None:
    long = b"x" * (3 * BLOCK)
    assert [line.data for line in of(long + b"\ny").lines()] == [long + b"\n", b"y"]


def test_a_line_over_the_limit_comes_in_pieces_of_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINE_LIMIT", 4)
    found = [(line.number, line.data) for line in of(b"abcdefghij\nk\n").lines()]
    assert found == [(1, b"abcd"), (1, b"efgh"), (1, b"ij\n"), (2, b"k\n")]


def test_the_last_line_without_a_newline_is_not_ended() -> None:
    assert [line.ended for line in of(b"a\nb").lines()] == [True, False]


def test_a_byte_order_mark_is_left_out_of_lines_and_head() -> None:
    source = of(b"\xef\xbb\xbf{}\n{}\n")
    assert [line.data for line in source.lines()] == [b"{}\n", b"{}\n"]
    assert (source.head(2), next(source.lines()).offset) == (b"{}", 3)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_recognised_and_handed_over_as_utf_8(encoding: str) -> None:
    source = of('{"a": "特許"}\n{}\n'.encode(encoding))
    assert source.encoding.startswith("utf-16")
    assert [line.data.decode() for line in source.lines()] == ['{"a": "特許"}\n', "{}\n"]


def test_half_a_character_at_the_end_of_utf_16_is_replaced() -> None:
    source = of("{}\n".encode("utf-16") + b"x")
    assert [line.data.decode() for line in source.lines()] == ["{}\n", "\ufffd"]


def test_the_digest_is_the_sha256_of_the_bytes_however_it_was_worked_out() -> None:
    data = "a\nb\n".encode("utf-16")
    for content in (b"", b"a\nb", b"\xef\xbb\xbfa\n", data):
        read_first, asked_first = of(content), of(content)
        list(read_first.lines())
        assert read_first.digest() == asked_first.digest() == hashlib.sha256(content).hexdigest()


def test_a_pass_that_stops_early_settles_no_digest() -> None:
    source = of(b"a\nb\n")
    next(source.lines())
    assert source.digest() == hashlib.sha256(b"a\nb\n").hexdigest()


def test_a_file_shows_its_siblings(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.txt"):
        (tmp_path / name).write_text(name)
    source = Source.of_path(tmp_path / "a.jsonl")
    assert [other.name for other in source.siblings()] == ["b.jsonl", "c.txt"]
    beside = source.sibling("c.txt")
    assert beside is not None
    assert beside.head(9) == b"c.txt"
    assert source.sibling("d") is None


def test_a_growing_file_has_its_new_size(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\n")
    source = Source.of_path(path)
    path.write_bytes(b"a\nb\n")
    assert (source.size, [line.data for line in source.lines(2, 2)]) == (4, [b"b\n"])


def test_what_cannot_be_opened_says_where_why_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"missing: it cannot be opened \(No such file.*Check the path"):
        Source.of_path(tmp_path / "missing")
    with pytest.raises(UnreadableSource, match="not a regular file"):
        Source.of_path(tmp_path)
    with pytest.raises(UnreadableSource, match="not a folder"):
        Folder.of_path(__file__)


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableSource, match="not a regular file"):
        Source.of_path(tmp_path / "pipe")
    assert Folder.of_path(tmp_path).files() == ()


def test_a_file_that_vanished_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\n")
    source = Source.of_path(path)
    path.unlink()
    with pytest.raises(UnreadableSource):
        list(source.lines())


def test_a_folder_shows_files_and_folders_by_name_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "circle").symlink_to(tmp_path)
    (tmp_path / "file").write_text("x")
    folder = Folder.of_path(tmp_path)
    assert [source.name for source in folder.files()] == ["file"]
    assert [inner.name for inner in folder.folders()] == ["inner"]
    assert folder.folders()[0].folders() == ()
