"""Requests that should not be answered: other hosts and origins, other sites, nobody's password; against the real server."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboard_server import serving

from dashboard.guard import Refusal, Rules, refusal
from tabcore import opening
from tabcore.cli import main
from tabcore.errors import UsageError

SECRET = "correct horse"


def asked(url: str, path: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    """The answer to a request with these headers; `host` stands for the server's own unless it is given."""
    place = url.removeprefix("http://")
    told = {"Host": place} | {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection(place, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    for name, value in told.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def socket_of(url: str, **headers: str) -> int:
    """The status with which the server takes (101) or refuses a web socket."""
    asks = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    return asked(url, "/_stcore/stream", Sec_WebSocket_Key="MDEyMzQ1Njc4OWFiY2RlZg==", **asks, **headers).status


def basic(password: str) -> str:
    return f"Basic {b64encode(f'anybody:{password}'.encode()).decode()}"


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("local") / "served") as server:
        yield server.url


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that listens on all addresses and has a password."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tabcore", "open", "--no-browser", "--host", "0.0.0.0", "--port", str(port)]
    store = tmp_path_factory.mktemp("guarded") / "runs.duckdb"
    variables = {**os.environ, "RUNNINGTAB_PASSWORD": SECRET, "PYTHONUNBUFFERED": "1", "RUNNINGTAB_DB": str(store)}
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = [process.stdout.readline(), process.stdout.readline()]
        assert "Open to the network on 0.0.0.0, to whoever has the password" in said[1]
        yield f"http://127.0.0.1:{port}"
        process.terminate()


def test_the_own_names_of_the_machine_are_answered_and_no_others(local: str) -> None:
    port = local.rsplit(":", 1)[1]
    assert asked(local).status == 200
    assert asked(local, Host=f"localhost:{port}").status == 200
    for host in (f"rebound.example:{port}", "rebound.example", f"127.0.0.1.rebound.example:{port}", "", "localhost@x"):
        assert asked(local, Host=host).status == 403, host
        assert socket_of(local, Host=host) == 403, host


def test_another_origin_is_not_answered_and_gets_no_web_socket(local: str) -> None:
    assert socket_of(local, Origin=local) == 101
    for origin in ("https://attacker.example", "null", "http://localhost:3000", "file://"):
        assert asked(local, Origin=origin).status == 403, origin
        assert socket_of(local, Origin=origin) == 403, origin


def test_another_site_may_link_here_and_load_nothing(local: str) -> None:
    assert asked(local, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200
    assert asked(local, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403
    assert asked(local, Sec_Fetch_Site="same-site", Sec_Fetch_Mode="cors").status == 403


def test_every_answer_has_the_policy_refusals_among_them(local: str) -> None:
    for answer in (asked(local), asked(local, Host="rebound.example"), asked(local, "/_stcore/health")):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "'unsafe-eval'" not in policy
        assert not [part for part in policy.split("; ") if part.startswith("script-src") and "'unsafe-inline'" in part]
        assert "http:" not in policy
        assert "*" not in policy
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_an_upload_above_the_limit_or_without_a_token_is_refused_before_it_is_read(local: str) -> None:
    place = "/_stcore/upload_file/session/file"
    assert asked(local, place, "PUT", Content_Length=str(600 << 20)).status in (400, 403, 413)
    assert asked(local, place, "POST", Content_Length="0").status in (400, 403, 405)


def test_the_interface_for_programs_is_off(local: str) -> None:
    assert asked(local, "/_stcore/agent/interact", "POST", Content_Length="0").status >= 400
    assert asked(local, "/_stcore/agent/mcp", "POST", Content_Length="0").status >= 400


def test_the_dashboard_listens_on_this_machine_alone(local: str) -> None:
    port = int(local.rsplit(":", 1)[1])
    lines = Path("/proc/net/tcp").read_text().splitlines() + Path("/proc/net/tcp6").read_text().splitlines()
    listening = [line.split()[1] for line in lines[1:] if f":{port:04X}" in line.split()[1] and line.split()[3] == "0A"]
    assert listening == [f"0100007F:{port:04X}"]


def test_with_a_password_nobody_is_answered_without_it(guarded: str) -> None:
    assert asked(guarded, "/_stcore/health").status == 200
    for headers in (
        {},
        {"Authorization": basic("wrong")},
        {"Cookie": "runningtab=guess"},
        {"Authorization": "Basic %%"},
    ):
        answer = asked(guarded, **headers)
        assert (answer.status, "Basic" in answer.headers["WWW-Authenticate"]) == (401, True)
        assert socket_of(guarded, Origin=guarded, **headers) == 403
    answer = asked(guarded, Authorization=basic(SECRET))
    assert answer.status == 200
    cookie = next(one for one in answer.headers.get_all("Set-Cookie", []) if one.startswith("runningtab="))
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert SECRET not in cookie
    given = cookie.partition(";")[0]
    assert asked(guarded, Cookie=given, Host="other-name.example").status == 200
    assert socket_of(guarded, Cookie=given, Origin=guarded) == 101
    assert socket_of(guarded, Cookie=given, Origin="https://attacker.example") == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org"])
def test_another_host_needs_a_password_or_a_proxy_and_says_so(
    host: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RUNNINGTAB_PASSWORD", raising=False)
    assert main(["open", "--host", host, "--no-browser", "--db", str(tmp_path / "x.duckdb")]) == 2
    said = capsys.readouterr().err
    assert "whoever reaches this machine could read all runs" in said
    assert "RUNNINGTAB_PASSWORD" in said
    assert "--behind-proxy" in said
    assert not (tmp_path / "x.duckdb").exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_this_machine_needs_nothing(host: str) -> None:
    assert opening.door(host, "", "") == opening.Door(host)


def test_a_short_password_and_a_header_that_is_none_are_refused() -> None:
    with pytest.raises(UsageError, match="shorter than 8"):
        opening.door("0.0.0.0", "short", "")
    with pytest.raises(UsageError, match="no name of a header"):
        opening.door("0.0.0.0", "", "X: y\r\nZ")


def test_behind_a_proxy_its_header_is_needed_and_its_host_may_be_the_origin() -> None:
    rules = Rules(proxy_header="X-Forwarded-User")
    told = {"host": "10.0.0.7:8501", "x-forwarded-host": "runs.example", "origin": "https://runs.example"}
    assert refusal(rules, told, "10.0.0.2", "/") == Refusal(403, "Ask through the proxy: it says who you are.")
    assert refusal(rules, told | {"x-forwarded-user": "ann"}, "10.0.0.2", "/") is None
    elsewhere = told | {"x-forwarded-user": "ann", "origin": "https://attacker.example"}
    assert refusal(rules, elsewhere, "10.0.0.2", "/") == Refusal(403, "This page is asked from another site.")


def test_without_a_password_another_machine_is_not_answered_whatever_it_calls_itself() -> None:
    for client in ("192.0.2.7", "::ffff:192.0.2.7", "", "testclient"):
        assert refusal(Rules(), {"host": "localhost"}, client, "/")
    for client in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        assert refusal(Rules(), {"host": "localhost"}, client, "/") is None


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="another program uses it"):
        opening.serve("x", taken.getsockname()[1], browser=False, say=print)
