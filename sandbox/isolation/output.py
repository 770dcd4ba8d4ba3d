"""Keeps what a command writes, up to its limit."""

from __future__ import annotations

from typing import Literal

from sandbox.isolation.protocol import OutputSink

Stream = Literal["stdout", "stderr"]


class Output:
    """Filled by one thread, read after that has ended. ``limit`` bounds both streams together, in bytes."""

    def __init__(self, limit: int, on_output: OutputSink | None) -> None:
        self._limit = limit
        self._on_output = on_output
        self._parts: dict[Stream, list[bytes]] = {"stdout": [], "stderr": []}
        self._size = 0

    def add(self, stream: Stream, data: bytes) -> bool:
        """Keep what fits and pass it on. False once something did not fit."""
        kept = data[: self._limit - self._size]
        if kept:
            self._size += len(kept)
            self._parts[stream].append(kept)
            if self._on_output is not None:
                self._on_output(stream, kept)
        return len(kept) == len(data)

    def stdout(self) -> bytes:
        return b"".join(self._parts["stdout"])

    def stderr(self) -> bytes:
        return b"".join(self._parts["stderr"])
