"""Debian packages made by hand, friendly and hostile, and lock lines for them."""

from __future__ import annotations

import hashlib
import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

from sandbox.toolchain.lock import Package


@dataclass(frozen=True)
class Entry:
    """A tar member. ``kind`` is one of tarfile's types; files have ``content``, links a ``target``."""

    name: str
    content: bytes = b""
    kind: bytes = tarfile.REGTYPE
    target: str = ""
    mode: int = 0o644


def folder(name: str) -> Entry:
    return Entry(name, kind=tarfile.DIRTYPE, mode=0o755)


def link(name: str, target: str) -> Entry:
    return Entry(name, kind=tarfile.SYMTYPE, target=target)


def hard_link(name: str, target: str) -> Entry:
    return Entry(name, kind=tarfile.LNKTYPE, target=target)


def make_deb(*entries: Entry, compression: str = "xz") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=f"w:{compression}") as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.type, info.linkname, info.mode, info.size = entry.kind, entry.target, entry.mode, len(entry.content)
            tar.addfile(info, io.BytesIO(entry.content))
    suffix = f".{compression}" if compression else ""
    return make_ar(("debian-binary", b"2.0\n"), ("control.tar.xz", b"odd"), (f"data.tar{suffix}", data.getvalue()))


def make_ar(*members: tuple[str, bytes]) -> bytes:
    out = b"!<arch>\n"
    for name, content in members:
        out += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
        out += content + b"\n" * (len(content) % 2)
    return out


def package_of(content: bytes, name: str = "thing", layer: str = "core") -> Package:
    return Package(
        layer=layer,
        name=name,
        version="1.0",
        size=len(content),
        installed=1024,
        sha256=hashlib.sha256(content).hexdigest(),
        path=f"pool/main/t/{name}/{name}_1.0_amd64.deb",
    )


def write_deb(folder: Path, content: bytes, name: str = "thing.deb") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
