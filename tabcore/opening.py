"""The dashboard as a process of its own: started, waited for, ended with us."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from tabcore.errors import RunningTabError, UsageError

HOST = "127.0.0.1"
FIRST_PORT = 8501
_START = 60.0


def sample_folder() -> str:
    """The folder of the sample runs that come with the program."""
    import sample_runs

    return str(sample_runs.runs_folder())


def serve(store: str, port: int, *, browser: bool, say: Callable[[str], object]) -> int:
    """Serve the dashboard on a store until it is ended; its exit code. `port` 0 takes the first that is free."""
    chosen = port or _free_port()
    if port and not _is_free(port):
        raise UsageError(f"port {port}", "another program uses it", "Name another with --port")
    address = f"http://{HOST}:{chosen}"
    process = subprocess.Popen(_command(chosen), env={**os.environ, "RUNNINGTAB_DB": store}, stdout=subprocess.DEVNULL)
    try:
        _await(process, f"{address}/_stcore/health")
        say(f"The runs are at {address} (end with Ctrl+C)")
        if browser:
            webbrowser.open(address)
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        process.terminate()
        process.wait()


def _command(port: int) -> list[str]:
    options = {
        "server.address": HOST,
        "server.port": port,
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
    }
    return [
        *(sys.executable, "-P", "-m", "streamlit", "run", str(_app())),
        *(f"--{name}={value}" for name, value in options.items()),
    ]


def _app() -> Path:
    spec = find_spec("dashboard")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise RunningTabError("dashboard", "it is not installed", "Install runningtab again")
    return Path(places[0], "app.py")


def _await(process: subprocess.Popen[bytes], health: str) -> None:
    deadline = time.monotonic() + _START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(health, timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise RunningTabError(
        "dashboard", "it did not start", "Its own words stand above; start it again with another --port"
    )


def _free_port() -> int:
    near = range(FIRST_PORT, FIRST_PORT + 20)
    return next((port for port in near if _is_free(port)), 0) or _any_port()


def _any_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
