"""The request to stop one port, heard by its stages."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import StrEnum


class StopReason(StrEnum):
    CANCELLED = "cancelled"
    """A user gave the port up: it ends as cancelled."""
    SHUTDOWN = "shutdown"
    """The process ends: the port stays as it is and goes on later."""


class StopSignal:
    """A ``Cancellation`` (agents/orchestrator/stages.py) with a reason. The first request counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = threading.Event()
        self._callbacks: dict[object, Callable[[], None]] = {}
        self.reason: StopReason | None = None

    @property
    def requested(self) -> bool:
        return self._requested.is_set()

    def request(self, reason: StopReason) -> None:
        with self._lock:
            if self.reason is not None:
                return
            self.reason = reason
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        self._requested.set()
        for callback in callbacks:
            callback()

    def on_request(self, callback: Callable[[], None]) -> Callable[[], None]:
        key = object()
        with self._lock:
            pending = self.reason is None
            if pending:
                self._callbacks[key] = callback
        if not pending:
            callback()
        return lambda: self._remove(key)

    def wait(self, seconds: float) -> bool:
        """Sleep up to ``seconds``; True as soon as stopping is requested."""
        return self._requested.wait(seconds)

    def _remove(self, key: object) -> None:
        with self._lock:
            self._callbacks.pop(key, None)
