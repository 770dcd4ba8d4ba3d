"""Folders that are shared with sandboxes, and hashes of what is in them."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
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
        remove_tree(path)
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
        try:
            for parent in reversed(path.relative_to(folder).parents):
                directory = folder / parent
                directory.mkdir(exist_ok=True)
                directory.chmod(0o777)
            path.write_bytes(data)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise InputError(f"{name!r} is both a file and a folder") from None
        except (OSError, ValueError) as error:
            raise InputError(f"{name!r} is no file name: {error}") from error
        path.chmod(0o666)


def remove_tree(path: Path) -> None:
    """Remove what a program left, however deep its folders are nested (shutil.rmtree recurses)."""
    subprocess.run(["rm", "-rf", "--", str(path)], check=False, capture_output=True)


def read_regular_file(path: Path, most: int) -> bytes:
    """The first ``most`` bytes of a file that a program may have replaced by anything: a pipe would block, a link
    lead elsewhere. Empty where it is no regular file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def sweep_leftovers(folder: Path, prefix: str) -> None:
    """Remove entries called ``<prefix><pid>-...`` whose process is gone: it was killed before it could."""
    for path in folder.glob(f"{prefix}[0-9]*-*"):
        owner = path.name.removeprefix(prefix).split("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            remove_tree(path)
