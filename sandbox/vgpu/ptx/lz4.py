"""Decoder for LZ4 blocks, as fat binaries carry them.

Source: the LZ4 block format description (lz4_Block_format.md of the reference implementation).
"""

from __future__ import annotations

from .errors import FatBinaryError

_MIN_MATCH = 4


def decompress_block(data: bytes, size: int) -> bytes:
    """Decode one block into exactly ``size`` bytes. Raises FatBinaryError on malformed or oversized data."""
    out = bytearray()
    position = 0
    while position < len(data):
        token = data[position]
        literals, position = _read_length(data, position + 1, token >> 4)
        if position + literals > len(data) or len(out) + literals > size:
            raise FatBinaryError("LZ4 literals run past the end")
        out += data[position : position + literals]
        position += literals
        if position == len(data):
            break
        if position + 2 > len(data):
            raise FatBinaryError("LZ4 block ends in the middle of a match")
        offset = data[position] | data[position + 1] << 8
        length, position = _read_length(data, position + 2, token & 15)
        _copy_match(out, offset, length + _MIN_MATCH, size)
    if len(out) != size:
        raise FatBinaryError(f"LZ4 block holds {len(out)} bytes, {size} expected")
    return bytes(out)


def _read_length(data: bytes, position: int, nibble: int) -> tuple[int, int]:
    length = nibble
    if nibble == 15:
        while True:
            if position >= len(data):
                raise FatBinaryError("LZ4 block ends in the middle of a length")
            byte = data[position]
            position += 1
            length += byte
            if byte != 255:
                break
    return length, position


def _copy_match(out: bytearray, offset: int, length: int, size: int) -> None:
    if offset == 0 or offset > len(out) or len(out) + length > size:
        raise FatBinaryError("LZ4 match lies outside the output")
    start = len(out) - offset
    if offset >= length:
        out += out[start : start + length]
        return
    pattern = bytes(out[start:])
    out += (pattern * (length // offset + 1))[:length]
