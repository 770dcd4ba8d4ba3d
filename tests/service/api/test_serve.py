"""The server as a process: over a real socket, through signals."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fake_stages import KERNEL, FakeStages

from service.api.serve import serve
from service.errors import SettingsError
from service.settings import Settings
from service.worker.runtime import Runtime


@contextmanager
def running_server(settings: Settings, calls: Path, stuck: str = "") -> Iterator[tuple[subprocess.Popen[str], str]]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here.parent), str(here.parents[2])])
    command = [
        sys.executable,
        "-W",
        "error",
        str(here / "server_process.py"),
        str(settings.data_dir),
        str(calls),
        stuck,
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    with process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def stop(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    return process.returncode, errors


def ask(url: str, head: str) -> bytes:
    """Send the head of a request and read the answer, empty where the server hangs up."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        answer = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n")
            # A refused body leaves the connection open until the client closes it.
            while not (answer.startswith(b"HTTP/1.1 413") and b"}" in answer) and (chunk := connection.recv(65536)):
                answer += chunk
        return answer


def test_server_works_is_killed_and_goes_on(settings: Settings, stages: FakeStages, tmp_path: Path):
    calls = tmp_path / "calls"
    with running_server(settings, calls, stuck="judge") as (process, url):
        answer = httpx.post(f"{url}/v1/ports", json={"name": "k.cu", "source": KERNEL})
        assert answer.status_code == 202
        port_url = url + answer.headers["location"]
        until(lambda: "judge" in stages.calls())
        assert stop(process, signal.SIGKILL)[0] == -signal.SIGKILL

    # A command that does not serve leaves the server's queue alone.
    with Runtime(settings, stages) as runtime:
        assert runtime.resume_dead() == []

    with running_server(settings, calls, stuck="judge") as (process, url):
        port_url = url + urlsplit(port_url).path
        until(lambda: stages.calls().count("judge") == 2)
        assert httpx.get(port_url).json()["state"] == "running"
        assert stop(process, signal.SIGTERM) == (0, "")

    with running_server(settings, calls) as (process, url):
        port_url = url + urlsplit(port_url).path
        until(lambda: httpx.get(port_url).json()["state"] == "finished")
        assert httpx.get(f"{port_url}/artifacts/k.hip").text == KERNEL
        assert stages.calls().count("translate") == 1
        assert stages.calls().count("judge") == 3

        check_raw_requests(url)
        code, errors = stop(process, signal.SIGINT)
        assert (code, errors.strip().splitlines()[-1]) == (-signal.SIGINT, "KeyboardInterrupt")


def check_raw_requests(url: str) -> None:
    host = f"Host: {urlsplit(url).netloc}"
    rebound = ask(url, "GET /v1/ports HTTP/1.1\nHost: evil.example\nConnection: close")
    assert rebound.startswith(b"HTTP/1.1 403")
    none = ask(url, "GET /v1/ports HTTP/1.0\nConnection: close")
    assert none.startswith(b"HTTP/1.1 400")
    traversal = ask(url, f"GET /v1/ports/../../etc/passwd HTTP/1.1\n{host}\nConnection: close")
    assert traversal.startswith(b"HTTP/1.1 404")
    assert b"root:" not in traversal
    huge = ask(url, f"POST /v1/ports HTTP/1.1\n{host}\nContent-Length: {1 << 30}\nContent-Type: application/json")
    assert huge.startswith(b"HTTP/1.1 413")
    long_header = ask(url, f"GET /v1/ports HTTP/1.1\n{host}\nX: {'x' * 1_000_000}\nConnection: close")
    assert b" 200 " not in long_header
    assert b"server:" not in rebound.lower()
    assert httpx.get(f"{url}/v1/health").json()["status"] == "ok"


def test_taken_port_is_a_clear_error(settings: Settings, stages: FakeStages):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"port {number}"):
            serve(settings.model_copy(update={"port": number}), stages)


def test_open_address_without_keys_is_refused(settings: Settings, stages: FakeStages):
    with pytest.raises(SettingsError, match="without API keys"):
        serve(settings.model_copy(update={"host": "0.0.0.0"}), stages)
    assert not settings.data_dir.exists()
