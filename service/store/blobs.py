"""Contents by their hash. A blob, once put, is on the disk: rows may point at it."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from service.errors import ContentError

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Blob:
    """A stored content: ``sha256`` in hexadecimal, ``size`` in bytes."""

    sha256: str
    size: int


class BlobStore(Protocol):
    def put(self, content: bytes) -> Blob:
        """Keep ``content``; durable when this returns. Putting the same content again is harmless."""

    def get(self, sha256: str) -> bytes:
        """The content. Raises ContentError if it is missing or damaged."""

    def path(self, sha256: str) -> Path:
        """A file with the content, for sending. Raises ContentError if it is missing."""


class DirectoryBlobStore:
    """Blobs as files ``ab/cdef...`` below one folder, each written aside, synced and renamed into place."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, content: bytes) -> Blob:
        blob = Blob(hashlib.sha256(content).hexdigest(), len(content))
        target = self._file(blob.sha256)
        if not target.exists():
            self._write(target, content)
        return blob

    def get(self, sha256: str) -> bytes:
        content = self.path(sha256).read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ContentError(f"stored content {sha256} is damaged", hint="restore data_dir/blobs from a backup")
        return content

    def path(self, sha256: str) -> Path:
        if not _DIGEST.fullmatch(sha256):
            raise ContentError(f"not a content hash: {sha256!r}")
        file = self._file(sha256)
        if not file.is_file():
            raise ContentError(f"stored content {sha256} is missing", hint="restore data_dir/blobs from a backup")
        return file

    def _file(self, sha256: str) -> Path:
        return self._root / sha256[:2] / sha256[2:]

    def _write(self, target: Path, content: bytes) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        for folder in (target.parent, self._root):
            _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    """Make the folder's entries durable: a rename alone may be lost when the machine stops."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
