"""Every recorded run of others holds what `golden/readers/real_logs.tsv` says: see `real_logs.py`."""

from __future__ import annotations

import pytest
from reader_checks import ABSENT
from real_logs import COLUMNS, REAL, golden, logs, row

GOLDEN = golden()

pytestmark = pytest.mark.skipif(not REAL.exists(), reason=ABSENT)


@pytest.mark.parametrize("log", GOLDEN)
def test_a_log_holds_what_was_counted_in_it(log: str) -> None:
    assert row(REAL / log) == GOLDEN[log]


def test_each_log_has_its_row() -> None:
    assert [str(path.relative_to(REAL)) for path in logs()] == list(GOLDEN)
    assert all(list(taken) == COLUMNS for taken in GOLDEN.values())
