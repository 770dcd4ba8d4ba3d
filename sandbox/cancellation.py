"""How a step learns that it should stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Cancellation(Protocol):
    """Whether a step should stop. Safe to use from any thread."""

    @property
    def requested(self) -> bool: ...

    def on_request(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call ``callback`` once when stopping is requested, at once if it already was (from the requesting
        thread). Returns a function that takes the callback back."""


class _Never:
    """A ``Cancellation`` that is never requested."""

    @property
    def requested(self) -> bool:
        return False

    def on_request(self, callback: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


NEVER: Cancellation = _Never()
