"""The first process of every sandbox (``init.c``): how it is started and what it reports."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sandbox.errors import IsolationError
from sandbox.isolation.protocol import Command

GO = b"g"

_UNLIMITED = "-"


@dataclass(frozen=True)
class FirstProcess:
    """Its arguments. Channels are descriptor numbers or absolute paths inside; ``None`` leaves a thing alone."""

    control: int
    status: int | str
    stdin: int | str
    seccomp_filter: int | str
    become: tuple[int, int] | None
    pids: int | None
    file_bytes: int | None

    def argv(self, program: str, command: Command) -> list[str]:
        """The whole command line that starts ``command``, with ``program`` the path of the first process inside."""
        channels = (self.control, self.status, self.stdin, self.seccomp_filter)
        uid, gid = self.become if self.become is not None else (_UNLIMITED, _UNLIMITED)
        limits = [_UNLIMITED if value is None else value for value in (self.pids, self.file_bytes)]
        variables = [f"{name}={value}" for name, value in command.env.items()]
        own = map(str, (*channels, uid, gid, *limits, command.cwd, len(variables)))
        return [program, *own, *variables, "--", *command.argv]


@dataclass(frozen=True)
class Report:
    """What it said: ``wait_status`` as waitpid(2) gives it, or the step and errno with which it failed."""

    ready: bool = False
    started: bool = False
    wait_status: int | None = None
    cpu_seconds: float | None = None
    largest_process_bytes: int | None = None
    failure: tuple[str, int] | None = None


def parse_report(text: bytes | bytearray) -> Report:
    """Read its status channel. Lines that it did not write in full are ignored."""
    said: set[str] = set()
    for line in text.decode("ascii", "replace").split("\n")[:-1]:
        match line.split():
            case ["ready" | "started" as word]:
                said.add(word)
            case ["failed", step, number] if number.isdecimal():
                return Report("ready" in said, "started" in said, failure=(step, int(number)))
            case ["ended", status, cpu, rss] if (status + cpu + rss).isdecimal():
                return Report(
                    ready=True,
                    started=True,
                    wait_status=int(status),
                    cpu_seconds=int(cpu) / 1e6,
                    largest_process_bytes=int(rss) * 1024,
                )
    return Report("ready" in said, "started" in said)


def startup_error(command: Command, failure: tuple[str, int]) -> IsolationError:
    """What a failed step means to the one who asked for ``command``."""
    step, number = failure
    reason = os.strerror(number)
    if step == "chdir":
        return IsolationError(f"the sandbox has no working directory {command.cwd}: {reason}")
    if step != "exec":
        return IsolationError(f"the sandbox could not be set up: {step}: {reason}")
    hint = "" if number != errno.ENOENT else "is it in the root filesystem, with its interpreter or loader?"
    return IsolationError(f"{command.argv[0]!r} cannot be started in the sandbox: {reason}", hint=hint)


@cache
def first_process_program() -> bytes:
    """The compiled program: a static x86-64 ELF file."""
    return Path(__file__).with_name("init.elf").read_bytes()
