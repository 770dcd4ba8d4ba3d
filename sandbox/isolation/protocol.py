"""The contract of every isolation engine.

A ``Sandbox`` runs one command in a fresh set of namespaces on a read-only root filesystem: no network, no
capabilities, no new privileges, own user, pid, ipc, uts and mount namespaces and session, a cleared
environment, a seccomp filter no weaker than Docker's default, and limits on memory, pids, CPU time, wall
clock, file size and output. When the command's first process ends, everything in the sandbox ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol


class LimitName(StrEnum):
    """The limit that ended a command; the text is what users read."""

    MEMORY = "memory"
    PIDS = "pids"
    CPU_TIME = "cpu-time"
    WALL_TIME = "wall-time"
    OUTPUT = "output"
    FILE_SIZE = "file-size"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Limits:
    """Upper bounds for everything inside one sandbox together. Bytes and seconds.

    ``memory_bytes`` bounds resident memory, never address space: devices reserve far more than they touch.
    """

    memory_bytes: int = 8 << 30
    pids: int = 512
    cpu_seconds: float = 600.0
    wall_seconds: float = 300.0
    output_bytes: int = 16 << 20
    file_bytes: int = 1 << 30
    tmp_bytes: int = 1 << 30


@dataclass(frozen=True)
class Mount:
    """A host path seen inside. ``source`` must exist; ``target`` is absolute."""

    source: Path
    target: PurePosixPath
    writable: bool = False
    kind: Literal["bind", "device"] = "bind"


@dataclass(frozen=True)
class Command:
    """What runs inside. ``root`` is an unpacked root filesystem, mounted read-only at ``/``.

    ``/proc``, a minimal ``/dev`` and a tmpfs at ``/tmp`` (``Limits.tmp_bytes``) are always there.
    ``stdin`` None means an empty stdin.
    """

    argv: tuple[str, ...]
    root: Path
    cwd: PurePosixPath = PurePosixPath("/tmp")
    env: dict[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    stdin: Path | bytes | None = None


@dataclass(frozen=True)
class Usage:
    wall_seconds: float
    cpu_seconds: float | None
    peak_memory_bytes: int | None


@dataclass(frozen=True)
class Completed:
    """How a command ended. Exactly one of ``exit_code``, ``signal``, ``limit`` tells the cause.

    ``stdout`` and ``stderr`` are cut at ``Limits.output_bytes`` (then ``limit`` is OUTPUT).
    """

    exit_code: int | None
    signal: int | None
    limit: LimitName | None
    stdout: bytes
    stderr: bytes
    usage: Usage


class Running(Protocol):
    """A command in progress. Safe to use from another thread than the one that waits."""

    def wait(self, timeout: float | None = None) -> Completed:
        """Block until it ended. Raises TimeoutError if ``timeout`` seconds pass first (it runs on)."""

    def cancel(self) -> None:
        """End everything in the sandbox now; ``wait`` then returns with ``limit`` CANCELLED. Idempotent."""


OutputSink = Callable[[Literal["stdout", "stderr"], bytes], None]


class Sandbox(Protocol):
    """One isolation engine."""

    name: str

    def unavailable(self) -> str | None:
        """None if this engine works here, else the reason and the command that mends it."""

    def start(self, command: Command, limits: Limits, *, on_output: OutputSink | None = None) -> Running:
        """Start ``command``. Raises IsolationError if the sandbox itself cannot be set up.

        ``on_output`` sees output as it comes, from a thread of the engine.
        """

    def run(self, command: Command, limits: Limits, *, on_output: OutputSink | None = None) -> Completed:
        """``start`` and ``wait``."""
