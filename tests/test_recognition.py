"""No file is claimed by two readers, however its bytes are written, and a bad line costs that line alone."""

from __future__ import annotations

import json

import pytest
import test_workspace_bench as workspace
from reader_checks import ABSENT, REAL, runs_in
from test_agent_stages import SAMPLE as STAGES
from test_atif_viewer import SAMPLE as ATIF_VIEWER
from test_cline import SAMPLE as CLINE
from test_copilot import SAMPLE as COPILOT
from test_gemini_cli import NEWER as GEMINI_LINES
from test_gemini_cli import SAMPLE as GEMINI
from test_gemini_cli import STREAM as GEMINI_STREAM
from test_inspect_log import EVAL, ZSTD
from test_inspect_log import SAMPLE as INSPECT
from test_langfuse import SAMPLE as LANGFUSE
from test_managed_agents import ROWS as MANAGED_ROWS
from test_managed_agents import SAMPLE as MANAGED
from test_openai_agents import LINES as AGENTS_LINES
from test_openai_agents import SAMPLE as AGENTS
from test_openclaw import SAMPLE as OPENCLAW
from test_opencode import SAMPLE as OPENCODE
from test_openhands import ROWS, V1_LINES
from test_openhands import SAMPLE as OPENHANDS
from test_otel import SAMPLE as OTEL

from tabcore.errors import UnknownFormat
from tabcore.readers import READERS, identify
from tabcore.readers.base import HEAD
from tabcore.readers.heads import Head
from tabcore.source import Source

WORKSPACE = workspace.agent(workspace.text("Looking"), workspace.tool("c1", "cat a.csv", "54.2")).replace(
    "Write the report", "Sum"
)
OURS: dict[str, list[str | bytes]] = {
    "agent-stages": [STAGES],
    "cline": [CLINE],
    "managed-agents": [MANAGED, MANAGED_ROWS],
    "openai-agents": [AGENTS, AGENTS_LINES],
    "openclaw": [OPENCLAW],
    "copilot": [COPILOT],
    "opencode": [OPENCODE],
    "gemini-cli": [GEMINI, GEMINI_LINES, GEMINI_STREAM],
    "atif-viewer": [ATIF_VIEWER],
    "inspect": [EVAL, ZSTD, INSPECT],
    "langfuse": [LANGFUSE],
    "openhands": [OPENHANDS, ROWS, V1_LINES],
    "otel": [OTEL],
    "workspace-bench": [WORKSPACE],
}
FILES = sorted(path for path in REAL.rglob("*") if path.is_file()) if REAL.exists() else []


def claimants(source: Source) -> list[str]:
    head = Head(source)
    return [reader.NAME for reader in READERS if reader.recognises(head)]


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_real_file_has_one_claimant_at_most(path: object) -> None:
    source = Source.of_path(str(path))
    names = claimants(source)
    assert len(names) <= 1
    if names:
        assert names[0] == identify(source).NAME
    else:
        with pytest.raises(UnknownFormat):
            identify(source)


@pytest.mark.skipif(not REAL.exists(), reason=ABSENT)
def test_every_real_log_of_the_index_has_a_reader() -> None:
    rows = (REAL / "INDEX.tsv").read_text().splitlines()[1:]
    logs = [REAL / row.split("\t")[0] for row in rows]
    assert [log.name for log in logs if log.is_file() and len(claimants(Source.of_path(log))) != 1] == []


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_sample_is_claimed_by_its_own_reader_alone(name: str) -> None:
    for text in OURS[name]:
        data = text if isinstance(text, bytes) else text.encode()
        assert claimants(Source.of_bytes("log", data)) == [name]


TEXTS = [(name, text) for name, texts in OURS.items() for text in texts if isinstance(text, str)]
LINES = [(name, text) for name, text in TEXTS if text.count("\n{") > 2]


def said(name: str, data: bytes) -> list[object]:
    """What a log's turns hold, without their places."""
    [reader] = [reader for reader in READERS if name == reader.NAME]
    return [
        (
            turn.text,
            turn.reasoning,
            [(call.name, call.arguments) for call in turn.calls],
            [shown.text for shown in turn.observations],
        )
        for run in runs_in(reader, data)
        for turn in run.turns
    ]


def faults(name: str, data: bytes) -> list[str]:
    """The kinds of a log's problems."""
    [reader] = [reader for reader in READERS if name == reader.NAME]
    return [problem.kind for problem in runs_in(reader, data)[0].problems]


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_a_log_reads_the_same_however_its_bytes_are_written(name: str, text: str) -> None:
    plain = text.encode()
    ways = (b"\xef\xbb\xbf" + plain, b"\n\n" + plain, text.encode("utf-16"), text.replace("\n", "\r\n").encode())
    for written in ways:
        assert claimants(Source.of_bytes("log", written)) == [name]
        assert said(name, written) == said(name, plain)


@pytest.mark.parametrize(("name", "text"), LINES)
def test_lines_are_known_although_the_first_is_torn_or_glued(name: str, text: str) -> None:
    first, _, others = text.partition("\n")
    torn = (first[: len(first) // 2] + "\n" + others).encode()
    assert claimants(Source.of_bytes("log", torn)) == [name]
    assert said(name, (first + others).encode()) == said(name, text.encode())


@pytest.mark.parametrize(("name", "text"), LINES)
@pytest.mark.parametrize(
    "odd",
    [b'{"torn": "li', b"null", b"[]", b"12", b"[" * 100_000, b'"\xff\xfe"'],
    ids=["torn", "null", "list", "number", "deep", "not text"],
)
def test_a_line_that_is_no_record_costs_that_line_alone(name: str, text: str, odd: bytes) -> None:
    plain = text.encode()
    [reader] = [reader for reader in READERS if name == reader.NAME]
    assert said(name, plain + b"\n" + odd + b"\n") == said(name, plain)
    assert len(runs_in(reader, plain + b"\n" + odd + b"\n")[0].problems) > len(runs_in(reader, plain)[0].problems)


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_a_log_whose_first_text_is_longer_than_the_head_is_known(name: str, text: str) -> None:
    long = text.replace("Sum", "Sum" + " x" * HEAD).encode()
    assert len(long) > HEAD
    assert claimants(Source.of_bytes("log", long)) == [name]
    assert said(name, long) == said(name, text.encode())
    assert faults(name, long) == faults(name, text.encode())


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_a_log_inside_another_logs_text_is_not_claimed(name: str, text: str) -> None:
    talk = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
    assert claimants(Source.of_bytes("log", json.dumps(talk).encode())) == ["chat-messages"]
