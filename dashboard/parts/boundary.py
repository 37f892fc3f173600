"""The one error boundary: around the frame, and around what reruns by itself inside a page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tabcore.errors import RunningTabError
from tabcore.presentation.plain import plain

_LOG = logging.getLogger("runningtab.dashboard")


_numbers = count()


def _box() -> DeltaGenerator:
    """A framed place of its own: the frame and what reruns by itself inside of it may fail on one page."""
    return st.container(border=True, key=f"fault-{next(_numbers)}")


@contextmanager
def boundary() -> Iterator[None]:
    """What goes wrong inside is one sentence and the remedy; what nobody foresaw is an apology and a log line."""
    try:
        yield
    except RunningTabError as fault:
        with _box():
            st.markdown("**This did not work.**")
            st.text(plain(f"{fault.place}: {fault.fact}.\n{fault.remedy}"))
    except Exception as fault:  # noqa: BLE001 the outermost place: whatever it is, the person must not see a traceback
        _LOG.exception("a page failed")
        with _box():
            st.markdown("**Sorry, this page failed.** Nothing stored was changed; the server's log has the details.")
            st.text(type(fault).__name__)
