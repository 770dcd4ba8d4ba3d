"""Repository of progress events."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import update
from sqlmodel import col, select

from sandbox.progress import ProgressEvent
from service.store.database import Database
from service.store.records import EventRecord
from service.store.tables import EventRow, PortRow
from service.text import storable

_MESSAGE_LIMIT = 2_000


class Events:
    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, port_id: str, event: ProgressEvent) -> None:
        now = datetime.now(UTC)
        stage = storable(event.stage, 64)
        with self._database.writing() as session:
            # The port's row is locked first, so that its events become visible in the order of their ids.
            session.exec(update(PortRow).where(col(PortRow.id) == port_id).values(stage=stage, updated_at=now))
            session.add(
                EventRow(
                    port_id=port_id,
                    at=now,
                    stage=stage,
                    status=event.status,
                    message=storable(event.message, _MESSAGE_LIMIT),
                    fraction=event.fraction,
                    seconds=event.seconds,
                )
            )

    def after(self, port_id: str, last: int, *, limit: int = 500) -> list[EventRecord]:
        """Events of a port with an id above ``last``, in order."""
        query = (
            select(EventRow)
            .where(EventRow.port_id == port_id, col(EventRow.id) > last)
            .order_by(col(EventRow.id))
            .limit(limit)
        )
        with self._database.reading() as session:
            rows = session.exec(query).all()
        return [EventRecord.model_validate(row.model_dump(exclude={"port_id"})) for row in rows]
