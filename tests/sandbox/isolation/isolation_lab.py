"""What the tests of isolation run in: a small root filesystem, a Docker daemon, a plain user."""

from __future__ import annotations

import ctypes
import os
import pickle
import shutil
import subprocess
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from elftools.elf.elffile import ELFFile

from sandbox.isolation.cgroup import usable_hierarchy
from sandbox.isolation.protocol import Command, Completed, Limits, Mount, OutputSink, Running, Sandbox

PROGRAMS = ("bwrap", "cat", "dash", "dd", "env", "head", "id", "python3.14", "sleep")
LINKS = {
    "bin": "usr/bin",
    "lib": "usr/lib",
    "lib64": "usr/lib64",
    "usr/bin/sh": "dash",
    "usr/bin/python3": "python3.14",
}
LIBRARIES = Path("usr/lib/x86_64-linux-gnu")
PLAIN_UID = 54321

# Small enough that every attack meets them within a second or two.
LIMITS = Limits(
    memory_bytes=256 << 20,
    pids=64,
    cpu_seconds=20,
    wall_seconds=20,
    output_bytes=1 << 20,
    file_bytes=8 << 20,
    tmp_bytes=64 << 20,
)


@dataclass(frozen=True)
class Lab:
    """An engine under test with a root filesystem, and a folder of the caller's user for files to mount."""

    sandbox: Sandbox
    root: Path
    folder: Path
    as_plain_user: bool = False
    limits: Limits = field(default=LIMITS)

    def command(self, *argv: str, mounts: tuple[Mount, ...] = (), **options) -> Command:
        return Command(argv=argv, root=self.root, mounts=mounts, **options)

    def run(self, *argv: str, limits: Limits | None = None, **options) -> Completed:
        return self.sandbox.run(self.command(*argv, **options), limits or self.limits)

    def start(
        self, *argv: str, limits: Limits | None = None, on_output: OutputSink | None = None, **options
    ) -> Running:
        return self.sandbox.start(self.command(*argv, **options), limits or self.limits, on_output=on_output)

    def python(self, code: str, *arguments: str, **options) -> Completed:
        return self.run("python3", "-I", "-S", "-c", code, *arguments, **options)

    def start_python(self, code: str, *arguments: str, **options) -> Running:
        return self.start("python3", "-I", "-S", "-c", code, *arguments, **options)

    def share(self, name: str, *, mode: int = 0o777) -> Path:
        """A new folder to mount; the one around it keeps other users out."""
        folder = self.folder / name
        folder.mkdir()
        folder.chmod(mode)
        return folder

    def mount(self, name: str, target: str, *, writable: bool = False) -> Mount:
        return Mount(self.folder / name, PurePosixPath(target), writable=writable)


def build_root(source: Path, target: Path) -> None:
    """A root filesystem with a shell, a few programs and Python, copied from a big one."""
    for folder in ("usr/bin", "usr/lib64", LIBRARIES, "etc", "tmp", "proc", "dev", "sys", "opt/tools", "mnt"):
        (target / folder).mkdir(parents=True)
    for link, to in LINKS.items():
        (target / link).symlink_to(to)
    (target / "etc/marker").write_text("inside\n")
    (target / "opt/tools/readme").write_text("tools\n")
    for program in PROGRAMS:
        _copy_with_libraries(source, target, Path("usr/bin") / program)
    shutil.copy(source / "usr/lib64/ld-linux-x86-64.so.2", target / "usr/lib64")
    leave_out = shutil.ignore_patterns("__pycache__", "test", "idlelib", "tkinter", "ensurepip", "pydoc_data")
    shutil.copytree(source / "usr/lib/python3.14", target / "usr/lib/python3.14", symlinks=True, ignore=leave_out)
    for path in (target / "usr/lib/python3.14/lib-dynload").iterdir():
        _copy_libraries(source, target, path)


def _copy_with_libraries(source: Path, target: Path, path: Path) -> None:
    if not (target / path).exists():
        shutil.copy(source / path, target / path)
        _copy_libraries(source, target, source / path)


def _copy_libraries(source: Path, target: Path, program: Path) -> None:
    with program.open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        needed = [tag.needed for tag in dynamic.iter_tags("DT_NEEDED")] if dynamic else []
    for name in needed:
        if (source / LIBRARIES / name).exists():
            _copy_with_libraries(source, target, LIBRARIES / name)


class DockerDaemon:
    """A private daemon with its own storage and socket, without networks."""

    def __init__(self, folder: Path) -> None:
        self.host = f"unix://{folder}/docker.sock"
        self._log = folder / "log"
        options = [f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/pid"]
        networks = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ["dockerd", "--host", self.host, *options, *networks], stdout=log, stderr=log
            )

    def why_not_ready(self, seconds: float = 30) -> str | None:
        """None once it listens, else the end of its log."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < deadline:
            if "API listen on" in self._log.read_text(errors="replace"):
                return None
            time.sleep(0.05)
        return f"dockerd does not start here: {self._log.read_text(errors='replace')[-500:]}"

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


def run_as_plain_user(function) -> None:
    """Call ``function`` in a forked process of a user without privileges; raises what it raised."""
    read_end, write_end = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # this process has threads, none of which hold a lock now
        pid = os.fork()
    if pid == 0:
        os.close(read_end)
        _report_and_leave(function, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as file:
        data = file.read()
    os.waitpid(pid, 0)
    kind, text = pickle.loads(data) if data else ("died", "the process ended without a word")
    if kind == "skipped":
        import pytest

        pytest.skip(text)
    if kind != "passed":
        raise AssertionError(f"as a plain user:\n{text}")


def _report_and_leave(function, write_end: int) -> None:
    outcome = ("passed", "")
    try:
        become_plain_user()
        function()
    except BaseException as error:
        skipped = type(error).__name__ == "Skipped"
        outcome = ("skipped", str(error)) if skipped else ("failed", traceback.format_exc())
    os.write(write_end, pickle.dumps((outcome[0], outcome[1][-8000:])))
    os._exit(0)


def become_plain_user() -> None:
    os.setgroups([])
    os.setresgid(PLAIN_UID, PLAIN_UID, PLAIN_UID)
    os.setresuid(PLAIN_UID, PLAIN_UID, PLAIN_UID)
    usable_hierarchy.cache_clear()  # root could make groups
    # A process that changed user may not look at itself in /proc, which one that started so may.
    set_dumpable = 4
    ctypes.CDLL(None).prctl(set_dumpable, 1, 0, 0, 0)
