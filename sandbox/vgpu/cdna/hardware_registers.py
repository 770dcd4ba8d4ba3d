"""``hwreg(HW_REG_MODE, 0, 4)``: a field of a hardware register, as s_getreg and s_setreg name it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import UnsupportedFormError

_FIELD = re.compile(r"hwreg\((\w+)(?:, ?(\d+), ?(\d+))?\)")


@dataclass(frozen=True)
class RegisterField:
    """``width`` bits from bit ``offset`` of the register ``name``."""

    name: str
    offset: int
    width: int


def parse_register_field(text: str) -> RegisterField:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise UnsupportedFormError(f"hardware register {text}")
    return RegisterField(match[1], int(match[2] or 0), int(match[3] or 32))
