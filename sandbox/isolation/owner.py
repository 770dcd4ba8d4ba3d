"""Marks what a process leaves on the machine with that process, so that it can be cleaned up after its death."""

from __future__ import annotations

import itertools
import os
import re
from functools import lru_cache
from pathlib import Path

_MARK = re.compile(r"(?P<namespace>\d+)-(?P<pid>\d+)-(?P<start>\d+)")
_serial = itertools.count(1)


def owner_mark() -> str:
    """``<pid namespace>-<pid>-<start time>`` of this process; no two processes of a boot share it."""
    return _mark_of(os.getpid())


def next_serial() -> int:
    """Distinguishes what this process makes."""
    return next(_serial)


def is_orphaned(mark: str) -> bool:
    """Whether the process that ``mark`` names has ended. False for a pid namespace that is not ours: who knows."""
    parts = _MARK.fullmatch(mark)
    if parts is None or int(parts["namespace"]) != _pid_namespace():
        return False
    return start_time(int(parts["pid"])) != int(parts["start"])


def start_time(pid: int) -> int | None:
    """Clock ticks from boot to the start of ``pid``; None if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])


@lru_cache(maxsize=4)
def _mark_of(pid: int) -> str:
    return f"{_pid_namespace()}-{pid}-{start_time(pid)}"


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino
