"""What language models were asked and answered, kept so that nothing is asked twice. Works on an open connection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

import duckdb
import pyarrow as pa

from tabcore.language_models import Answer, Parameters, Prompt
from tabcore.store.texts import restored_rows, storable

Connection = duckdb.DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it is kept: to which prompt about which run, by which model where, when (seconds since 1970, UTC)."""

    run_id: str
    prompt: Prompt
    answer: Answer
    model: str
    base_url: str
    parameters: Parameters
    time: float


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model with answers in the store; `base_url` is where it was asked last."""

    model: str
    parameters: Parameters
    base_url: str
    answers: int


def key_of(model: str, parameters: Parameters, prompt: Prompt) -> str:
    """What an answer is kept under: the same for the same model, parameters and prompt only."""
    said = [model, parameters.as_json, prompt.schema, [[message.role, message.text] for message in prompt.messages]]
    return hashlib.blake2b(json.dumps(said).encode(), digest_size=16).hexdigest()


def known(connection: Connection, model: str, parameters: Parameters) -> Mapping[str, Answer]:
    """Every answer of a model under these parameters, by its key."""
    query = (
        "SELECT key, answer, finish, form, tokens_in, tokens_out, cost, seconds FROM answers"
        " WHERE model = ? AND parameters = ? ORDER BY rowid"
    )
    rows = connection.execute(query, [storable(model), parameters.as_json]).fetchall()
    return {key: Answer(*answer) for key, *answer in restored_rows(rows)}


def asked_models(connection: Connection) -> tuple[AskedModel, ...]:
    """The models that were asked, the latest first."""
    query = (
        "SELECT model, parameters, arg_max(base_url, time), count(*) FROM answers GROUP BY model, parameters"
        " ORDER BY max(time) DESC"
    )
    rows = restored_rows(connection.execute(query).fetchall())
    return tuple(AskedModel(model, Parameters(**json.loads(told)), url, count) for model, told, url, count in rows)


def keep(connection: Connection, answers: Iterable[Kept]) -> None:
    """Keep answers; one that has been kept under the same key meanwhile stays."""
    rows = [_row(one) for one in answers]
    if not rows:
        return
    arriving = pa.Table.from_pylist(rows, schema=_SHAPE)  # noqa: F841  DuckDB finds it by its name
    columns = ", ".join(_SHAPE.names)
    new = f"SELECT {columns} FROM arriving a WHERE key NOT IN (SELECT key FROM answers)"
    connection.execute(f"INSERT INTO answers ({columns}) {new}")


def forget(connection: Connection, number: int) -> None:
    """Drop what was asked about a run, under whatever id it had then."""
    ids = "SELECT run_id FROM runs WHERE number = $1 UNION ALL SELECT run_id FROM run_aliases WHERE run = $1"
    connection.execute(f"DELETE FROM answers WHERE run_id IN ({ids})", [number])


_SHAPE = pa.schema(
    [(name, pa.string()) for name in ("key", "run_id", "model", "base_url", "parameters", "prompt", "answer", "finish")]
    + [("form", pa.string()), ("tokens_in", pa.int64()), ("tokens_out", pa.int64())]
    + [("cost", pa.float64()), ("seconds", pa.float64()), ("time", pa.float64())]
)


def _row(one: Kept) -> dict[str, object]:
    answer = asdict(one.answer)
    return {
        "key": key_of(one.model, one.parameters, one.prompt),
        "run_id": one.run_id,
        "model": storable(one.model),
        "base_url": storable(one.base_url),
        "parameters": one.parameters.as_json,
        "prompt": storable(json.dumps(asdict(one.prompt), ensure_ascii=False)),
        "time": one.time,
        **answer,
        "answer": storable(answer.pop("text")),
    }
