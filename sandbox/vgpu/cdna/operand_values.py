"""The bit patterns of constant operands."""

from __future__ import annotations

from .errors import UnsupportedFormError
from .instruction import Operand, OperandKind
from .types import VectorType, float_bits

_INVERSE_TWO_PI = {16: 0x3118, 32: 0x3E22F983, 64: 0x3FC45F306DC9C882}
"""The inline constant 1/(2*pi), printed rounded, so that its bits must come from here (CDNA3 ISA, "Inline
Constants")."""


def constant_bits(operand: Operand, kind: VectorType) -> int:
    """A constant operand as the hardware widens it for an operand of type ``kind``.

    Inline integers are sign-extended. Literals are zero-extended, but are the high half of a double. Raises
    UnsupportedFormError if the operand is no constant.
    """
    mask = (1 << kind.bits) - 1
    match operand.kind:
        case OperandKind.INTEGER:
            return operand.value & mask
        case OperandKind.LITERAL:
            value = operand.value & 0xFFFFFFFF
            return value << 32 if kind.is_float and kind.bits == 64 else value & mask
        case OperandKind.FLOAT:
            if 0.159 < operand.number < 0.1592:
                return _INVERSE_TWO_PI[kind.bits]
            return float_bits(operand.number, kind.bits)
    raise UnsupportedFormError(f"operand {operand.name or operand.kind.value} is not a number")
