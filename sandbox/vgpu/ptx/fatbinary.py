"""Reads NVIDIA fat binaries: containers of PTX and machine code, one entry an architecture.

The layout is not documented; the fields below were read off files that nvcc 13 writes. An image may hold
several containers one after the other (the parts of a program built with ``-rdc=true``).
"""

from __future__ import annotations

import importlib
import struct
from dataclasses import dataclass

from .errors import FatBinaryError
from .lz4 import decompress_block

MAGIC = 0xBA55ED50
MAX_PTX_BYTES = 256 << 20
"""Bound on one decompressed PTX text, against decompression bombs."""

_CONTAINER = struct.Struct("<IHHQ")  # magic, version, header bytes, bytes after the header
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_KIND_PTX = 1
_KIND_ELF = 2
_FLAG_ZSTD = 0x8000
_FLAG_LZ4 = 0x2000
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Entry:
    """One entry: ``architecture`` is 90 for compute_90 or sm_90; ``payload`` is still compressed."""

    kind: int
    architecture: int
    flags: int
    payload: bytes
    uncompressed_size: int

    @property
    def is_ptx(self) -> bool:
        return self.kind == _KIND_PTX


def read_containers(image: bytes) -> list[list[Entry]]:
    """The entries of each container in ``image``. Raises FatBinaryError."""
    containers = []
    position = 0
    while position < len(image):
        entries, position = _read_container(image, position)
        containers.append(entries)
        while image[position : position + 1] == b"\0":
            position += 1
    if not containers:
        raise FatBinaryError("the fat binary is empty")
    return containers


def select_ptx(image: bytes, architecture: int) -> list[str]:
    """The PTX text of each container: the newest that ``architecture`` (90 for sm_90) can run.

    Containers without such PTX are left out, as NVIDIA's device libraries have only machine code: what calls
    them finds nothing there. Raises FatBinaryError, code ``no-ptx``, if that leaves none.
    """
    texts = []
    skipped: list[Entry] = []
    for entries in read_containers(image):
        usable = [e for e in entries if e.is_ptx and e.architecture <= architecture]
        if usable:
            texts.append(decompress(max(usable, key=lambda e: e.architecture)))
        else:
            skipped += entries
    if not texts:
        raise FatBinaryError(_explain_missing(skipped, architecture), code="no-ptx")
    return texts


def decompress(entry: Entry) -> str:
    """The text of a PTX entry. Raises FatBinaryError."""
    data = entry.payload
    if entry.flags & (_FLAG_ZSTD | _FLAG_LZ4):
        if entry.uncompressed_size > MAX_PTX_BYTES:
            raise FatBinaryError(f"PTX of {entry.uncompressed_size} bytes is too large")
        if entry.flags & _FLAG_ZSTD or data.startswith(_ZSTD_MAGIC):
            data = _decompress_zstd(data, entry.uncompressed_size)
        else:
            data = decompress_block(data, entry.uncompressed_size)
    try:
        return data.rstrip(b"\0").decode("utf-8")
    except UnicodeDecodeError as error:
        raise FatBinaryError("the PTX is not text") from error


def _read_container(image: bytes, start: int) -> tuple[list[Entry], int]:
    if start + _CONTAINER.size > len(image):
        raise FatBinaryError("the fat binary is truncated")
    magic, _version, header, size = _CONTAINER.unpack_from(image, start)
    if magic != MAGIC:
        raise FatBinaryError("this is not a fat binary")
    position = start + header
    end = position + size
    if header < _CONTAINER.size or end > len(image):
        raise FatBinaryError("the fat binary is truncated")
    entries = []
    while position < end:
        entry, position = _read_entry(image, position, end)
        entries.append(entry)
    return entries, end


def _read_entry(image: bytes, start: int, end: int) -> tuple[Entry, int]:
    if start + _ENTRY.size > end:
        raise FatBinaryError("the fat binary ends in the middle of an entry")
    fields = _ENTRY.unpack_from(image, start)
    kind, header, padded, compressed, architecture = fields[0], fields[2], fields[3], fields[4], fields[8]
    flags, uncompressed = fields[11], fields[13]
    begin = start + header
    if header < _ENTRY.size or begin + padded > end or compressed > padded:
        raise FatBinaryError("an entry of the fat binary runs past its end")
    payload = image[begin : begin + (compressed or padded)]
    return Entry(kind, architecture, flags, payload, uncompressed), begin + padded


def _decompress_zstd(data: bytes, size: int) -> bytes:
    try:
        zstd = importlib.import_module("compression.zstd")  # in the standard library since Python 3.14
    except ImportError as error:
        raise FatBinaryError("zstd-compressed PTX needs Python 3.14", code="unavailable") from error
    try:
        decoded: bytes = zstd.ZstdDecompressor().decompress(data, max_length=size + 1)
    except zstd.ZstdError as error:
        raise FatBinaryError("the compressed PTX is damaged") from error
    if len(decoded) != size:
        raise FatBinaryError(f"the compressed PTX does not hold the {size} bytes that its header names")
    return decoded


def _explain_missing(entries: list[Entry], architecture: int) -> str:
    have = ", ".join(
        sorted({f"{'compute' if e.is_ptx else 'sm'}_{e.architecture}" for e in entries if e.kind in (1, 2)})
    )
    return (
        f"the program holds no PTX that sm_{architecture} can run (it has {have or 'nothing'}); "
        f"build it with -arch=sm_{architecture} or -gencode arch=compute_{architecture},code=compute_{architecture}"
    )
