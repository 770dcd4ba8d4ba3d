"""Counts of work done, turned into progress events at a bearable rate."""

from __future__ import annotations

import threading
import time
from typing import Literal

from sandbox.progress import Progress, ProgressEvent

_PERIOD_SECONDS = 0.1


class Meter:
    """One stage of ``total`` units (bytes or packages). Safe to ``add`` to from many threads, before ``start`` too."""

    def __init__(self, progress: Progress, stage: str, unit: Literal["bytes", "packages"], total: int) -> None:
        self._progress = progress
        self._stage = stage
        self._unit = unit
        self._total = total
        self._done = 0
        self._lock = threading.Lock()
        self._started: float | None = None
        self._next_report = 0.0

    def start(self) -> None:
        with self._lock:
            self._started = time.monotonic()
            self._report("started")

    def add(self, amount: int) -> None:
        with self._lock:
            self._done += amount
            now = time.monotonic()
            if self._started is not None and now >= self._next_report:
                self._next_report = now + _PERIOD_SECONDS
                self._report("running")

    def finish(self) -> None:
        with self._lock:
            self._done = self._total
            self._report("finished")
            self._started = None

    def fail(self, message: str) -> None:
        with self._lock:
            self._report("failed", message)
            self._started = None  # what other threads still finish is not reported any more

    def _report(self, status: Literal["started", "running", "finished", "failed"], message: str = "") -> None:
        fraction = min(1.0, max(0.0, self._done / self._total)) if self._total else 1.0
        seconds = time.monotonic() - self._started if self._started is not None else None
        self._progress(
            ProgressEvent(
                stage=self._stage,
                status=status,
                message=message or self._amount(),
                fraction=fraction,
                seconds=seconds,
            )
        )

    def _amount(self) -> str:
        if self._unit == "bytes":
            return f"{self._done / 1e6:.0f} of {self._total / 1e6:.0f} MB"
        return f"{self._done} of {self._total} packages"
