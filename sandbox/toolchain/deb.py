"""Debian binary packages: an ``ar`` archive whose ``data.tar.*`` member holds the files."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from sandbox.toolchain.errors import ArchiveError

_MAGIC = b"!<arch>\n"
_HEADER_SIZE = 60
_COMPRESSIONS = {"data.tar": "", "data.tar.gz": "gz", "data.tar.xz": "xz", "data.tar.bz2": "bz2"}


class _Section:
    """A read-only view of ``size`` bytes of ``stream`` from its current position."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, count: int = -1) -> bytes:
        wanted = self._left if count < 0 else min(count, self._left)
        data = self._stream.read(wanted)
        self._left -= len(data)
        return data


@contextmanager
def open_data(archive: Path) -> Iterator[tarfile.TarFile]:
    """The package's files as a forward-only tar stream. Raises ArchiveError if this is no such package."""
    with archive.open("rb") as stream:
        name, size = _find_data(stream, archive)
        section = cast(IO[bytes], _Section(stream, size))
        try:
            with tarfile.open(fileobj=section, mode=f"r|{_COMPRESSIONS[name]}") as tar:  # type: ignore[call-overload]
                yield tar
        except (tarfile.TarError, EOFError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the file system's, not the archive's
            raise ArchiveError(f"{archive.name} is damaged: {error}") from error


def _find_data(stream: IO[bytes], archive: Path) -> tuple[str, int]:
    if stream.read(len(_MAGIC)) != _MAGIC:
        raise ArchiveError(f"{archive.name} is not a Debian package")
    while header := stream.read(_HEADER_SIZE):
        name = header[:16].decode("ascii", "replace").rstrip().rstrip("/")
        size = header[48:58].decode("ascii", "replace").strip()
        if len(header) != _HEADER_SIZE or header[58:] != b"`\n" or not size.isdigit():
            raise ArchiveError(f"{archive.name} is damaged: bad member header")
        if name in _COMPRESSIONS:
            return name, int(size)
        if name.startswith("data.tar"):
            raise ArchiveError(f"{archive.name} is compressed in a way that is not supported: {name}")
        stream.seek(int(size) + int(size) % 2, 1)  # members are padded to even offsets
    raise ArchiveError(f"{archive.name} has no data.tar")
