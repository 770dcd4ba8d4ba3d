"""The ports in this process's hands, and how to stop them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from service.worker.stop_signal import StopReason, StopSignal


class Interrupted(BaseException):
    """The process ends: the step leaves no trace, so that it is done again later. Not an ``Exception``: the
    workflow engine would keep that as the step's result."""


class ActivePorts:
    def __init__(self, parallel_stages: int) -> None:
        self._changed = threading.Condition()
        self._signals: dict[str, StopSignal] = {}
        self._steps: Counter[str] = Counter()
        self._slots = threading.BoundedSemaphore(parallel_stages)
        self._stopping = False

    @contextmanager
    def step(self, port_id: str) -> Iterator[StopSignal]:
        """A step of the port runs; from now on the port is active, and this is its signal. Raises Interrupted
        once the process ends, except for ports that are being cancelled."""
        with self._changed:
            if self._stopping and not self._is_cancelling(port_id):
                raise Interrupted
            signal = self._signals.setdefault(port_id, StopSignal())
            self._steps[port_id] += 1
        try:
            yield signal
        finally:
            with self._changed:
                self._steps[port_id] -= 1
                if not self._steps[port_id]:
                    del self._steps[port_id]
                self._changed.notify_all()

    def wait_for_slot(self, signal: StopSignal) -> bool:
        """Take one of the process's slots for stages; give it back with ``free_slot``. False, and no slot,
        where the port is stopped first."""
        while not signal.requested:
            if self._slots.acquire(timeout=0.2):
                return True
        return False

    def free_slot(self) -> None:
        self._slots.release()

    def forget(self, port_id: str) -> None:
        with self._changed:
            self._signals.pop(port_id, None)
            self._changed.notify_all()

    def ids(self) -> list[str]:
        with self._changed:
            return list(self._signals)

    def cancel(self, port_id: str) -> None:
        with self._changed:
            signal = self._signals.get(port_id)
        if signal is not None:
            signal.request(StopReason.CANCELLED)

    def shut_down(self, seconds: float) -> bool:
        """Stop every port and wait up to ``seconds`` for their steps to end, and for those that are being
        cancelled to be final. True if all did."""
        with self._changed:
            self._stopping = True
            signals = list(self._signals.values())
        for signal in signals:
            signal.request(StopReason.SHUTDOWN)
        with self._changed:
            return self._changed.wait_for(self._is_quiet, seconds)

    def _is_quiet(self) -> bool:
        return not self._steps and not any(map(self._is_cancelling, self._signals))

    def _is_cancelling(self, port_id: str) -> bool:
        signal = self._signals.get(port_id)
        return signal is not None and signal.reason is StopReason.CANCELLED
