"""Progress of the ports that this process works on: kept in the store, and told live to those who listen."""

from __future__ import annotations

import queue
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.progress import ProgressEvent
from service.store.events import Events

_KEEP_EVERY_SECONDS = 2.0


class EventHub:
    def __init__(self, events: Events) -> None:
        self._events = events
        self._lock = threading.Lock()
        self._listeners: dict[str, list[queue.SimpleQueue[ProgressEvent | None]]] = defaultdict(list)
        self._kept: dict[tuple[str, str], float] = {}

    def publish(self, port_id: str, event: ProgressEvent) -> None:
        """Every change of state is kept, and of ``running`` events one each two seconds and stage."""
        kept = self._keeps(port_id, event)
        if kept:
            self._events.append(port_id, event)
        with self._lock:
            listeners = list(self._listeners.get(port_id, ()))
        for listener in listeners:
            listener.put(None if kept else event)

    @contextmanager
    def listen(self, port_id: str) -> Iterator[queue.SimpleQueue[ProgressEvent | None]]:
        """A queue of the port's events from now on; None says that the next one is in the store."""
        listener: queue.SimpleQueue[ProgressEvent | None] = queue.SimpleQueue()
        with self._lock:
            self._listeners[port_id].append(listener)
        try:
            yield listener
        finally:
            with self._lock:
                self._listeners[port_id].remove(listener)
                if not self._listeners[port_id]:
                    del self._listeners[port_id]

    def _keeps(self, port_id: str, event: ProgressEvent) -> bool:
        key = (port_id, event.stage)
        now = time.monotonic()
        with self._lock:
            if event.status != "running":
                self._kept.pop(key, None)
                return True
            if now - self._kept.get(key, now - _KEEP_EVERY_SECONDS) < _KEEP_EVERY_SECONDS:
                return False
            self._kept[key] = now
            return True
