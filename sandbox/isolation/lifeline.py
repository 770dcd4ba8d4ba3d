"""Connections whose end tells a sandbox that its owner has gone.

Each is open in the owning process alone: programs that it starts do not inherit it, and children that it forks close
it, so that the kernel closes it for good however the owner ends.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable

_closers: dict[int, Callable[[], None]] = {}
_keys = itertools.count()


def close_in_children(close: Callable[[], None]) -> Callable[[], None]:
    """Call ``close`` in every child that this process forks. Returns a function that takes that back."""
    key = next(_keys)
    _closers[key] = close
    return lambda: _forget(key)


class Lifeline:
    """The write end of a pipe that is one. Takes ``descriptor`` over."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._keep = close_in_children(lambda: os.close(descriptor))

    def write(self, data: bytes) -> None:
        """Raises BrokenPipeError if nobody reads."""
        os.write(self._descriptor, data)

    def close(self) -> None:
        self._keep()
        os.close(self._descriptor)


def _forget(key: int) -> None:
    _closers.pop(key, None)


def _close_all() -> None:
    for close in _closers.values():
        close()
    _closers.clear()


os.register_at_fork(after_in_child=_close_all)
