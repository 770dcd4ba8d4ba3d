"""Progress of long steps, as events that a terminal, a log or a server can show."""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict


class ProgressEvent(BaseModel):
    """One step's state. ``fraction`` is in 0..1 where the amount of work is known, else None."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    status: Literal["started", "running", "finished", "failed"]
    message: str = ""
    fraction: float | None = None
    seconds: float | None = None


class Progress(Protocol):
    def __call__(self, event: ProgressEvent, /) -> None: ...


def ignore(event: ProgressEvent, /) -> None:
    """A ``Progress`` that shows nothing."""
