"""Limits held by watching every process in the sandbox: the way without control groups and without root.

It sees what is mapped (shared memory once) and what lies in the sandbox's tmpfs folders. It does not see memory
that only the kernel holds, such as an unmapped memfd, nor processes that live and die between two looks. The wall
clock bounds those.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.isolation.protocol import LimitName, Limits

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_TMPFS = ("tmp", "dev/shm")
# Fields of /proc/PID/stat after the command name, counted from the state (proc_pid_stat(5) counts from 1 and has
# the state third).
_CPU_FIELDS = range(11, 15)  # utime, stime, and the same of children that were waited for
_THREADS_FIELD, _RSS_FIELD = 17, 21


@dataclass(frozen=True)
class _Sum:
    tasks: int = 0
    cpu_ticks: int = 0
    resident_bytes: int = 0


class ProcessMeter:
    """``first_pid`` is the sandbox's pid 1, seen from here, after it entered its own mount namespace."""

    def __init__(self, first_pid: int, limits: Limits) -> None:
        self._limits = limits
        root = f"/proc/{first_pid}/root"
        self._proc = os.open(f"{root}/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._tmpfs = [os.open(f"{root}/{name}", os.O_PATH | os.O_CLOEXEC) for name in _TMPFS]
        self._last_cpu_ticks = 0
        self._lost_cpu_ticks = 0
        self._peak_bytes = 0

    def broken_limit(self) -> LimitName | None:
        # Counting names is quick; among a thousand new processes nothing else is.
        if sum(1 for _ in self._pids()) > self._limits.pids + 1:
            return LimitName.PIDS
        seen = self._look()
        if seen.tasks > self._limits.pids:
            return LimitName.PIDS
        if self._memory_bytes(seen) > self._limits.memory_bytes:
            return LimitName.MEMORY
        if self.cpu_seconds() > self._limits.cpu_seconds:
            return LimitName.CPU_TIME
        return None

    def enforced_at_end(self) -> LimitName | None:
        return None  # the kernel enforces nothing here

    def cpu_seconds(self) -> float:
        return (self._last_cpu_ticks + self._lost_cpu_ticks) / _TICKS

    def peak_memory_bytes(self) -> int:
        return self._peak_bytes

    def close(self) -> None:
        for descriptor in (self._proc, *self._tmpfs):
            os.close(descriptor)

    def _look(self) -> _Sum:
        tasks = cpu_ticks = resident = 0
        for pid in self._pids():
            fields = self._read(f"{pid}/stat").rpartition(b")")[2].split()
            if not fields:
                continue
            cpu_ticks += sum(int(fields[i]) for i in _CPU_FIELDS)
            if pid != "1":
                tasks += int(fields[_THREADS_FIELD])
                resident += int(fields[_RSS_FIELD]) * _PAGE
        # A child that nobody waits for takes its time with it: the sum shrinks by what it had used.
        self._lost_cpu_ticks += max(0, self._last_cpu_ticks - cpu_ticks)
        self._last_cpu_ticks = cpu_ticks
        return _Sum(tasks, cpu_ticks, resident)

    def _memory_bytes(self, seen: _Sum) -> int:
        """An upper bound while that is within the limit, for the exact sum makes the kernel walk page tables."""
        tmpfs = self._tmpfs_bytes()
        total = seen.resident_bytes + tmpfs
        if total > self._limits.memory_bytes:
            private = shared = 0
            for pid in self._pids():
                rollup = _kib_fields(self._read(f"{pid}/smaps_rollup"))
                shared += rollup.get(b"Pss_Shmem:", 0)
                private += rollup.get(b"Pss:", 0) - rollup.get(b"Pss_Shmem:", 0)
            total = private + max(shared, tmpfs)
        self._peak_bytes = max(self._peak_bytes, total)
        return total

    def _tmpfs_bytes(self) -> int:
        total = 0
        for folder in self._tmpfs:
            usage = os.fstatvfs(folder)
            total += (usage.f_blocks - usage.f_bfree) * usage.f_frsize
        return total

    def _pids(self) -> Iterator[str]:
        try:
            names = os.listdir(self._proc)  # noqa: PTH208  (pathlib takes no descriptor)
        except OSError:  # the namespace has ended
            names = []
        return (name for name in names if name.isdecimal())

    def _read(self, path: str) -> bytes:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._proc)
        except OSError:  # it ended meanwhile
            return b""
        try:
            return os.read(descriptor, 4096)
        except OSError:
            return b""
        finally:
            os.close(descriptor)


def _kib_fields(text: bytes) -> dict[bytes, int]:
    """``Name:   123 kB`` lines, in bytes."""
    fields = {}
    for line in text.splitlines()[1:]:
        parts = line.split()
        if len(parts) == 3 and parts[2] == b"kB":
            fields[parts[0]] = int(parts[1]) * 1024
    return fields
