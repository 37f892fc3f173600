"""Runs as the ATIF trajectory viewer publishes them: the verdicts stand in the log itself, as `verifierLog`.

Checked against published runs (Slimshilin/ATIF-trajectory-viewer, public/runs): see verifier_log for what is read of
it. The failure audits that some of them come with (aft/) are other people's labels, not verdicts: they are not read.
"""

from __future__ import annotations

import msgspec

from tabcore.bundles.base import Bundle
from tabcore.bundles.verifier_log import judged
from tabcore.errors import Problem
from tabcore.source import Source

FORMAT = "atif-viewer"
"""The format of the logs that are read."""

LIMIT = 128 << 20
"""Bytes of the largest run that is read for its verdicts."""


class _Run(msgspec.Struct, rename="camel"):
    verifier_log: str | None = None


def read(log: Source) -> Bundle | None:
    """The verdicts that a run holds; None where it holds no verifier's log, or is none that can be read whole."""
    data = log.head(LIMIT + 1)
    try:
        run = msgspec.json.decode(data, type=_Run) if len(data) <= LIMIT else _Run()
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    if not run.verifier_log:
        return None
    found = judged(run.verifier_log)
    missing = Problem(log.path, 0, "no verdicts", "the verifier's log states no verdict", "not evaluated")
    return Bundle(
        log,
        rubrics=tuple(rubric for rubric, _ in found),
        verdicts=tuple(verdict for _, verdict in found),
        problems=() if found else (missing,),
    )
