"""Archives, packed files and standard input load like folders and files, whatever is wrong with a member."""

import gzip
import io
import os
import stat
import struct
import sys
import tarfile
import tempfile
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow
import pytest
from made_logs import pi_log, write_log
from test_inspect_log import EVAL

from tabcore import archives, ingest, rerun
from tabcore.ingest import load
from tabcore.rows import Loaded
from tabcore.store.store import Store

RUN_FOLDER = {
    "inner/one/session.jsonl": pi_log(),
    "inner/one/run.toml": 'method = "dci"\nroot = "/w/travel"\n',
    "inner/one/task.md": "Compare the hotels",
    "inner/one/rubrics.json": '[{"id": "a", "text": "States it"}]',
    "inner/one/deliverable/guide.md": "120 a night",
}
Members = Mapping[str, str | bytes]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store" / "runs.duckdb")


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where private files are made; each test leaves it empty. The database has its own folder before that."""
    with Store(tmp_path / "none").writing():
        pass
    folder = tmp_path / "room"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def bytes_of(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def zipped(members: Members, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", packing) as archive:
        warnings.simplefilter("ignore")
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tarred(members: Members) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(bytes_of(content))
            archive.addfile(entry, io.BytesIO(bytes_of(content)))
    return packed.getvalue()


def zstd(data: bytes) -> bytes:
    return bytes(pyarrow.Codec("zstd").compress(data, asbytes=True))


WAYS = {
    "a.zip": zipped,
    "a.tar": tarred,
    "a.tar.gz": lambda members: gzip.compress(tarred(members)),
    "a.tgz": lambda members: gzip.compress(tarred(members)),
    "a.tar.zst": lambda members: zstd(tarred(members)),
}


def write(folder: Path, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


def kinds(loaded: tuple[Loaded, ...]) -> list[str]:
    return sorted(problem.kind for item in loaded for problem in item.problems)


def states(loaded: tuple[Loaded, ...], archive: str = "") -> dict[str, str]:
    return {item.path.removeprefix(archive): item.state for item in loaded}


@pytest.mark.parametrize("name", WAYS)
def test_a_run_folder_in_an_archive_is_one_run_with_what_lies_beside(
    name: str, store: Store, tmp_path: Path, room: Path
) -> None:
    path = write(tmp_path, name, WAYS[name]({**RUN_FOLDER, "other/log.jsonl": pi_log(session="s2")}))
    loaded = load([path], store)
    assert states(loaded, path) == {
        "": "unpacked",
        "!inner/one/session.jsonl": "loaded",
        "!other/log.jsonl": "loaded",
    }
    assert kinds(loaded) == []
    run = next(run for run in rerun.runs(store.path) if "session" in run.path)
    assert (run.path, run.task, run.method, run.root) == (
        *(f"{path}!inner/one/session.jsonl", "Compare the hotels"),
        *("dci", "/w/travel"),
    )
    with store.reading() as connection:
        assert connection.execute("SELECT text FROM rubrics").fetchall() == [("States it",)]
        assert connection.execute("SELECT path FROM deliverables WHERE source = 'file'").fetchall() == [("guide.md",)]
    assert list(room.iterdir()) == []


def test_an_unchanged_archive_is_not_opened(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "a.zip", zipped({**RUN_FOLDER, "b/log.jsonl": pi_log(session="s2"), "notes.txt": "none"}))
    first = load([path], store)
    content = store.path.read_bytes()
    monkeypatch.setattr(ingest, "unpack", None)
    monkeypatch.setattr(ingest, "is_one_log", None)
    again = load([path], store)
    assert store.path.read_bytes() == content
    assert states(again, path) == {
        "": "unchanged",
        "!inner/one/session.jsonl": "unchanged",
        "!b/log.jsonl": "unchanged",
        "!notes.txt": "skipped",
    }
    assert {item.path: (item.runs, item.tally, item.problems) for item in again} == {
        item.path: (item.runs, item.tally, item.problems) for item in first
    }


def test_a_changed_archive_replaces_what_changed_in_it(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path, "a.zip", zipped({"a.jsonl": pi_log(), "b.jsonl": pi_log(session="b")}))
    load([path], store)
    write(tmp_path, "a.zip", zipped({"a.jsonl": pi_log(), "b.jsonl": pi_log(6, session="b")}))
    assert states(load([path], store), path) == {"": "unpacked", "!a.jsonl": "unchanged", "!b.jsonl": "replaced"}
    assert sorted(run.turns for run in rerun.runs(store.path)) == [4, 6]
    assert states(load([path], store), path) == {"": "unchanged", "!a.jsonl": "unchanged", "!b.jsonl": "unchanged"}


def test_the_same_log_in_and_out_of_an_archive_is_one_run(store: Store, tmp_path: Path) -> None:
    log = write_log(tmp_path)
    packed = write(tmp_path, "b.jsonl.gz", gzip.compress(log.read_bytes()))
    path = write(tmp_path, "c.zip", zipped({"x/run.jsonl": log.read_text()}))
    assert list(states(load([str(log), packed, path], store)).values()) == [
        *("loaded", "same content", "unpacked", "same content")
    ]
    [run] = rerun.runs(store.path)
    assert run.other_paths == (packed, f"{path}!x/run.jsonl")


@pytest.mark.parametrize(("name", "pack"), [("a.jsonl.gz", gzip.compress), ("a.jsonl.zst", zstd)])
def test_a_packed_log_loads_and_a_torn_one_gives_what_it_holds(
    name: str, pack: object, store: Store, tmp_path: Path, room: Path
) -> None:
    data = pack("".join(pi_log(1500, session="long")).encode())  # type: ignore[operator]
    path = write(tmp_path, name, data)
    [whole] = load([path], store)
    assert (whole.state, whole.problems) == ("loaded", ())
    assert states(load([path], store)) == {path: "unchanged"}
    torn = write(tmp_path, f"torn-{name}", data[: len(data) - len(data) // 4])
    [part] = load([torn], store)
    assert part.state == "loaded"
    assert "torn member" in kinds((part,))
    assert [run.turns > 100 for run in rerun.runs(store.path)] == [True, True]
    assert list(room.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"", "unknown format"), (b"\x1f\x8b", "broken file"), (b"junk", "broken file")],
)
def test_a_broken_packed_file_is_a_problem(data: bytes, kind: str, store: Store, tmp_path: Path) -> None:
    [item] = load([write(tmp_path, "a.jsonl.gz", data)], store)
    assert (item.state, [problem.kind for problem in item.problems]) == ("skipped", [kind])


@pytest.mark.parametrize("name", WAYS)
def test_names_that_lead_out_of_an_archive_are_problems_and_others_load(
    name: str, store: Store, tmp_path: Path, room: Path
) -> None:
    unsafe = ["../up.jsonl", "/abs.jsonl", "a/../../up.jsonl", "C:\\x.jsonl", "..\\up.jsonl", "x" * 300]
    path = write(tmp_path, name, WAYS[name]({**dict.fromkeys(unsafe, pi_log(session="evil")), "good.jsonl": pi_log()}))
    loaded = load([path], store)
    assert states(loaded, path) == {"": "unpacked", "!good.jsonl": "loaded"}
    assert kinds(loaded) == ["unsafe name"] * len(unsafe)
    assert {problem.file for item in loaded for problem in item.problems} == {f"{path}!{name}" for name in unsafe}
    assert loaded[0].tally == "7 members: 1 read"
    assert not list(tmp_path.rglob("up.jsonl"))
    assert list(room.iterdir()) == []


def test_locked_broken_and_nested_members_are_problems_and_others_load(store: Store, tmp_path: Path) -> None:
    data = bytearray(
        zipped(
            {
                "good.jsonl": pi_log(),
                "locked.jsonl": pi_log(session="l"),
                "broken.jsonl": pi_log(session="b"),
                "inner.zip": zipped({"x.jsonl": pi_log(session="x")}),
                "twice.jsonl": pi_log(session="t"),
            }
        )
    )
    directory = data.index(b"PK\x01\x02")
    locked = data.index(b"locked.jsonl", directory) - 46
    data[locked + 8] |= 1
    broken = data.index(b"broken.jsonl") + len("broken.jsonl")
    data[broken : broken + 4] = b"\xff\xff\xff\xff"
    loaded = load([write(tmp_path, "a.zip", bytes(data))], store)
    assert kinds(loaded) == ["broken member", "encrypted member", "nested archive"]
    assert [Path(run.path).name for run in rerun.runs(store.path)] == ["a.zip!good.jsonl", "a.zip!twice.jsonl"]


def test_links_in_archives_are_not_followed(store: Store, tmp_path: Path) -> None:
    secret = write_log(tmp_path, "secret.jsonl")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            entry = tarfile.TarInfo(f"link{kind.decode()}.jsonl")
            entry.type, entry.linkname = kind, str(secret)
            archive.addfile(entry)
    linked = zipfile.ZipInfo("link.jsonl")
    linked.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zip_archive:
        zip_archive.writestr(linked, str(secret))
    loaded = load([str(tmp_path / "a.zip"), write(tmp_path, "a.tar", packed.getvalue())], store)
    assert kinds(loaded) == ["link"] * 4 + ["no run"] * 2
    assert rerun.runs(store.path) == ()


def test_a_member_named_twice_or_as_a_folder_is_taken_once(store: Store, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as archive:
        warnings.simplefilter("ignore")
        for name in ("a.jsonl", "a.jsonl", "a.jsonl/b.jsonl", "./a.jsonl"):
            archive.writestr(name, pi_log())
    loaded = load([write(tmp_path, "a.zip", packed.getvalue())], store)
    assert kinds(loaded) == ["duplicate member"] * 3
    assert len(rerun.runs(store.path)) == 1


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.tar.zst", "a.jsonl.gz", "a.jsonl.zst"])
def test_a_bomb_is_a_problem_and_leaves_nothing(
    name: str, store: Store, tmp_path: Path, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "RATIO_FROM", 1 << 20)
    bomb = b"\0" * (16 << 20)
    pack = {"a.jsonl.gz": gzip.compress, "a.jsonl.zst": zstd}.get(name)
    data = pack(bomb) if pack else WAYS[name]({"bomb": bomb, "good.jsonl": pi_log()})
    loaded = load([write(tmp_path, name, data)], store)
    assert "oversized member" in kinds(loaded)
    assert len(rerun.runs(store.path)) == (name == "a.zip")
    assert list(room.iterdir()) == []


def test_an_archive_may_unpack_only_so_much_whatever_its_headers_say(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytearray(zipped({"a.jsonl": pi_log(), "big": b"x" * 300_000, "b.jsonl": pi_log(session="b")}))
    for opening, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        header = data.index(b"big", data.index(opening)) - (30 if place == 22 else 46)
        data[header + place : header + place + 4] = struct.pack("<I", 10)
    monkeypatch.setattr(archives, "MEMBER_LIMIT", 100_000)
    loaded = load([write(tmp_path, "a.zip", bytes(data))], store)
    assert set(kinds(loaded)) <= {"oversized member", "broken member", "torn member", "unknown format"}
    assert len(rerun.runs(store.path)) == 2
    monkeypatch.setattr(archives, "COUNT_LIMIT", 1)
    loaded = load([write(tmp_path, "b.zip", zipped({"a.jsonl": pi_log(7), "b.jsonl": pi_log(8)}))], store)
    assert kinds(loaded) == ["many members"]
    assert sorted(run.turns for run in rerun.runs(store.path)) == [4, 4, 7]


@pytest.mark.parametrize("name", WAYS)
def test_a_header_that_asks_for_more_than_any_has_is_a_problem(name: str, store: Store, tmp_path: Path) -> None:
    if name == "a.zip":
        data = zipped({"a.jsonl": pi_log()})
        data = data[:-22] + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, 1 << 30, 0, 0)
    else:
        header = tarfile.TarInfo("x")
        header.type, header.size = tarfile.XHDTYPE, 1 << 31
        plain = header.tobuf() + b"\0" * 4096
        data = plain if name == "a.tar" else (zstd if "zst" in name else gzip.compress)(plain)
    loaded = load([write(tmp_path, name, data)], store)
    assert "torn archive" in kinds(loaded)
    assert rerun.runs(store.path) == ()


@pytest.mark.parametrize("name", WAYS)
def test_an_archive_cut_anywhere_is_a_problem(name: str, store: Store, tmp_path: Path, room: Path) -> None:
    data = WAYS[name]({"a.jsonl": pi_log(), "b.jsonl": pi_log(30, session="b")})
    end = len(data.rstrip(b"\0"))
    for part in range(12):
        path = write(tmp_path, f"{part}-{name}", data[: end * part // 12])
        assert kinds(load([path], store))
    assert list(room.iterdir()) == []


def test_an_inspect_log_is_a_log_although_it_is_a_zip(store: Store, tmp_path: Path) -> None:
    for name in ("log.eval", "log.zip"):
        path = write(tmp_path, name, EVAL)
        for state in ("loaded" if name == "log.eval" else "same content", "unchanged"):
            [item] = load([path], store)
            assert (item.path, item.state) == (path, state)


def test_archives_in_a_folder_are_found_and_patterns_are_expanded(store: Store, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(3):
        write_log(logs / f"day{number}", "run.jsonl", pi_log(session=str(number)))
    write(logs, "a.zip", zipped({"x.jsonl": pi_log(session="zip")}))
    loaded = load([f"{logs}/day[01]/*.jsonl", f"{logs}/**/*.zip", f"{logs}/*.none"], store)
    assert [item.state for item in loaded] == ["loaded", "loaded", "unpacked", "loaded", "skipped"]
    assert kinds(loaded) == ["no match"]
    assert [item.state for item in load([str(logs)], store)] == ["unchanged"] * 2 + ["loaded"] + ["unchanged"] * 2
    odd = write_log(tmp_path, "odd[1].jsonl", pi_log(session="odd"))
    assert [item.state for item in load([str(odd)], store)] == ["loaded"]


@pytest.mark.parametrize("pack", [bytes, lambda data: gzip.compress(data, mtime=0), zstd], ids=["plain", "gz", "zst"])
def test_standard_input_loads_under_a_name_of_its_content(
    pack: object, store: Store, monkeypatch: pytest.MonkeyPatch, room: Path
) -> None:
    def given(text: str) -> None:
        data = pack(text.encode())  # type: ignore[operator]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    given(pi_log())
    [item] = load(["-"], store)
    assert (item.state, item.path.split(":")[0]) == ("loaded", "stdin")
    given(pi_log())
    assert [(again.path, again.state) for again in load(["-"], store)] == [(item.path, "unchanged")]
    given(pi_log(6))
    assert [again.state for again in load(["-"], store)] == ["loaded"]
    given("nothing")
    [bad] = load(["-"], store)
    assert bad.problems[0].file == bad.path
    assert list(room.iterdir()) == []


@pytest.mark.parametrize("name", WAYS)
def test_an_archive_on_standard_input_is_unpacked(name: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    data = WAYS[name]({"a.jsonl": pi_log(), "../b": "x"})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    loaded = load(["-"], store)
    assert [item.state for item in loaded] == ["unpacked", "loaded"]
    assert kinds(loaded) == ["unsafe name"]


def test_unpacked_files_are_the_owners_only(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir(0o700)
    before = os.umask(0)
    try:
        archives.unpack(Path(write(tmp_path, "a.zip", zipped({"x/y.jsonl": "{}"}))), folder, "a.zip")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder / "x", folder / "x/y.jsonl")] == [0o700, 0o600]
