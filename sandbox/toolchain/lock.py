"""The lock file: every Debian package of the root filesystem, by path in the archive, size and SHA-256.

Tab-separated. ``snapshot<TAB>TIMESTAMP`` names a moment at which Debian's archive held all of them (as
snapshot.debian.org spells it); every other line is a package, in the columns of ``COLUMNS``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.toolchain.errors import LockError

LOCK_FILE = Path(__file__).with_name("packages.lock")
COLUMNS = ("layer", "name", "version", "size", "installed", "sha256", "path")
LAYERS = ("core", "libraries")

_SHA256 = re.compile(r"[0-9a-f]{64}")
_SNAPSHOT = re.compile(r"\d{8}T\d{6}Z")


@dataclass(frozen=True)
class Package:
    """One archive. ``size`` is its download, ``installed`` roughly what it holds unpacked; both in bytes.

    ``path`` is relative to a mirror's base, e.g. ``pool/main/b/bash/bash_5.3-4_amd64.deb``.
    """

    layer: str
    name: str
    version: str
    size: int
    installed: int
    sha256: str
    path: str

    def row(self) -> str:
        return "\t".join(str(getattr(self, column)) for column in COLUMNS)


@dataclass(frozen=True)
class Lock:
    snapshot: str
    packages: tuple[Package, ...]

    def select(self, layers: tuple[str, ...]) -> tuple[Package, ...]:
        """The packages of ``layers``, in the file's order."""
        return tuple(package for package in self.packages if package.layer in layers)


def read_lock(path: Path = LOCK_FILE) -> Lock:
    """Raises LockError, with the line, for anything that is not exactly a lock file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LockError(f"cannot read {path}: {error}") from error
    return parse_lock(text, str(path))


def parse_lock(text: str, origin: str = "packages.lock") -> Lock:
    snapshot = ""
    packages: dict[str, Package] = {}
    hashes: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        where = f"{origin}:{number}"
        fields = line.split("\t")
        if fields[0] == "snapshot":
            snapshot = _parse_snapshot(fields, snapshot, where)
            continue
        package = _parse_package(fields, where)
        if package.name in packages:
            raise LockError(f"{where}: package {package.name} is listed twice")
        if package.sha256 in hashes:
            raise LockError(f"{where}: {package.name} has the hash of {hashes[package.sha256]}")
        packages[package.name] = package
        hashes[package.sha256] = package.name
    if not snapshot:
        raise LockError(f"{origin}: no snapshot line")
    if not packages:
        raise LockError(f"{origin}: no packages")
    return Lock(snapshot, tuple(packages.values()))


def _parse_snapshot(fields: list[str], earlier: str, where: str) -> str:
    if earlier:
        raise LockError(f"{where}: a second snapshot line")
    if len(fields) != 2 or not _SNAPSHOT.fullmatch(fields[1]):
        raise LockError(f"{where}: a snapshot reads YYYYMMDDTHHMMSSZ")
    return fields[1]


def _parse_package(fields: list[str], where: str) -> Package:
    if len(fields) != len(COLUMNS):
        raise LockError(f"{where}: {len(fields)} columns where {len(COLUMNS)} belong: {', '.join(COLUMNS)}")
    layer, name, version, size, installed, sha256, path = fields
    if layer not in LAYERS:
        raise LockError(f"{where}: unknown layer {layer!r}")
    if not name or not version:
        raise LockError(f"{where}: empty name or version")
    if not _SHA256.fullmatch(sha256):
        raise LockError(f"{where}: {name}: not a SHA-256: {sha256!r}")
    parts = PurePosixPath(path).parts
    if not parts or parts[0] != "pool" or ".." in parts or not path.endswith(".deb"):
        raise LockError(f"{where}: {name}: not a path in a Debian pool: {path!r}")
    return Package(layer, name, version, _bytes(size, where), _bytes(installed, where), sha256, path)


def _bytes(text: str, where: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise LockError(f"{where}: not a number of bytes: {text!r}")
    return int(text)
