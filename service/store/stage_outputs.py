"""Repository of what each stage of a port under way found. A stage with an output here is not run again."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel
from sqlmodel import select

from service.store.blobs import BlobStore
from service.store.database import Database
from service.store.documents import decode_model, encode_model
from service.store.tables import PortRow, StageOutputRow

ModelT = TypeVar("ModelT", bound=BaseModel)


class StageOutputs:
    def __init__(self, database: Database, blobs: BlobStore) -> None:
        self._database = database
        self._blobs = blobs

    def put(self, port_id: str, stage: str, output: BaseModel, seconds: float, *, executor: str) -> bool:
        """Keep ``output``. False, and no change, where the port is not in the hands of ``executor``."""
        blob = self._blobs.put(encode_model(output).encode("ascii"))
        row = StageOutputRow(port_id=port_id, stage=stage, sha256=blob.sha256, seconds=seconds)
        with self._database.writing() as session:
            port = session.get(PortRow, port_id, with_for_update=True)
            if port is None or port.executor != executor or port.finished_at is not None:
                return False
            session.merge(row)
            return True

    def has(self, port_id: str, stage: str) -> bool:
        with self._database.reading() as session:
            return session.get(StageOutputRow, (port_id, stage)) is not None

    def get(self, port_id: str, stage: str, kind: type[ModelT]) -> ModelT:
        """The stage's output. Raises KeyError where there is none."""
        with self._database.reading() as session:
            row = session.get(StageOutputRow, (port_id, stage))
        if row is None:
            raise KeyError(f"port {port_id} has no output of stage {stage}")
        return decode_model(kind, self._blobs.get(row.sha256))

    def seconds(self, port_id: str) -> dict[str, float]:
        """Wall time of each finished stage."""
        with self._database.reading() as session:
            rows = session.exec(select(StageOutputRow).where(StageOutputRow.port_id == port_id)).all()
        return {row.stage: row.seconds for row in rows}
