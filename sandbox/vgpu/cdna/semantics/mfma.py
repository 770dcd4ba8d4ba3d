"""Matrix multiplication by the matrix cores. These instructions ignore EXEC (CDNA3 ISA, "Matrix arithmetic")."""

from __future__ import annotations

from ..emitter import Emitter
from ..errors import UnsupportedFormError
from ..instruction import Instruction, Operand, OperandKind
from ..operand_values import constant_bits
from ..types import F32, I32, splat
from .registry import semantics


@semantics
def matrix_multiply(e: Emitter, i: Instruction, *, shape: str, a: int, d: int, float8: bool = False) -> None:
    """``shape`` names the helper; ``a`` and ``d`` are the 32-bit registers of A (and B), and of C and D.
    ``float8``: the target has its own formats of 8-bit floats.

    D, A, B, C; cbsz and abid broadcast blocks of A, blgp permutes lanes of B (or, for doubles, negates).
    """
    if float8:
        shape += "_ocp" if e.module.target == "gfx950" else "_fnuz"
    sources = [_registers(e, i.operands[1], a), _registers(e, i.operands[2], a), _addend(e, i.operands[3], d, shape)]
    if i.modifiers.keys() & {"neg_lo", "neg_hi"} or any(operand.negate for operand in i.operands):
        _check_negation(i, shape)
    places = [e.spill(I32, *values) for values in sources]
    result = e.temporary(I32, d)
    controls = i.number("cbsz") | i.number("abid") << 8 | _negation_or_permutation(i) << 16
    e.call_void(f"w2w_mfma_{shape}", ("i32", str(controls)), *(("ptr", place) for place in [*places, result]))
    for position, value in enumerate(e.reload(result, I32, d)):
        e.write_register(f"{i.operands[0].kind.value}{i.operands[0].index + position}", value)


def _registers(e: Emitter, operand: Operand, count: int) -> list[str]:
    return [e.read_all_lanes(operand, position) for position in range(count)]


def _addend(e: Emitter, operand: Operand, count: int, shape: str) -> list[str]:
    """C may be an inline constant."""
    if operand.is_constant:
        if shape.startswith("f64") and (operand.value or operand.number):
            raise UnsupportedFormError("a constant other than zero as C of doubles")
        bits = constant_bits(operand, F32 if operand.kind is OperandKind.FLOAT else I32)
        return [splat(I32, bits)] * count
    return _registers(e, operand, count)


def _check_negation(i: Instruction, shape: str) -> None:
    if not shape.startswith("f64"):
        raise UnsupportedFormError("negation in a matrix multiplication")


def _negation_or_permutation(i: Instruction) -> int:
    if "neg" in i.modifiers:  # doubles: neg:[a,b,c]
        return sum(bit << position for position, bit in enumerate(i.selectors("neg", 0, 3)))
    return i.number("blgp")
