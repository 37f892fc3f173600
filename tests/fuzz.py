"""Attacks readers, capture, values and documents with changed inputs: `python tests/fuzz.py --minutes N [--corpus DIR]`.

An input is kept in the corpus folder when what it leads to was not seen before (another format, another kind of problem,
another rule), and is changed further from then on; the next start goes on with them. An input that breaks a law lies in
`failing/TARGET/` with what went wrong beside it, and the exit code is 1. `--again FILE` tries such a file once more.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from log_reading import claimants  # noqa: E402
from mutations import MUTATIONS, PACKINGS  # noqa: E402
from score_capture import load_cases  # noqa: E402

from sample_runs import runs_folder  # noqa: E402
from tabcore.capture import Workspace, capture  # noqa: E402
from tabcore.documents import read_bytes  # noqa: E402
from tabcore.readers import READERS  # noqa: E402
from tabcore.source import Source  # noqa: E402
from tabcore.text.number_columns import number_columns  # noqa: E402
from tabcore.text.number_stream import line_by_line  # noqa: E402
from tabcore.text.plain_numbers import KINDS  # noqa: E402
from tabcore.text.values import values  # noqa: E402
from tabcore.trajectory import Observation, Tally, ToolCall, collect  # noqa: E402

LONGEST = 3 << 20
"""Bytes of an input; longer ones are cut."""
SLOW = 20
"""Seconds of processor time after which one input counts as a failure."""
SIGNS = "'\"`$(){}[]|&;<>\\*?~#! \n\t=%:/-.,0123456789\x00\x1b\u202e\u2066\u200b\u00a0\u2009\ufdd0é中万٣€()"
Outcome = frozenset[str]


class Broken(Exception):
    """A law does not hold of an input."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is attacked: inputs to begin with, and what an input leads to; `run` raises where a law is broken."""

    name: str
    seeds: Callable[[], Iterator[bytes]]
    run: Callable[[bytes], Outcome]


def must(holds: bool, law: str) -> None:
    if not holds:
        raise Broken(law)


def read_log(data: bytes) -> Outcome:
    """No reader raises on what it claims, and each ends in a tally."""
    names = claimants(data)
    found: set[str] = set()
    for reader in READERS:
        if reader.NAME in names:
            records = [*reader.read(Source.of_bytes("log", data))]
            must(isinstance(records[-1], Tally), "a reader ends in a tally")
            runs = collect(iter(records), digest="0" * 64, path="log")
            found = {f"{reader.NAME} {problem.kind}" for run in runs for problem in run.problems}
            found |= {f"{reader.NAME} {min(len(run.turns), 3)} turns" for run in runs} | {reader.NAME}
    return frozenset(found)


