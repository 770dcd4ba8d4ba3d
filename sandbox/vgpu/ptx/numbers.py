"""PTX's number literals."""

from __future__ import annotations

import struct

from .syntax import Immediate

_MASK = (1 << 64) - 1


def parse_number(text: str, *, negative: bool = False) -> Immediate:
    """The immediate for a literal: 0f3F800000, 0d3FF0000000000000, 1.5, 42, 0x2aU, 017, 0b101."""
    prefix = text[:2].lower()
    if prefix == "0f" and len(text) == 10:
        bits = int(text[2:], 16)
        return Immediate("f32", bits ^ (0x80000000 if negative else 0))
    if prefix == "0d" and len(text) == 18:
        bits = int(text[2:], 16)
        return Immediate("f64", bits ^ (1 << 63 if negative else 0))
    if "." in text:
        value = float(text)
        return Immediate("f64", struct.unpack("<Q", struct.pack("<d", -value if negative else value))[0])
    value = parse_integer(text)
    return Immediate("int", (-value if negative else value) & _MASK)


def parse_integer(text: str) -> int:
    """The value of an integer literal. Raises ValueError."""
    digits = text.rstrip("U")
    if digits[:2].lower() == "0x":
        return int(digits, 16)
    if digits[:2].lower() == "0b":
        return int(digits, 2)
    if len(digits) > 1 and digits[0] == "0":
        return int(digits, 8)
    return int(digits)
