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
    """A running dashboard; `log` is the file that its output goes to, `pid` its process."""

    url: str
    store: Path
    log: Path
    pid: int


def chromium() -> str | None:
    """The path of a chromium on this machine; None where there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextmanager
def serving(folder: Path, app: Path = APP) -> Iterator[Server]:
    """The dashboard (or another app) on the store `folder/runs.duckdb`; it is stopped at the end."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(parents=True, exist_ok=True)
    port, store, said = free_port(), folder / "runs.duckdb", folder / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port)]
    environment = {**os.environ, "RUNNINGTAB_DB": str(store)}
    with said.open("wb") as log:
        process = subprocess.Popen(command, cwd=elsewhere, env=environment, stdout=log, stderr=subprocess.STDOUT)
        server = Server(f"http://127.0.0.1:{port}", store, said, process.pid)
        try:
            _wait_until_healthy(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)


def free_port() -> int:
    """A port that nobody listens on."""
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
