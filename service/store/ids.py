"""Port ids: 26 letters and digits that sort by creation time (the layout of a ULID)."""

from __future__ import annotations

import re
import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26
_RANDOM_BITS = 80
_PATTERN = re.compile(f"[{_ALPHABET}]{{{_LENGTH}}}")


def new_port_id() -> str:
    number = (time.time_ns() // 1_000_000 << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))


def is_port_id(text: str) -> bool:
    return _PATTERN.fullmatch(text) is not None
