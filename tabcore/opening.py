"""The dashboard as a process of its own: started, waited for, ended with us."""

from __future__ import annotations

import errno
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path

from tabcore.errors import RunningTabError, UsageError

HOST = "127.0.0.1"
FIRST_PORT = 8501
_START = 60.0
PASSWORD = "RUNNINGTAB_PASSWORD"
_SHORTEST = 8
_HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")


def sample_folder() -> str:
    """The folder of the sample runs that come with the program."""
    import sample_runs

    return str(sample_runs.runs_folder())


@dataclass(frozen=True, slots=True)
class Door:
    """Where the dashboard listens, and what it asks of whoever comes: `password`, or `proxy_header` of a reverse proxy."""

    host: str = HOST
    password: str = ""
    proxy_header: str = ""


def door(host: str, password: str, proxy_header: str) -> Door:
    """The door, if it may stand like this. Raises UsageError where others could enter without being asked.

    >>> door("127.0.0.1", "", "")
    Door(host='127.0.0.1', password='', proxy_header='')
    """
    place = f"--host {host}"
    if proxy_header and not _HEADER.fullmatch(proxy_header):
        raise UsageError("--behind-proxy", f"“{proxy_header}” is no name of a header", "Name one: X-Forwarded-User")
    if not (_is_loopback(host) or password or proxy_header):
        fact = "whoever reaches this machine could read all runs"
        remedy = (
            f"Set a password in the variable {PASSWORD}, or name the header in which your reverse proxy says whom it let in:"
            " --behind-proxy X-Forwarded-User"
        )
        raise UsageError(place, fact, remedy)
    if password and len(password) < _SHORTEST:
        raise UsageError(PASSWORD, f"it is shorter than {_SHORTEST} characters", "Set a longer one")
    return Door(host, password, proxy_header)


def serve(store: str, port: int, *, browser: bool, say: Callable[[str], object], door: Door = Door()) -> int:
    """Serve the dashboard on a store until it is ended; its exit code. `port` 0 takes the first that is free."""
    chosen = port or _free_port(door.host)
    if port and not _is_free(port, door.host):
        raise UsageError(f"port {port}", "another program uses it", "Name another with --port")
    address = f"http://{_shown(door.host)}:{chosen}"
    given = {"RUNNINGTAB_DB": store, PASSWORD: door.password, "RUNNINGTAB_BEHIND_PROXY": door.proxy_header}
    process = subprocess.Popen(_command(chosen, door.host), env={**os.environ, **given}, stdout=subprocess.DEVNULL)
    try:
        _await(process, f"{address}/_stcore/health")
        say(f"The runs are at {address} (end with Ctrl+C)")
        if not _is_loopback(door.host):
            asked = f"comes through a proxy that sets {door.proxy_header}" if door.proxy_header else "has the password"
            say(f"Open to the network on {door.host}, to whoever {asked}. This is plain HTTP: let a proxy add TLS.")
        if browser:
            webbrowser.open(address)
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        process.terminate()
        process.wait()


def _command(port: int, host: str) -> list[str]:
    options = {
        "server.address": host,
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


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    """The host as an address on this machine names it."""
    if host in ("0.0.0.0", "::"):
        return HOST
    return f"[{host}]" if ":" in host else host


def _free_port(host: str) -> int:
    near = range(FIRST_PORT, FIRST_PORT + 20)
    return next((port for port in near if _is_free(port, host)), 0) or _any_port(host)


def _any_port(host: str) -> int:
    with socket.create_server((host, 0), family=_family(host)) as probe:
        return int(probe.getsockname()[1])


def _is_free(port: int, host: str) -> bool:
    try:
        with socket.create_server((host, port), family=_family(host)):
            return True
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            return False
        reason = fault.strerror or str(fault)
        raise UsageError(
            f"--host {host}", f"nothing can listen there ({reason})", "Name an address of this machine"
        ) from fault


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
