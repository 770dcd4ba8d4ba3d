"""Matrix multiplication by the matrix cores. These instructions ignore EXEC (CDNA3 ISA, "Matrix arithmetic")."""

from __future__ import annotations

from ..emitter import Emitter
from ..errors import UnsupportedFormError
from ..instruction import Instruction, Operand, OperandKind
from ..operand_values import constant_bits
from ..types import F32, F64, I32, splat
from .registry import semantics

_SMALL_REGISTERS = (8, 8, 6, 6, 4)
"""Registers of A or B by the format that CBSZ or BLGP names: fp8, bf8, fp6, bf6, fp4."""
_UNIT_SCALE = 127
_SPARSE_TYPES = {"f16": 0, "bf16": 1, "i8": 2}
_FIRST_SMALL_TYPE = 3
_SMALL_FLOATS = {"gfx942": {"fp8": 5, "bf8": 6}, "gfx950": {"fp8": 0, "bf8": 1}}
"""Numbers in simt/helpers_matrix_small.c and helpers_small_floats.h."""


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
    _write_all_lanes(e, i.operands[0], e.reload(result, I32, d))


def _registers(e: Emitter, operand: Operand, count: int) -> list[str]:
    return [e.read_all_lanes(operand, position) for position in range(count)]


def _addend(e: Emitter, operand: Operand, count: int, shape: str) -> list[str]:
    """C may be an inline constant."""
    if operand.is_constant:
        if shape.startswith("f64"):
            bits = constant_bits(operand, F64)
            return [splat(I32, bits & 0xFFFFFFFF), splat(I32, bits >> 32)] * (count // 2)
        bits = constant_bits(operand, F32 if operand.kind is OperandKind.FLOAT else I32)
        return [splat(I32, bits)] * count
    return _registers(e, operand, count)


def _write_all_lanes(e: Emitter, operand: Operand, values: list[str]) -> None:
    for position, value in enumerate(values):
        e.write_register(f"{operand.kind.value}{operand.index + position}", value)


@semantics
def matrix_multiply_small(e: Emitter, i: Instruction, *, rows: int, scaled: bool = False) -> None:
    """D, A, B, C, and if ``scaled`` the scales of A and B, of which op_sel and op_sel_hi choose bytes. cbsz and blgp
    are the formats of A and B."""
    formats = [i.number("cbsz"), i.number("blgp")]
    if max(formats) >= len(_SMALL_REGISTERS):
        raise UnsupportedFormError("matrix format")
    d = rows * rows // 64
    matrices = [_registers(e, i.operands[1 + k], _SMALL_REGISTERS[formats[k]]) for k in range(2)]
    matrices.append(_addend(e, i.operands[3], d, "f32"))
    controls = rows | formats[0] << 8 | formats[1] << 12
    if scaled:
        scales = [_scale(e, operand) for operand in i.operands[4:6]]
        low, high = i.selectors("op_sel", 0, 3), i.selectors("op_sel_hi", 1, 3)
        controls |= (low[0] | high[0] << 1) << 16 | (low[1] | high[1] << 1) << 18
    else:
        scales = [splat(I32, _UNIT_SCALE)] * 2
    places = [e.spill(I32, *values) for values in matrices] + [e.spill(I32, scale) for scale in scales]
    result = e.temporary(I32, d)
    e.call_void("w2w_mfma_small", ("i32", str(controls)), *(("ptr", place) for place in [*places, result]))
    _write_all_lanes(e, i.operands[0], e.reload(result, I32, d))


def _scale(e: Emitter, operand: Operand) -> str:
    """Of a float constant the exponent counts, whichever byte is chosen."""
    if operand.is_constant:
        exponent = constant_bits(operand, F32) >> 23 & 255
        return splat(I32, exponent * 0x01010101)
    return e.read_all_lanes(operand)


@semantics
def matrix_multiply_sparse(e: Emitter, i: Instruction, *, rows: int, depth: int, a: str, b: str) -> None:
    """D (which is C), A, B, indices. With cbsz 0, abid chooses among the sets of indices that the register holds;
    ``a`` and ``b`` are the types of the elements."""
    width = 16 if a in ("f16", "bf16") else 8
    items = depth * rows // 64
    sets_bits = items  # two bits for each of items / 2 elements
    first = 0 if i.number("cbsz") else i.number("abid") % (32 // sets_bits) * sets_bits
    types = [_SPARSE_TYPES.get(name) for name in (a, b)]
    numbers = [
        known if known is not None else _FIRST_SMALL_TYPE + _SMALL_FLOATS[e.module.target][name]
        for known, name in zip(types, (a, b), strict=True)
    ]
    controls = rows | depth << 8 | numbers[0] << 16 | numbers[1] << 20 | first << 24
    registers, d = items * width // 64, rows * rows // 64
    places = [e.spill(I32, *_registers(e, i.operands[1], registers))]
    places.append(e.spill(I32, *_registers(e, i.operands[2], 2 * registers)))
    places.append(e.spill(I32, e.read_all_lanes(i.operands[3])))
    result = e.spill(I32, *_registers(e, i.operands[0], d))
    arguments = [("i32", str(controls)), ("i32", str(int(a == "i8")))]
    e.call_void("w2w_smfmac", *arguments, *(("ptr", place) for place in [*places, result]))
    _write_all_lanes(e, i.operands[0], e.reload(result, I32, d))


def _check_negation(i: Instruction, shape: str) -> None:
    if not shape.startswith("f64"):
        raise UnsupportedFormError("negation in a matrix multiplication")


def _negation_or_permutation(i: Instruction) -> int:
    if "neg" in i.modifiers:  # doubles: neg:[a,b,c]
        return sum(bit << position for position, bit in enumerate(i.selectors("neg", 0, 3)))
    return i.number("blgp")
