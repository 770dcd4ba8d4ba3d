from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from service.errors import ContentError
from service.store.blobs import DirectoryBlobStore


def test_content_comes_back_by_hash(tmp_path: Path):
    blobs = DirectoryBlobStore(tmp_path / "blobs")
    blob = blobs.put(b"a\0\xff")

    assert blob.sha256 == hashlib.sha256(b"a\0\xff").hexdigest()
    assert blob.size == 3
    assert blobs.put(b"a\0\xff") == blob
    assert blobs.get(blob.sha256) == b"a\0\xff"
    assert blobs.path(blob.sha256).read_bytes() == b"a\0\xff"


def test_failed_write_leaves_no_blob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blobs = DirectoryBlobStore(tmp_path)

    def fail(handle: int) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="disk full"):
            blobs.put(b"content")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    blobs.put(b"content")


def test_damage_is_noticed(tmp_path: Path):
    blobs = DirectoryBlobStore(tmp_path)
    blob = blobs.put(b"content")
    blobs.path(blob.sha256).write_bytes(b"c0ntent")
    with pytest.raises(ContentError, match="damaged"):
        blobs.get(blob.sha256)


@pytest.mark.parametrize("name", ["", "../../../etc/passwd", "0" * 63, "/" * 64, "A" * 64, "f" * 64])
def test_only_known_hashes_have_content(tmp_path: Path, name: str):
    with pytest.raises(ContentError):
        DirectoryBlobStore(tmp_path).path(name)
