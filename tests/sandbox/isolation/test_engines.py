"""What is particular to one engine."""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from isolation_lab import LIMITS, Lab

from sandbox.errors import IsolationError
from sandbox.isolation import bubblewrap, docker_meter
from sandbox.isolation.bubblewrap import BubblewrapSandbox
from sandbox.isolation.docker import DockerSandbox
from sandbox.isolation.docker_daemon import connect
from sandbox.isolation.protocol import Command, LimitName, Mount
from sandbox.isolation.select import bwrap_of, choose_sandbox

pytestmark = pytest.mark.toolchain


@pytest.fixture
def docker_lab(docker_host, small_root, open_folder):
    return Lab(DockerSandbox(host=docker_host), small_root, open_folder)


def stub_bwrap(folder: Path, script: str) -> tuple[str, ...]:
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return (str(program),)


@pytest.mark.parametrize("script", ["echo no namespaces for you >&2; exit 1", "exec >&-; kill -9 $$; exit 1"])
def test_a_bwrap_that_fails_is_told_with_its_words(tmp_path, script):
    reason = BubblewrapSandbox(stub_bwrap(tmp_path, script)).unavailable()
    assert "no namespaces for you" in reason or "gave no reason" in reason


def test_a_missing_bwrap_is_told(tmp_path):
    assert "missing" in BubblewrapSandbox((str(tmp_path / "none"),)).unavailable()


def test_a_kernel_that_forbids_namespaces_is_told_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(bubblewrap, "namespace_help", lambda: "; allow it with: sudo sysctl -w a.b=1")
    sandbox = BubblewrapSandbox(stub_bwrap(tmp_path, "echo Operation not permitted >&2; exit 1"))
    assert sandbox.unavailable().endswith("Operation not permitted; allow it with: sudo sysctl -w a.b=1")


def test_the_bubblewrap_of_the_toolchain_is_chosen(big_root):
    sandbox = choose_sandbox("auto", big_root)
    assert sandbox.name == "bubblewrap"
    assert sandbox.run(Command(argv=("true",), root=big_root), LIMITS).exit_code == 0


def test_groups_that_cannot_be_entered_fall_back_to_watching(small_root, monkeypatch):
    def refuse(*arguments):
        raise PermissionError("no")

    monkeypatch.setattr(bubblewrap, "CgroupMeter", refuse)
    sandbox = BubblewrapSandbox(bwrap_of(small_root))
    command = Command(argv=("python3", "-c", "x = bytearray(b'x') * (600 << 20)"), root=small_root)
    assert sandbox.run(command, LIMITS).limit is LimitName.MEMORY
    assert sandbox.limits_held_by() == "watching processes"


def test_a_device_is_seen_with_its_rights(small_root, docker_lab, open_folder):
    mount = Mount(Path("/dev/zero"), PurePosixPath("/dev/gpu0"), writable=True, kind="device")
    for sandbox in (BubblewrapSandbox(bwrap_of(small_root)), docker_lab.sandbox):
        lab = Lab(sandbox, small_root, open_folder)
        result = lab.run("head", "-c", "3", "/dev/gpu0", mounts=(mount,))
        assert result.stdout == b"\0\0\0"


def test_limits_hold_where_only_the_daemon_tells(docker_lab, monkeypatch):
    monkeypatch.setattr(docker_meter, "_direct_counts", lambda container, pid: None)
    burner = docker_lab.python("while True: pass", limits=replace(LIMITS, cpu_seconds=0.5))
    assert burner.limit is LimitName.CPU_TIME
    forks = "import os, time\nwhile True:\n try:\n  if os.fork() == 0: time.sleep(60)\n except OSError: pass"
    assert docker_lab.python(forks).limit is LimitName.PIDS
    assert docker_lab.python("x = bytearray(b'x') * (600 << 20)").limit is LimitName.MEMORY


def test_a_root_is_imported_once_and_again_when_it_changes(docker_host, small_root, open_folder):
    client = connect(docker_host)
    lab = Lab(DockerSandbox(host=docker_host), small_root, open_folder)
    lab.run("sh", "-c", "exit 0")
    images = {image["Id"] for image in client.images()}
    Lab(DockerSandbox(host=docker_host), small_root, open_folder).run("sh", "-c", "exit 0")
    assert {image["Id"] for image in client.images()} == images
    named = DockerSandbox(host=docker_host, digest="sha256:" + "ab" * 32)
    assert named.run(Command(argv=("cat", "/etc/marker"), root=small_root), LIMITS).stdout == b"inside\n"
    assert ["warp2wave-root:" + "ab" * 32] in [image["RepoTags"] for image in client.images()]
    client.close()


def test_no_container_and_no_file_is_left(docker_host, docker_lab, monkeypatch, open_folder):
    monkeypatch.setattr("tempfile.tempdir", str(open_folder))
    before = sorted(open_folder.iterdir())
    docker_lab.run("sh", "-c", "exit 0")
    with pytest.raises(IsolationError):
        docker_lab.run("nothing-like-it")
    client = connect(docker_host)
    assert [c for c in client.containers(all=True) if c["State"] != "running"] == []
    assert sorted(open_folder.iterdir()) == before
    client.close()


def test_a_daemon_that_vanishes_is_an_error_not_a_hang(docker_lab, monkeypatch):
    running = docker_lab.start("sleep", "60")

    def gone():
        raise IsolationError("Docker: gone")

    monkeypatch.setattr(running._cell, "_connect", gone)
    running._cell._attached.socket.shutdown(2)
    started = time.monotonic()
    with pytest.raises(IsolationError, match="gone"):
        running.wait(10)
    assert time.monotonic() - started < 10
    docker_lab.sandbox.reap_orphans()
    client = docker_lab.sandbox._connect()
    client.remove_container(running._cell.container, force=True)
    client.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_absent_daemon_is_told_with_the_remedy(tmp_path):
    reason = DockerSandbox(host=f"unix://{tmp_path}/none.sock").unavailable()
    gc.collect()  # the client library leaves its socket to the collector
    assert "start docker" in reason
