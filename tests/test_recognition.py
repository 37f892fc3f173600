"""No file is claimed by two readers: every real file, and the small samples of the readers' own tests."""

from __future__ import annotations

import pytest
from reader_checks import ABSENT, REAL
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
from test_openclaw import SAMPLE as OPENCLAW
from test_opencode import SAMPLE as OPENCODE
from test_openhands import ROWS, V1_LINES
from test_openhands import SAMPLE as OPENHANDS
from test_otel import SAMPLE as OTEL

from tabcore.errors import UnknownFormat
from tabcore.readers import READERS, identify
from tabcore.readers.base import HEAD
from tabcore.source import Source

OURS: dict[str, list[str | bytes]] = {
    "cline": [CLINE],
    "managed-agents": [MANAGED, MANAGED_ROWS],
    "openclaw": [OPENCLAW],
    "copilot": [COPILOT],
    "opencode": [OPENCODE],
    "gemini-cli": [GEMINI, GEMINI_LINES, GEMINI_STREAM],
    "atif-viewer": [ATIF_VIEWER],
    "inspect": [EVAL, ZSTD, INSPECT],
    "langfuse": [LANGFUSE],
    "openhands": [OPENHANDS, ROWS, V1_LINES],
    "otel": [OTEL],
}
FILES = sorted(path for path in REAL.rglob("*") if path.is_file()) if REAL.exists() else []


def claimants(source: Source) -> list[str]:
    head = source.head(HEAD)
    return [reader.NAME for reader in READERS if reader.recognises(head, source)]


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


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_sample_is_claimed_by_its_own_reader_alone(name: str) -> None:
    for text in OURS[name]:
        data = text if isinstance(text, bytes) else text.encode()
        assert claimants(Source.of_bytes("log", data)) == [name]
