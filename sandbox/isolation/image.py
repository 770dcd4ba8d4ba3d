"""Docker images made of root filesystems: imported once, tagged with a digest of what they hold."""

from __future__ import annotations

import hashlib
import os
import tarfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from docker.errors import APIError, ImageNotFound

from sandbox.errors import IsolationError

REPOSITORY = "warp2wave-root"

_COVERED = "./tmp"
_ENTRY_KINDS = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE)


def ensure_image(client: Any, root: Path, digest: str) -> str:
    """The name of the image of ``root``, importing it if the daemon has none. ``client`` is a docker ``APIClient``.

    Raises IsolationError if the daemon refuses.
    """
    tag = digest.removeprefix("sha256:")[:64]
    name = f"{REPOSITORY}:{tag}"
    try:
        client.inspect_image(name)
    except ImageNotFound:
        _import_root(client, root, tag)
    return name


def root_digest(root: Path) -> str:
    """Hex SHA-256 over the names, types, modes, sizes and times of everything in ``root``: another digest for
    another tree, without reading gigabytes."""
    digest = hashlib.sha256()
    for path in _walk(root):
        status = path.lstat()
        link = str(path.readlink()) if path.is_symlink() else ""
        facts = (path.relative_to(root), status.st_mode, status.st_size, status.st_mtime_ns, link)
        digest.update("\0".join(map(str, facts)).encode("utf-8", "surrogateescape") + b"\0\0")
    return digest.hexdigest()


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted([*files, *folders]):
            yield Path(folder) / name


def _import_root(client: Any, root: Path, tag: str) -> None:
    read_end, write_end = os.pipe2(os.O_CLOEXEC)
    failures: list[Exception] = []
    writer = threading.Thread(target=_write_tar, args=(root, write_end, failures), name="image-tar")
    with os.fdopen(read_end, "rb") as stream:
        writer.start()
        try:
            client.import_image_from_stream(stream, repository=REPOSITORY, tag=tag)
        except APIError as error:
            raise IsolationError(f"Docker does not import the root filesystem {root}: {error}") from error
        finally:
            stream.close()
            writer.join()
    if failures:
        with suppress(APIError):
            client.remove_image(f"{REPOSITORY}:{tag}")
        raise IsolationError(f"the root filesystem {root} cannot be read: {failures[0]}")


def _write_tar(root: Path, descriptor: int, failures: list[Exception]) -> None:
    try:
        with os.fdopen(descriptor, "wb") as file:
            _pack(root, file)
    except (OSError, tarfile.TarError) as error:
        failures.append(error)


def _pack(root: Path, file: BinaryIO) -> None:
    with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT, bufsize=1 << 20) as archive:
        archive.add(root, arcname=".", filter=_entry)
        # Docker gives the tmpfs that covers it the mode of the folder itself.
        folder = tarfile.TarInfo(_COVERED)
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        archive.addfile(folder)


def _entry(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Everything belongs to root inside, whoever unpacked it here; no device nodes, nothing set-user-ID."""
    if entry.type not in _ENTRY_KINDS or entry.name == _COVERED:
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mode &= 0o1777
    return entry
