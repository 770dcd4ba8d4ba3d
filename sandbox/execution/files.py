"""Folders that are shared with sandboxes, and hashes of what is in them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from sandbox.errors import InputError


def sha256_of(*parts: bytes | str) -> str:
    """Hex digest over the parts, each preceded by its length so that no two lists collide."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def sha256_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fresh_folder(path: Path) -> Path:
    """An empty folder at ``path`` that every sandbox user may write to; its parent keeps others out."""
    if path.exists():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.mkdir()
    path.chmod(0o777)
    return path


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write relative paths into ``folder``. Raises InputError on a path that leaves it."""
    for name, data in files:
        relative = PurePosixPath(name)
        if relative.is_absolute() or ".." in relative.parts or not relative.parts:
            raise InputError(f"file name {name!r} leaves its folder")
        path = folder.joinpath(*relative.parts)
        for parent in reversed(path.relative_to(folder).parents):
            directory = folder / parent
            directory.mkdir(exist_ok=True)
            directory.chmod(0o777)
        path.write_bytes(data)
        path.chmod(0o666)
