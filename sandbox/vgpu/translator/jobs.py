"""Which job is next: each key once, kernels that a program waits for before those that it may need."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from .cache import Key
from .frontend import TranslationError

MAX_WAITING = 4096


class Priority(IntEnum):
    NOW = 0
    AHEAD = 1
    BEHIND = 2  # better code for what is there already


@dataclass
class Job:
    """One translation or listing, and everybody who waits for it. ``answer`` is set when ``done`` is."""

    identity: tuple[str, Key]
    work: dict[str, Any]
    priority: Priority
    order: int
    done: threading.Event = field(default_factory=threading.Event)
    answer: dict[str, Any] = field(default_factory=dict)
    finished: list[Callable[[], None]] = field(default_factory=list)


class JobQueue:
    """Thread-safe. ``submit`` joins a job that waits or runs already."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[Job] = []
        self._open: dict[tuple[str, Key], Job] = {}
        self._order = itertools.count()

    def submit(self, key: Key, work: dict[str, Any], priority: Priority, finished: Callable[[], None]) -> Job:
        """``finished`` is called when the job needs its files no longer. Raises TranslationError ``busy``."""
        identity = (str(work["do"]), key)
        with self._changed:
            job = self._open.get(identity)
            if job is None:
                if len(self._waiting) >= MAX_WAITING:
                    raise TranslationError("busy", "too many translations are waiting")
                job = Job(identity, work, priority, next(self._order))
                self._open[identity] = job
                self._waiting.append(job)
            job.priority = min(job.priority, priority)
            job.finished.append(finished)
            self._changed.notify_all()
            return job

    def take(self, lowest: Priority) -> Job:
        """Wait for the next job of at least this priority."""
        with self._changed:
            while True:
                fitting = [job for job in self._waiting if job.priority <= lowest]
                if fitting:
                    job = min(fitting, key=lambda job: (job.priority, job.order))
                    self._waiting.remove(job)
                    return job
                self._changed.wait()

    def finish(self, job: Job, answer: dict[str, Any]) -> None:
        with self._changed:
            del self._open[job.identity]
        job.answer = answer
        job.done.set()
        for finished in job.finished:
            finished()