def capture_call(data: bytes) -> Outcome:
    """Capture never raises, and names a path at most once as read or listed."""
    try:
        case = json.loads(data)
        call = ToolCall("1", str(case["tool"]), dict(case["arguments"]))
        seen = Observation("1", str(case["observation"]), bool(case["is_error"]))
        cwd = str(case["cwd_before"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return frozenset()
    found = capture(call, seen, Workspace("/workspace", cwd)).findings
    shown = [one.path for one in found if one.kind in ("read", "listed")]
    must(len(shown) == len(set(shown)), "a path occurs at most once as read or listed")
    return frozenset(f"{one.kind} {one.rule[:60]}" for one in found)


def read_values(data: bytes) -> Outcome:
    """Values lie in order inside the text, and the fast reading finds what the full one does."""
    text = data.decode("utf-8", "replace")
    found, end = values(text), 0
    for value in found:
        must(end <= value.start < value.end <= len(text), "values stand in order and do not overlap")
        end = value.end
    fast = [
        (key, start, stop, KINDS[kind])
        for batch in number_columns([text], short=0)
        for _, key, start, stop, kind in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]
    must(fast == list(line_by_line(text)), "the fast reading agrees with the full one")
    marks = (value.percent for value in found)
    return frozenset({f"{min(len(found), 6)} values", f"{sum(marks) > 0} percent", *(kind for _, _, _, kind in fast)})


def read_document(data: bytes) -> Outcome:
    """Reading ends in pieces or in a problem, and never raises."""
    document = read_bytes(data, "x")
    must(bool(document.pieces or document.problems), "a document has text or says why not")
    return frozenset({document.kind, *(f"{document.kind} {problem.kind}" for problem in document.problems)})


def _log_seeds() -> Iterator[bytes]:
    from small_logs import atif_log, cc_log
    from test_reader_laws import LOGS

    yield from (log.encode() for log in (cc_log(), atif_log()))
    yield from (data for _, data in LOGS.values())
    yield from (path.read_bytes() for path in sorted(runs_folder().glob("*/session.jsonl")))


def _call_seeds() -> Iterator[bytes]:
    for case in load_cases(TESTS / "golden" / "capture_cases.jsonl"):
        yield json.dumps({name: case[name] for name in _CALL}).encode()


_CALL = ("tool", "arguments", "observation", "is_error", "cwd_before")


def _text_seeds() -> Iterator[bytes]:
    for line in (TESTS / "golden" / "values" / "sentences.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)["text"].encode()


def _document_seeds() -> Iterator[bytes]:
    from test_hostile_documents import wholes

    yield from (data for _, data in wholes())
    yield from (path.read_bytes() for path in sorted(runs_folder().glob("*/deliverable/*")))


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target("readers", _log_seeds, read_log),
        Target("capture", _call_seeds, capture_call),
        Target("values", _text_seeds, read_values),
        Target("documents", _document_seeds, read_document),
    )
}


def changed(data: bytes, other: bytes, target: str, chance: Random) -> bytes:
    """The input changed in one to four ways; `other` gives what is put in."""
    for _ in range(chance.randint(1, 4)):
        data = _changed_once(data, other, target, chance)[:LONGEST]
    return data


def _changed_once(data: bytes, other: bytes, target: str, chance: Random) -> bytes:
    way = chance.randrange(8)
    if way == 0 and target == "readers":
        return chance.choice([*MUTATIONS.values()])(data, chance)
    if way == 0 and target == "documents":
        return chance.choice([*PACKINGS.values()])(data, chance)
    if way <= 1 and target == "capture":
        return _changed_call(data, chance)
    at, length = chance.randrange(len(data) + 1), chance.choice((0, 0, 1, 4, 60))
    if way <= 3:
        put = "".join(chance.choices(SIGNS, k=chance.randint(1, 6))).encode()
    elif way <= 5:
        start = chance.randrange(len(other) + 1)
        put = other[start : start + chance.choice((1, 8, 60, 500))]
    elif way == 6:
        put = data[at : at + chance.choice((2, 20, 200))] * chance.choice((2, 3, 50, 3000))
    else:
        put = chance.randbytes(chance.randint(1, 4))
    return data[:at] + put + data[at + length :]


def _changed_call(data: bytes, chance: Random) -> bytes:
    """The call's texts edited, so that the input stays a call."""
    try:
        case = json.loads(data)
        texts = {"observation": case["observation"], **{f".{name}": text for name, text in case["arguments"].items()}}
        name = chance.choice(sorted(name for name, text in texts.items() if isinstance(text, str)))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return data
    text = texts[name]
    at = chance.randrange(len(text) + 1)
    text = text[:at] + "".join(chance.choices(SIGNS, k=chance.randint(0, 5))) + text[at + chance.randrange(4) :]
    if name == "observation":
        case["observation"] = text
    else:
        case["arguments"][name[1:]] = text
    return json.dumps(case).encode()


class Corpus:
    """The inputs of one target that led to something new, in a folder; and those that broke a law, in another."""

    def __init__(self, folder: Path, target: Target) -> None:
        self.kept, self.failing = folder / target.name, folder / "failing" / target.name
        self.kept.mkdir(parents=True, exist_ok=True)
        self._target = target
        self._seen: set[str] = set()
        self._faults: set[str] = set()
        self.inputs: list[bytes] = []
        self.tried = self.failures = self.new = 0

    def begin(self) -> None:
        """Try the seeds and what an earlier start kept."""
        for data in [*self._target.seeds(), *(path.read_bytes() for path in sorted(self.kept.iterdir()))]:
            self.inputs.append(data)
            self.attempt(data, keep=False)

    def attempt(self, data: bytes, *, keep: bool = True) -> None:
        """Try one input; keep it where it led to something new, and where it broke a law."""
        self.tried += 1
        try:
            outcome = _within(SLOW, self._target.run, data)
        except Exception as fault:  # noqa: BLE001 whatever is raised is what is looked for
            self._failed(data, fault)
            return
        if not outcome <= self._seen:
            self._seen |= outcome
            if keep:
                self.new += 1
                self.inputs.append(data)
                (self.kept / sha256(data).hexdigest()[:16]).write_bytes(data)

    def _failed(self, data: bytes, fault: Exception) -> None:
        place = traceback.extract_tb(fault.__traceback__)[-1]
        told = f"{type(fault).__name__} {place.filename}:{place.lineno}"
        if told in self._faults:
            return
        self._faults.add(told)
        self.failures += 1
        self.failing.mkdir(parents=True, exist_ok=True)
        file = self.failing / sha256(data).hexdigest()[:16]
        file.write_bytes(data)
        file.with_suffix(".txt").write_text("".join(traceback.format_exception(fault)), "utf-8")
        print(f"{self._target.name}: {type(fault).__name__}: {str(fault)[:200]} ({file})", flush=True)


class TooSlow(Exception):
    """One input took longer than any may."""


def _within(seconds: int, run: Callable[[bytes], Outcome], data: bytes) -> Outcome:
    def late(*_: object) -> None:
        raise TooSlow(f"more than {seconds} s for {len(data):,} bytes")

    signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        return run(data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def fuzz(targets: list[Target], folder: Path, seconds: float, seed: int) -> list[Corpus]:
    """Attack the targets in turn for so long; what was tried, kept and broken of each."""
    end, chance = time.monotonic() + seconds, Random(seed)
    corpora = [Corpus(folder, target) for target in targets]
    for corpus in corpora:
        corpus.begin()
    while time.monotonic() < end:
        for target, corpus in zip(targets, corpora, strict=True):
            turn = min(end, time.monotonic() + 1)
            while time.monotonic() < turn:
                one, other = chance.choice(corpus.inputs), chance.choice(corpus.inputs)
                corpus.attempt(changed(one, other, target.name, chance))
    return corpora


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0, metavar="N")
    parser.add_argument("--corpus", type=Path, default=Path(".fuzz"), metavar="DIR")
    parser.add_argument("--target", choices=sorted(TARGETS), action="append")
    parser.add_argument("--seed", type=int, default=None, help="the same seed and corpus try the same inputs")
    parser.add_argument("--again", type=Path, metavar="FILE", help="try one kept input, of the one --target")
    options = parser.parse_args()
    targets = [TARGETS[name] for name in options.target or TARGETS]
    if options.again:
        print(sorted(targets[0].run(options.again.read_bytes())))
        return 0
    seed = time.time_ns() if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    corpora = fuzz(targets, options.corpus, options.minutes * 60, seed)
    for target, corpus in zip(targets, corpora, strict=True):
        print(f"{target.name:10} {corpus.tried:8,} inputs  {corpus.new:5,} new  {corpus.failures:3,} failures")
    return 1 if any(corpus.failures for corpus in corpora) else 0


if __name__ == "__main__":
    raise SystemExit(main())
