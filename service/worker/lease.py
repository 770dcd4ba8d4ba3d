"""Which worker processes are alive.

A worker holds an flock on a file of its own for as long as it lives; the kernel drops the lock with the
process, however it ends. A file whose lock is free names a dead worker, whose work others may take over.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SUFFIX = ".lock"


class Lease:
    """A worker's sign of life."""

    def __init__(self, executor_id: str, path: Path, handle: int) -> None:
        self.executor_id = executor_id
        self._path = path
        self._handle = handle

    @classmethod
    def acquire(cls, folder: Path) -> Lease:
        """A lease under a new, unique id."""
        folder.mkdir(parents=True, exist_ok=True)
        executor_id = uuid.uuid4().hex
        path = folder / f"{executor_id}{_SUFFIX}"
        # Locked before it gets its name: at no time does a live worker's file look free.
        unnamed = folder / f".{executor_id}"
        handle = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        unnamed.rename(path)
        return cls(executor_id, path, handle)

    def release(self, *, work_left: bool) -> None:
        """End the lease. With ``work_left`` the file stays, for the next worker to find."""
        if not work_left:
            self._path.unlink(missing_ok=True)
        os.close(self._handle)


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Whether the file could be locked; if so it is, inside the block."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)


def take_over_dead(folder: Path) -> Iterator[str]:
    """Ids of dead workers, each locked while the caller handles it and forgotten once it asks for the next: a
    caller that fails or dies halfway leaves the rest, and this one, to another."""
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        with _locked(path) as dead:
            if dead:
                yield path.name.removesuffix(_SUFFIX)
                path.unlink(missing_ok=True)
