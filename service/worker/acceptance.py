"""From a finished port to the artifacts that its row will name."""

from __future__ import annotations

from pathlib import PurePosixPath

from agents.orchestrator.stages import Assembly
from service.store.blobs import BlobStore
from service.store.documents import encode_model
from service.store.records import ArtifactRecord
from service.store.store import REPORT
from service.text import storable

_TEXT = "text/plain; charset=utf-8"
_MEDIA_TYPES = {".json": "application/json", ".md": "text/markdown; charset=utf-8"}


def keep_artifacts(blobs: BlobStore, assembly: Assembly) -> list[ArtifactRecord]:
    """Put every file of the port into ``blobs`` (durable when this returns) and name them."""
    contents = {file.path: file.text.encode("utf-8", "surrogateescape") for file in assembly.files}
    contents[REPORT] = encode_model(assembly.port).encode("ascii")
    return [_keep(blobs, name, content) for name, content in contents.items()]


def _keep(blobs: BlobStore, name: str, content: bytes) -> ArtifactRecord:
    blob = blobs.put(content)
    media_type = _MEDIA_TYPES.get(PurePosixPath(name).suffix, _TEXT)
    return ArtifactRecord(name=storable(name), media_type=media_type, sha256=blob.sha256, size=blob.size)
