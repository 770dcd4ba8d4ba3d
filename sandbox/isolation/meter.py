"""What a running sandbox uses, and which limit it broke."""

from __future__ import annotations

from typing import Protocol

from sandbox.isolation.protocol import LimitName


class Meter(Protocol):
    """Measures one sandbox against its limits. Used by one thread at a time."""

    def broken_limit(self) -> LimitName | None:
        """MEMORY, PIDS or CPU_TIME if everything inside together exceeds it, or the kernel enforced it."""

    def enforced_at_end(self) -> LimitName | None:
        """After the end: MEMORY or PIDS if the kernel enforced it since the last look."""

    def cpu_seconds(self) -> float | None:
        """CPU time at the last look, None if nobody counted it."""

    def peak_memory_bytes(self) -> int | None:
        """Most memory held at a time until the last look, None if nobody counted it."""

    def close(self) -> None:
        """Give back what measuring took. The sandbox has ended by then."""
