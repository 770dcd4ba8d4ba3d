"""Fat binaries, good and hostile."""

from __future__ import annotations

import contextlib
import random
import struct

import pytest

from sandbox.vgpu.ptx.errors import FatBinaryError
from sandbox.vgpu.ptx.fatbinary import MAGIC, read_containers, select_ptx
from sandbox.vgpu.ptx.lz4 import decompress_block

PTX, ELF = 1, 2
LZ4, ZSTD = 0x2000, 0x8000


def entry(payload: bytes, *, kind: int = PTX, architecture: int = 90, flags: int = 0, size: int = 0) -> bytes:
    padded = (len(payload) + 7) // 8 * 8
    header = struct.pack(
        "<HHIQIIHHIIIQQQ",
        kind, 0x101, 72, padded, len(payload) if flags else 0, 0, 0, 0, architecture, 0, 0, flags, 0, size,
    )  # fmt: skip
    return header + bytes(72 - len(header)) + payload.ljust(padded, b"\0")


def container(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", MAGIC, 1, 16, len(body)) + body


def test_the_newest_ptx_that_the_target_can_run_is_chosen() -> None:
    image = container(
        entry(b"// 80\0", architecture=80),
        entry(b"\x7fELF", kind=ELF),
        entry(b"// 90\0"),
        entry(b"// 100\0", architecture=100),
    )
    assert select_ptx(image, 90) == ["// 90"]
    assert select_ptx(image, 89) == ["// 80"]
    assert [len(found) for found in read_containers(image)] == [4]


def test_containers_follow_each_other() -> None:
    image = container(entry(b"// a")) + container(entry(b"x", kind=ELF)) + container(entry(b"// b"))
    assert select_ptx(image, 90) == ["// a", "// b"]


def test_machine_code_alone_names_what_there_is() -> None:
    with pytest.raises(FatBinaryError, match=r"it has compute_100, sm_90") as caught:
        select_ptx(container(entry(b"x", kind=ELF), entry(b"//", architecture=100)), 90)
    assert caught.value.code == "no-ptx"


def test_lz4_text_is_unpacked() -> None:
    # 4 literals "abcd", a match of 8 bytes 4 back, then the literals "!!".
    packed = bytes([0x44]) + b"abcd" + struct.pack("<H", 4) + bytes([0x20]) + b"!!"
    assert select_ptx(container(entry(packed, flags=LZ4, size=14)), 90) == ["abcdabcdabcd!!"]


@pytest.mark.parametrize(
    ("packed", "size"),
    [
        (b"\xf0", 20),  # length continues past the end
        (b"\x40ab", 4),  # fewer literals than promised
        (b"\x14a\x00\x00", 9),  # offset 0
        (b"\x14a\x02\x00", 9),  # offset before the start
        (b"\x1fa\x01\x00" + b"\xff" * 200, 100),  # a bomb
        (b"\x10a", 2),  # shorter than promised
        (b"\x14a\x01", 9),  # ends inside an offset
    ],
)
def test_damaged_lz4_is_refused(packed: bytes, size: int) -> None:
    with pytest.raises(FatBinaryError):
        decompress_block(packed, size)


def test_oversized_ptx_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(FatBinaryError, match="too large"):
        select_ptx(container(entry(b"\x28\xb5\x2f\xfd", flags=ZSTD, size=1 << 40)), 90)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 40, 87, 90])
def test_every_truncation_is_refused(size: int) -> None:
    image = container(entry(b"// text"))
    with pytest.raises(FatBinaryError):
        select_ptx(image[:size], 90)


def test_random_damage_gives_text_or_a_typed_error() -> None:
    source = random.Random(7)
    image = container(entry(b"// some ptx text", architecture=80), entry(b"more", kind=ELF))
    for _ in range(2000):
        damaged = bytearray(image)
        for _ in range(source.randrange(1, 4)):
            damaged[source.randrange(len(damaged))] = source.randrange(256)
        with contextlib.suppress(FatBinaryError):
            assert isinstance(select_ptx(bytes(damaged), 90), list)
