"""The dashboard as a person starts it: a process of its own, from an empty folder, on a free port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

APP = Path(__file__).resolve().parents[1] / "dashboard" / "app.py"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]


@dataclass(frozen=True, slots=True)
class Server:
    """A running dashboard; `log` is the file that its output goes to."""

    url: str
    store: Path
    log: Path


def chromium() -> str | None:
    """The path of a chromium on this machine; None where there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """The dashboard on the store `folder/runs.duckdb`; it is stopped at the end."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(parents=True)
    server = Server(f"http://127.0.0.1:{_free_port()}", folder / "runs.duckdb", folder / "server.log")
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.port", server.url.rsplit(":", 1)[1]]
    environment = {**os.environ, "RUNNINGTAB_DB": str(server.store)}
    with server.log.open("wb") as log:
        process = subprocess.Popen(command, cwd=elsewhere, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_until_healthy(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(server: Server, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise RuntimeError(f"the dashboard did not start:\n{server.log.read_text()}")
