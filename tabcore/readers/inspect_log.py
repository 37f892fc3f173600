"""Logs of Inspect AI: `.eval` (a zip of one JSON document per sample) and `.json` (samples inline), versions 2 and 3.

Each sample is a run of its own, with the key `<id>_epoch_<n>`. Format: UKGovernmentBEIS/inspect_ai, `inspect_ai.log`.
Turns are the final `messages`; time and tokens come from the model events. A response that only a model event has (the
task compacted its context, or the log kept one message) becomes a turn too. `attachment://<hash>` stands for a text in
`attachments`; `input_refs` are ranges into `message_pool`. Model events from the scorer on are the judge's and are
passed over; scores are the run's verdicts (`inspect_scores`). `line` is a message's place in its sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tabcore.readers.base import Account
from tabcore.readers.heads import Head
from tabcore.readers.inspect_samples import Sample, SampleReader
from tabcore.readers.json_documents import decoded, shaped, values
from tabcore.readers.zip_members import OPENING, Archive
from tabcore.source import Source
from tabcore.trajectory import Json, Piece, RunEnded, RunHeader, RunStarted

NAME = "inspect"


class _Error(msgspec.Struct):
    message: str | None = None


class _Config(msgspec.Struct):
    epochs: int | None = None


class _Eval(msgspec.Struct):
    task: str | None = None
    run_id: str | None = None
    model: str | None = None
    config: _Config | None = None


class _Header(msgspec.Struct):
    status: str | None = None
    eval: _Eval | None = None
    error: _Error | None = None


def recognises(head: Head) -> bool:
    """True for a zip with a log's members, and for an object with `eval`, `status` and `version`."""
    if head.data.startswith(OPENING):
        names = [member.name for member in Archive(head.source, Account("")).members]
        return any(name == "header.json" or name.startswith("_journal/") for name in names)
    return _is_log(head.value)


def read(source: Source) -> Iterator[Piece]:
    """One run per sample; a log without samples is one run without turns."""
    account = Account(source.path, "message")
    log = _Log(account, source.path)
    if source.head(4) == OPENING:
        yield from _read_archive(log, Archive(source, account), account)
    else:
        for _, document in values(source, _is_message, account):
            yield from _read_document(log, document, account)
    account.file = source.path
    log.end()
    yield from account.close()


def _is_log(value: Json) -> bool:
    spec = value.get("eval") if isinstance(value, dict) else None
    return isinstance(spec, dict) and isinstance(value, dict) and "status" in value and "task" in spec


def _is_message(value: dict[str, Json]) -> bool:
    return isinstance(value.get("role"), str) and "content" in value


def _read_archive(log: _Log, archive: Archive, account: Account) -> Iterator[Piece]:
    by_name = {member.name: member for member in archive.members}
    first = by_name.get("header.json") or by_name.get("_journal/start.json")
    data = archive.read(first) if first else None
    log.head(*(decoded(data, _is_message, account) if data is not None else []))
    for member in archive.members:
        if not member.name.startswith("samples/"):
            continue
        data = archive.read(member)
        account.file = f"{log.path}!{member.name}"
        for document in decoded(data, _is_message, account) if data is not None else []:
            log.sample(document)
        account.file = log.path
        yield from account.drain()


def _read_document(log: _Log, document: Json, account: Account) -> Iterator[Piece]:
    if not isinstance(document, dict):
        account.note(1, "not a record", "the file holds no JSON object", "passed over", lost=True)
        return
    samples = document.get("samples")
    log.head(document)
    for sample in samples if isinstance(samples, list) else []:
        log.sample(sample)
        yield from account.drain()


class _Log:
    """A log's runs, sample by sample."""

    def __init__(self, account: Account, path: str) -> None:
        self.path = path
        self._account = account
        self._header = RunHeader(NAME, harness="inspect")
        self._is_empty = True

    def head(self, *documents: Json) -> None:
        """What the log says of all its samples."""
        found = shaped(documents[0], _Header, 1, self._account) if documents else None
        spec = (found and found.eval) or _Eval()
        if not spec.task:
            self._account.note(1, "no header", "the log does not name its task", "read all the same")
        epochs = spec.config.epochs if spec.config else None
        self._header = RunHeader(
            NAME, "inspect", session=spec.run_id or "", model=spec.model, attempts=epochs, suite=spec.task
        )
        if found and found.status in ("error", "cancelled"):
            reason = (found.error and found.error.message) or "no reason is given"
            what = f'the evaluation ended with the status "{found.status}" ({reason[:300]})'
            self._account.note(1, "failed run", what, "its samples are read as far as they go")

    def sample(self, document: Json) -> None:
        """One sample's run."""
        sample = shaped(document, Sample, 1, self._account)
        if sample is not None:
            self._is_empty = False
            SampleReader(sample, _key(sample), self._header, self._account).read()

    def end(self) -> None:
        """A log without samples is kept as a run, so that it is not lost from sight."""
        if self._is_empty:
            self._account.note(0, "no turns", "the log holds no sample", "kept without turns")
            self._account.pieces += [RunStarted("", self._header), RunEnded("", self._header)]


def _key(sample: Sample) -> str:
    return re.sub(r"[^\w.-]+", "-", f"{sample.id}_epoch_{sample.epoch}")[:120]
