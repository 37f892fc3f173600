"""What the tests of readers share: reading bytes, counting what came out, spoiling a log."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import strategies as st

from tabcore.readers import READERS, identify
from tabcore.readers.base import Reader
from tabcore.readers.heads import Head
from tabcore.source import Source
from tabcore.trajectory import Run, collect

REAL = Path(__file__).resolve().parents[2] / "shared" / "real"
"""Recorded runs of others, which are no part of the project."""

GOLDEN = Path(__file__).parent / "golden" / "readers"


def real_file(name: str) -> Path:
    """A file of REAL; the test is skipped where there is none."""
    if not (REAL / name).exists():
        pytest.skip(f"no recorded run {name} on this machine")
    return REAL / name


def jsonl(*records: object) -> bytes:
    """Records as lines."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def runs_of(reader: Reader, data: bytes, path: str = "log") -> tuple[Run, ...]:
    """The runs that `reader` finds in the bytes."""
    source = Source.of_bytes(path, data)
    return collect(reader.read(source), digest=source.digest(), path=path)


def claimants(data: bytes) -> list[str]:
    """The names of the readers that recognise the bytes as their format."""
    head = Head(Source.of_bytes("log", data))
    return [reader.NAME for reader in READERS if reader.recognises(head)]


def runs_of_file(path: Path) -> tuple[Run, ...]:
    """The runs of a file, by the one reader that recognises it."""
    source = Source.of_path(path)
    return collect(identify(source).read(source), digest=source.digest(), path=path.name)


def summary(runs: tuple[Run, ...]) -> dict[str, object]:
    """The counts and text hashes that a golden file holds."""
    return {
        "format": runs[0].header.format,
        "runs": [_counts(run) for run in runs],
        "problems": dict(sorted(Counter(problem.kind for problem in runs[0].problems).items())),
        "tally": str(runs[0].tally),
    }


def _counts(run: Run) -> dict[str, object]:
    calls = [call for turn in run.turns for call in turn.calls]
    results = [observation for turn in run.turns for observation in turn.observations]
    told = [message for turn in run.turns for message in turn.before] + list(run.after)
    known = {call.call_id for call in calls} | {""}
    return {
        "parent": run.header.parent_key or "",
        "turns": len(run.turns),
        "calls": len(calls),
        "results": len(results),
        "orphans": sum(result.call_id not in known for result in results),
        "errors": sum(result.is_error for result in results),
        "images": sum(result.images for result in results),
        "prompts": sum(message.origin == "person" for message in told),
        "insertions": sum(message.origin != "person" for message in told),
        "first": _hash(run.turns[0].text) if run.turns else "",
        "last": _hash(run.turns[-1].text) if run.turns else "",
    }


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def golden(name: str) -> dict[str, dict[str, dict[str, object]]]:
    """What a format's real files hold: `counted` (independently, with the command), and `read`."""
    found: dict[str, dict[str, dict[str, object]]] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


def assert_golden(name: str, file: str) -> None:
    """A real file gives its golden counts, and those that were first taken without a reader."""
    expected = golden(name)[file]
    found = summary(runs_of_file(real_file(file)))
    assert found == expected["read"]
    for what, (count, _command) in expected["counted"].items():  # type: ignore[misc]
        assert sum(run[what] for run in found["runs"]) == count, what  # type: ignore[attr-defined]


@st.composite
def spoiled(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with one to three faults: cut, glued, overwritten, doubled, reordered, or of other types."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        length = draw(st.integers(0, 60))
        match draw(st.sampled_from(["cut", "drop", "noise", "double", "glue", "type", "nest"])):
            case "cut":
                data = data[:at]
            case "drop":
                data = data[:at] + data[at + length :]
            case "noise":
                data = data[:at] + draw(st.binary(max_size=8)) + data[at:]
            case "double":
                data = data[:at] + data[at : at + length] + data[at:]
            case "glue":
                data = data.replace(b"\n", b"", 1 + at % 3)
            case "type":
                old, new = draw(st.sampled_from(_TYPES))
                data = data.replace(old, new, 1 + at % 5)
            case "nest":
                data = data[:at] + b"[" * 3000 + data[at:]
    return data


_TYPES = [
    (b': "', b': 7, "x": "'),
    (b":[", b': null, "x": ['),
    (b": [", b': "", "x": ['),
    (b": {", b": [{"),
    (b"}", b""),
    (b": null", b": [[]]"),
    (b": 0", b": 1e999"),
    (b'"role"', b'"rule"'),
    (b'"type"', b'"tipe"'),
    (b'": "', b'": "\xff\xfe'),
    (b'": "', b'": "\\ud800'),
    (b"\n", b"\xe2\x80\xa8\n"),
]
