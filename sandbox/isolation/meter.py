"""What a running sandbox uses, and which limit it broke."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from sandbox.isolation.protocol import LimitName


class Meter(Protocol):
    """Measures one sandbox against its limits. Used by one thread at a time."""

    def broken_limit(self) -> LimitName | None:
        """MEMORY, PIDS or CPU_TIME if everything inside together exceeds it, or the kernel enforced it."""

    def cpu_seconds(self) -> float | None:
        """CPU time so far, None if nobody counts it."""

    def peak_memory_bytes(self) -> int | None:
        """Most memory held at a time so far, None if nobody counts it."""

    def close(self) -> None:
        """Give back what measuring took. The sandbox has ended by then."""


def read_number(path: Path) -> int:
    """The integer that a kernel file holds."""
    return int(path.read_text())


def read_field(path: Path, name: str) -> int:
    """The integer after ``name`` in a kernel file of ``name value`` lines; 0 if the line is absent."""
    for line in path.read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
