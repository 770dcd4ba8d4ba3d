"""Starts processes from one thread that lives as long as this process.

``--die-with-parent`` follows the thread that started a process, not the whole process: a sandbox started from a
pool's thread would be killed when that thread ends.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass


@dataclass(frozen=True)
class Spawn:
    """What to start. It inherits ``descriptors`` under their numbers, no environment, and a session of its own."""

    argv: Sequence[str]
    descriptors: Sequence[int]
    stdin: int
    stdout: int
    stderr: int


class _Spawner:
    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[tuple[Spawn, Future[subprocess.Popen[bytes]]]] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="sandbox-spawner", daemon=True).start()

    def spawn(self, spawn: Spawn) -> subprocess.Popen[bytes]:
        future: Future[subprocess.Popen[bytes]] = Future()
        self._requests.put((spawn, future))
        return future.result()

    def _serve(self) -> None:
        while True:
            spawn, future = self._requests.get()
            try:
                future.set_result(_start(spawn))
            except Exception as error:
                future.set_exception(error)


def _start(spawn: Spawn) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(spawn.argv),
        stdin=spawn.stdin,
        stdout=spawn.stdout,
        stderr=spawn.stderr,
        pass_fds=tuple(spawn.descriptors),
        env={},
        start_new_session=True,
    )


_lock = threading.Lock()
_spawner: _Spawner | None = None


def spawn_process(spawn: Spawn) -> subprocess.Popen[bytes]:
    """Start it. Raises OSError."""
    global _spawner
    with _lock:
        if _spawner is None:
            _spawner = _Spawner()
        spawner = _spawner
    return spawner.spawn(spawn)


def _forget_after_fork() -> None:
    """A forked child has none of its parent's threads."""
    global _spawner, _lock
    _spawner = None
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_after_fork)
