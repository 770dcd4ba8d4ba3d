"""The preflight script, on machines that a few fake commands make up."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "sandbox/toolchain/preflight.sh"
REAL_COMMANDS = ("awk", "cat", "df", "dirname", "sh", "printf")


class Machine:
    """A PATH with real small tools and fakes for what the script asks about."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.sysctl = folder / "sysctl"
        self.cache = folder / "cache"
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(folder),
            "WARP2WAVE_CACHE_DIR": str(self.cache),
            "WARP2WAVE_SYSCTL_FOLDER": str(self.sysctl),
            "WARP2WAVE_CONTAINER_MARK": str(folder / "no-container"),
            "WARP2WAVE_DOCKER_SOCKET": str(folder / "no-socket"),
        }
        for name in REAL_COMMANDS:
            if real := shutil.which(name):
                (self.bin / name).symlink_to(real)
        self.uname("Linux", "x86_64", "6.8.0")
        self.fake("python3", "exit 0")
        self.fake("unshare", "exit 0")

    def fake(self, name: str, script: str) -> None:
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def uname(self, system: str, machine: str, release: str) -> None:
        self.fake("uname", f"case $1 in -s) echo {system};; -m) echo {machine};; -r) echo {release};; esac")

    def without(self, name: str) -> None:
        (self.bin / name).unlink()

    def set_sysctl(self, name: str, value: int) -> None:
        path = self.sysctl / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")

    def check(self) -> tuple[int, str]:
        done = subprocess.run(["/bin/sh", SCRIPT], env=self.environment, capture_output=True, text=True, check=False)
        assert done.stdout == ""
        return done.returncode, done.stderr


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


def test_silent_and_quick_where_all_is_well(machine):
    started = time.monotonic()
    assert machine.check() == (0, "")
    assert time.monotonic() - started < 2


def test_this_machine():
    done = subprocess.run(["/bin/sh", SCRIPT], env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "platform",
    [
        ("Darwin", "arm64", "23.1"),
        ("Darwin", "x86_64", "23.1"),
        ("Linux", "aarch64", "6.8"),
        ("FreeBSD", "amd64", "14"),
    ],
)
def test_other_platforms_get_the_docker_way(machine, platform):
    machine.uname(*platform)
    code, text = machine.check()
    assert code == 6
    assert f"{platform[0]}/{platform[1]}" in text
    assert "docker compose run" in text


def test_wsl(machine):
    machine.uname("Linux", "x86_64", "5.15.90.1-microsoft-standard-WSL2")
    assert machine.check() == (0, "")
    machine.uname("Linux", "x86_64", "4.4.0-19041-Microsoft")
    code, text = machine.check()
    assert code == 6
    assert "wsl.exe --set-version" in text


def test_uv_is_enough(machine):
    machine.without("python3")
    machine.fake("uv", "exit 0")
    assert machine.check() == (0, "")


def test_uv_in_the_cache_is_enough(machine):
    machine.without("python3")
    uv = machine.cache / "uv/bin/uv"
    uv.parent.mkdir(parents=True)
    uv.write_text("#!/bin/sh\n")
    uv.chmod(0o755)
    assert machine.check() == (0, "")


@pytest.mark.parametrize("python", [None, "exit 1"])
def test_neither_python_nor_uv(machine, python):
    machine.without("python3")
    if python is not None:
        machine.fake("python3", python)
    code, text = machine.check()
    assert code == 6
    assert "curl -LsSf https://astral.sh/uv/install.sh | sh" in text


def test_full_disk(machine):
    machine.fake("df", "echo Filesystem 1M-blocks Used Available; echo /dev/x 9 9 1000 1% /")
    code, text = machine.check()
    assert code == 6
    assert "2500 MB must be free" in text
    assert "1000 MB are" in text
    assert "WARP2WAVE_CACHE_DIR" in text


def test_less_disk_is_enough_once_the_toolchain_is_there(machine):
    (machine.cache / "toolchain/0123456789abcdef/root").mkdir(parents=True)
    machine.fake("df", "echo Filesystem 1M-blocks Used Available; echo /dev/x 9 9 1000 1% /")
    assert machine.check() == (0, "")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", 1),
        ("kernel/unprivileged_userns_clone", 0),
        ("user/max_user_namespaces", 0),
    ],
)
def test_namespaces_forbidden(machine, setting, value):
    machine.set_sysctl(setting, value)
    assert machine.check() == (0, "")  # they work all the same, e.g. as root
    machine.fake("unshare", "echo 'unshare: failed' >&2; exit 1")
    code, text = machine.check()
    assert code == 6
    assert f"sudo sysctl -w {setting.replace('/', '.')}=" in text
    assert text.count("sudo") == 1


def test_namespaces_forbidden_in_a_container(machine, tmp_path):
    machine.fake("unshare", "exit 1")
    mark = tmp_path / "dockerenv"
    mark.touch()
    machine.environment["WARP2WAVE_CONTAINER_MARK"] = str(mark)
    code, text = machine.check()
    assert code == 6
    assert "--security-opt seccomp=unconfined" in text


def test_namespaces_broken_for_no_known_reason(machine):
    machine.fake("unshare", "exit 1")
    code, text = machine.check()
    assert code == 6
    assert "sudo apt-get install -y docker.io" in text


def test_docker_stands_in_for_namespaces(machine, tmp_path):
    machine.fake("unshare", "exit 1")
    socket = tmp_path / "docker.sock"
    socket.touch()
    machine.environment["WARP2WAVE_DOCKER_SOCKET"] = str(socket)
    assert machine.check() == (0, "")


def test_no_unshare_command_and_nothing_forbidden(machine):
    machine.without("unshare")
    assert machine.check() == (0, "")
    machine.set_sysctl("user/max_user_namespaces", 0)
    assert machine.check()[0] == 6


def test_never_runs_sudo(machine, tmp_path):
    machine.fake("sudo", f"touch {tmp_path}/sudo-was-run")
    machine.fake("unshare", "exit 1")
    machine.check()
    assert not (tmp_path / "sudo-was-run").exists()
