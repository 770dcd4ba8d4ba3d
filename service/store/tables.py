"""The database's tables. Repository functions (ports.py, events.py, stage_outputs.py) are their only users.

Columns hold plain text where Python has an enum, so that a new member needs no migration; the records that
the repository hands out are typed. Contents live in the blob store, rows hold their hashes.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, Index, Integer, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time on both databases (SQLite keeps none of the zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# SQLite counts up by itself only in a column of type INTEGER.
RowId = BigInteger().with_variant(Integer, "sqlite")


class PortRow(SQLModel, table=True):
    __tablename__ = "ports"
    __table_args__ = (
        Index("ix_ports_state_id", "state", "id"),
        Index("ix_ports_outcome_id", "outcome", "id"),
        Index("ix_ports_name_id", "name", "id"),
        Index("ix_ports_executor_state", "executor", "state"),
    )

    id: str = Field(primary_key=True, max_length=26)
    name: str = Field(sa_type=Text)
    state: str = Field(max_length=16)
    stage: str = Field(default="", max_length=64)
    outcome: str | None = Field(default=None, max_length=32)
    evidence: str | None = Field(default=None, max_length=16)
    targets: str = Field(sa_type=Text)
    """JSON list of target names."""
    submission_sha256: str | None = Field(default=None, max_length=64)
    """Blob of the submission; None where it was refused unread."""
    executor: str = Field(max_length=64)
    """The process that has the port in hand; only it may finish the port."""
    cancel_requested: bool = False
    error: str | None = Field(default=None, sa_type=Text)
    """JSON of an ErrorRecord."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class FindingRow(SQLModel, table=True):
    __tablename__ = "findings"

    port_id: str = Field(primary_key=True, foreign_key="ports.id", max_length=26)
    position: int = Field(primary_key=True)
    fault: str = Field(max_length=64)
    file: str = Field(sa_type=Text)
    line: int
    severity: str = Field(max_length=32)
    action: str = Field(max_length=16)
    document: str = Field(sa_type=Text)
    """JSON of the whole Finding."""


class VerdictRow(SQLModel, table=True):
    __tablename__ = "verdicts"

    port_id: str = Field(primary_key=True, foreign_key="ports.id", max_length=26)
    target: str = Field(primary_key=True, max_length=64)
    outcome: str = Field(max_length=32)
    evidence: str | None = Field(default=None, max_length=16)
    reasons: str = Field(sa_type=Text)
    """JSON list."""
    code_object_sha256: str = Field(max_length=64)


class ArtifactRow(SQLModel, table=True):
    __tablename__ = "artifacts"

    port_id: str = Field(primary_key=True, foreign_key="ports.id", max_length=26)
    name: str = Field(primary_key=True, max_length=512)
    media_type: str = Field(max_length=128)
    sha256: str = Field(max_length=64, index=True)
    size: int = Field(sa_type=BigInteger)


class EventRow(SQLModel, table=True):
    __tablename__ = "events"
    __table_args__ = (Index("ix_events_port_id_id", "port_id", "id"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    port_id: str = Field(foreign_key="ports.id", max_length=26)
    at: datetime = Field(sa_type=UtcDateTime)
    stage: str = Field(max_length=64)
    status: str = Field(max_length=16)
    message: str = Field(sa_type=Text)
    fraction: float | None = None
    seconds: float | None = None


class StageOutputRow(SQLModel, table=True):
    """What a stage found, while its port is under way."""

    __tablename__ = "stage_outputs"

    port_id: str = Field(primary_key=True, foreign_key="ports.id", max_length=26)
    stage: str = Field(primary_key=True, max_length=64)
    sha256: str = Field(max_length=64, index=True)
    seconds: float
