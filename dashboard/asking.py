"""Models asked in the background, so that a page stays usable: one asking at a time for a store."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tabcore.errors import RunningTabError
from tabcore.recovery import Progress

Outcome = TypeVar("Outcome")
Asking = Callable[[Callable[[Progress], object], threading.Event], Outcome]

_LOG = logging.getLogger("runningtab.dashboard")


@dataclass
class Job(Generic[Outcome]):
    """An asking that goes on by itself; `what` says of whom. Its outcome is in `asked`, or why there is none in `fault`."""

    what: str
    progress: Progress | None = None
    asked: Outcome | None = None
    fault: str = ""
    _cancel: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """True until it has ended."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, asking: Asking[Outcome]) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, args=(asking,), daemon=True, name="asking a model")
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to end; what was answered is kept."""
        self._cancel.set()

    @property
    def is_cancelled(self) -> bool:
        """True once it was asked to end."""
        return self._cancel.is_set()

    def _run(self, asking: Asking[Outcome]) -> None:
        try:
            self.asked = asking(self._note, self._cancel)
        except RunningTabError as fault:
            self.fault = str(fault)
        # Nothing above catches: a thread that dies would leave the page waiting without a word.
        except Exception as fault:  # noqa: BLE001
            _LOG.exception("asking a model failed")
            self.fault = f"Sorry, asking failed ({type(fault).__name__}); the server's log has the details."

    def _note(self, progress: Progress) -> None:
        self.progress = progress
