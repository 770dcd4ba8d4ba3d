"""What the store hands out: typed views of its rows."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agents.models import Finding, Outcome
from sandbox.models import Evidence
from service.errors import ErrorRecord


class State(StrEnum):
    """Where a port stands. The last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    """There is a verdict; ``outcome`` says which."""
    FAILED = "failed"
    """There is none; ``error`` says why."""
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        return self not in (State.QUEUED, State.RUNNING)


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PortSummary(Record):
    """A port as lists show it."""

    id: str
    name: str
    state: State
    stage: str = Field(description="The stage that last reported")
    outcome: Outcome | None
    evidence: Evidence | None
    targets: tuple[str, ...]
    error: ErrorRecord | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class TargetRecord(Record):
    """The verdict for one target."""

    target: str
    outcome: Outcome
    evidence: Evidence | None
    reasons: tuple[str, ...]
    code_object_sha256: str


class ArtifactRecord(Record):
    """A file kept with a port: ``size`` in bytes, ``sha256`` of its content."""

    name: str
    media_type: str
    sha256: str
    size: int


class EventRecord(Record):
    """One step's state change, in the order of ``id``."""

    id: int
    at: datetime
    stage: str
    status: Literal["started", "running", "finished", "failed"]
    message: str
    fraction: float | None
    seconds: float | None


class PortRecord(PortSummary):
    """A port with everything known about it; the contents are artifacts."""

    verdicts: tuple[TargetRecord, ...]
    findings: tuple[Finding, ...]
    artifacts: tuple[ArtifactRecord, ...]


class PortPage(Record):
    """``next`` is the ``before`` of the following page, None on the last."""

    ports: tuple[PortSummary, ...]
    next: str | None


class PortFilter(Record):
    """Which ports a list shows; None: any."""

    state: State | None = None
    outcome: Outcome | None = None
    name: str | None = None
