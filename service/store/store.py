"""The store as a whole: database, blobs and the repositories over them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.models import Port, Submission
from service.errors import StoreError
from service.store.blobs import BlobStore, DirectoryBlobStore
from service.store.database import Database
from service.store.documents import decode_model
from service.store.events import Events
from service.store.ports import Ports
from service.store.stage_outputs import StageOutputs

REPORT = "report.json"
"""The artifact that holds the whole Port."""


@dataclass(frozen=True)
class Store:
    database: Database
    blobs: BlobStore
    ports: Ports
    events: Events
    stage_outputs: StageOutputs

    def submission(self, port_id: str) -> Submission:
        sha256, _targets = self.ports.submission(port_id)
        return decode_model(Submission, self.blobs.get(sha256))

    def report(self, port_id: str) -> Port:
        """The port that a finished row stands for. Raises NotFoundError where there is none."""
        return decode_model(Port, self.blobs.get(self.ports.artifact(port_id, REPORT).sha256))

    def close(self) -> None:
        self.database.close()


def open_store(database_url: str, data_dir: Path) -> Store:
    """Open, and where needed create, the store. Raises StoreError."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(f"{data_dir} cannot be made: {error.strerror}", hint="set WARP2WAVE_DATA_DIR") from error
    database = Database(database_url)
    database.migrate()
    blobs = DirectoryBlobStore(data_dir / "blobs")
    return Store(database, blobs, Ports(database), Events(database), StageOutputs(database, blobs))
