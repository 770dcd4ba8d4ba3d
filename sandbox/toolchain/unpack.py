"""Unpack one Debian package into a root filesystem, without root rights.

Packages are verified before they come here, and still nothing in them is trusted: every member stays inside
the root, no path is followed through a symbolic link, device nodes and set-id bits do not come along.
"""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
from pathlib import Path, PurePosixPath
from typing import IO

from sandbox.toolchain.deb import open_data
from sandbox.toolchain.errors import ArchiveError
from sandbox.toolchain.layout import Layout

_COPY_BYTES = 1 << 20


def unpack_package(archive: Path, root: Path, layout: Layout) -> None:
    """Add the package's files to ``root``, an existing folder. Raises ArchiveError, or OSError if the disk does."""
    unpacker = _Unpacker(archive.name, root, layout)
    with open_data(archive) as tar:
        for member in tar:
            unpacker.add(member, tar)


class _Unpacker:
    def __init__(self, package: str, root: Path, layout: Layout) -> None:
        self._package = package
        self._root = root
        self._layout = layout
        self._folders = {PurePosixPath(".")}  # known to be real folders, so that each is checked once
        self._files: set[PurePosixPath] = set()

    def add(self, member: tarfile.TarInfo, tar: tarfile.TarFile) -> None:
        name = self._locate(member.name)
        if name == PurePosixPath(".") or self._layout.skips(name) or str(name) in self._layout.merged:
            return
        if member.isdir():
            self._make_folder(name)
        elif member.issym():
            self._make_folder(name.parent)
            self._link(name, member.linkname)
        elif member.islnk():
            self._make_folder(name.parent)
            self._hard_link(name, self._locate(member.linkname))
        elif member.isreg():
            self._make_folder(name.parent)
            self._write(name, member, tar.extractfile(member))
        else:
            raise self._refuse(member.name, "is neither file, folder nor link")

    def _locate(self, raw: str) -> PurePosixPath:
        """Where a member belongs, relative to the root."""
        path = PurePosixPath(raw)
        if path.is_absolute() or ".." in path.parts or "\0" in raw:
            raise self._refuse(raw, "leaves the root")
        if path.parts and (target := self._layout.merged.get(path.parts[0])) and len(path.parts) > 1:
            return PurePosixPath(target, *path.parts[1:])
        return path

    def _make_folder(self, name: PurePosixPath) -> None:
        if name in self._folders:
            return
        self._make_folder(name.parent)
        path = self._root / name
        try:
            path.mkdir(mode=0o755)
        except FileExistsError:
            if not stat.S_ISDIR(path.lstat().st_mode):
                raise self._refuse(str(name), "is a folder here and something else in another package") from None
        self._folders.add(name)

    def _link(self, name: PurePosixPath, target: str) -> None:
        """Links are seen from inside the sandbox, where an absolute target starts at the root; it may dangle."""
        start = () if target.startswith("/") else name.parent.parts
        depth = 0
        for part in (*start, *PurePosixPath(target).parts):
            depth += {"..": -1, "/": 0}.get(part, 1)
            if depth < 0:
                raise self._refuse(str(name), f"links out of the root: {target}")
        path = self._root / name
        try:
            path.symlink_to(target)
        except FileExistsError:
            if not path.is_symlink() or str(path.readlink()) != target:
                raise self._refuse(str(name), "is in another package too") from None

    def _hard_link(self, name: PurePosixPath, target: PurePosixPath) -> None:
        if target not in self._files:
            raise self._refuse(str(name), f"is a hard link to {target}, which is not a file of this package")
        try:
            os.link(self._root / target, self._root / name, follow_symlinks=False)
        except FileExistsError:
            raise self._refuse(str(name), "is in another package too") from None
        self._files.add(name)

    def _write(self, name: PurePosixPath, member: tarfile.TarInfo, content: IO[bytes] | None) -> None:
        assert content is not None
        mode = 0o755 if member.mode & 0o111 else 0o644
        try:
            target = os.open(self._root / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        except FileExistsError:
            raise self._refuse(str(name), "is in another package too") from None
        with os.fdopen(target, "wb") as stream:
            shutil.copyfileobj(content, stream, _COPY_BYTES)
        self._files.add(name)

    def _refuse(self, name: str, why: str) -> ArchiveError:
        return ArchiveError(f"{self._package}: {name} {why}", package=self._package, member=name)
