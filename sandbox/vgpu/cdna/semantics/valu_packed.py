"""Packed arithmetic: two halves, or two singles, in one instruction (VOP3P)."""

from __future__ import annotations

from ..emitter import Emitter
from ..errors import UnsupportedFormError
from ..instruction import Instruction, Operand
from ..operand_values import constant_bits
from ..types import F16, F32, I16, I32, I64, VectorType, splat
from .registry import semantics
from .valu_convert import narrow, write_packed
from .valu_float import arithmetic, extreme, extreme3_nan
from .valu_int import clamp_to_word, int_extreme_value, saturating


def read_half(e: Emitter, operand: Operand, kind: VectorType, high: bool, negate: bool) -> str:
    """One half of a packed operand. A constant is 32 bits wide: its upper half is zero or the sign."""
    if operand.is_constant:
        width = F16 if kind.is_float and not operand.value else I32
        bits = constant_bits(operand, width) >> (16 if high else 0) & 0xFFFF
        value = splat(I16, bits)
    else:
        value = e.read_bits(operand, I16, high=high)
    if not kind.is_float:
        return value
    number = e.value(f"bitcast {I16} {value} to {kind}")
    if operand.absolute:
        number = e.intrinsic("fabs", kind, number)
    if negate:
        number = e.value(f"fneg {kind} {number}")
    return e.mode.flush_input(e, kind, number)


def read_packed(
    e: Emitter, i: Instruction, kind: VectorType, count: int, first: int = 1
) -> tuple[list[str], list[str]]:
    """The low and the high operands, by op_sel, op_sel_hi, neg_lo, neg_hi."""
    sides = []
    for select, default, negate in (("op_sel", 0, "neg_lo"), ("op_sel_hi", 1, "neg_hi")):
        halves, signs = i.selectors(select, default, count), i.selectors(negate, 0, count)
        sides.append(
            [
                read_half(
                    e, i.operands[first + k], kind, bool(halves[k]), bool(signs[k]) != i.operands[first + k].negate
                )
                for k in range(count)
            ]
        )
    return sides[0], sides[1]


@semantics
def packed_float_half(e: Emitter, i: Instruction, *, op: str) -> None:
    """``op``: add, mul, fma."""
    low, high = read_packed(e, i, F16, 3 if op == "fma" else 2)
    write_packed(e, i, F16, arithmetic(e, op, F16, *low), arithmetic(e, op, F16, *high))


def refuse_shared_signs(i: Instruction) -> None:
    """Modifiers of VOP2 encodings are of one bit a source; the documents do not say which of two numbers they mean."""
    if any(operand.negate or operand.absolute for operand in i.operands[1:3]):
        raise UnsupportedFormError("one sign modifier for two packed numbers")


@semantics
def packed_fmac_half(e: Emitter, i: Instruction) -> None:
    """v_pk_fmac_f16: the result register is the addend."""
    refuse_shared_signs(i)
    low, high = read_packed(e, i, F16, 2)
    low.append(e.read(i.operands[0], F16))
    high.append(e.read(i.operands[0], F16, high=True))
    write_packed(e, i, F16, arithmetic(e, "fma", F16, *low), arithmetic(e, "fma", F16, *high))


@semantics
def packed_extreme_half(e: Emitter, i: Instruction, *, op: str) -> None:
    low, high = read_packed(e, i, F16, 2)
    write_packed(e, i, F16, extreme(e, F16, op, *low), extreme(e, F16, op, *high))


@semantics
def packed_extreme3_half(e: Emitter, i: Instruction, *, op: str) -> None:
    write_packed(e, i, F16, *(extreme3_nan(e, F16, op, side) for side in read_packed(e, i, F16, 3)))


@semantics
def packed_int_half(e: Emitter, i: Instruction, *, op: str, signed: bool) -> None:
    """``op``: add, sub, mul, mad, min, max, shl, lshr, ashr; shifts move S1 by S0."""
    results = []
    for side in read_packed(e, i, I16, 3 if op == "mad" else 2):
        results.append(_int_half(e, i, op, signed, side))
    write_packed(e, i, I16, *results)


def _int_half(e: Emitter, i: Instruction, op: str, signed: bool, side: list[str]) -> str:
    if op in ("min", "max"):
        return int_extreme_value(e, I16, op, signed, side[0], side[1])
    if op in ("add", "sub"):
        return saturating(e, i, op, I16, signed, side[0], side[1])
    if op in ("shl", "lshr", "ashr"):
        return e.binary(op, I16, side[1], e.binary("and", I16, side[0], splat(I16, 15)))
    if op == "mul":
        return e.binary("mul", I16, side[0], side[1])
    if "clamp" not in i.modifiers:
        return e.binary("add", I16, e.binary("mul", I16, side[0], side[1]), side[2])
    a, b, c = (e.convert("sext" if signed else "zext", I16, value, I64) for value in side)
    total = e.binary("add", I64, e.binary("mul", I64, a, b), c)
    return clamp_to_word(e, total, signed, I64, I16)


@semantics
def packed_float_single(e: Emitter, i: Instruction, *, op: str) -> None:
    """v_pk_add_f32 and its like: op_sel chooses the register of a pair; constants serve both."""
    count = 3 if op == "fma" else 2
    results = []
    for select, default, negate in (("op_sel", 0, "neg_lo"), ("op_sel_hi", 1, "neg_hi")):
        halves, signs = i.selectors(select, default, count), i.selectors(negate, 0, count)
        values = [e.read(_single(e, i.operands[1 + k], halves[k], bool(signs[k])), F32) for k in range(count)]
        results.append(arithmetic(e, op, F32, *values))
    for position, value in enumerate(results):
        e.write(e.part(i.operands[0], position), F32, value)


def _single(e: Emitter, operand: Operand, half: int, negate: bool) -> Operand:
    part = e.part(operand, half)
    return Operand(
        part.kind, part.index, part.count, part.name, part.value, part.number, negate != part.negate, part.absolute
    )


@semantics
def packed_move(e: Emitter, i: Instruction) -> None:
    """v_pk_mov_b32: op_sel[0] chooses of S0 for the low result, op_sel[1] of S1 for the high one."""
    select = i.selectors("op_sel", 0, 2)
    values = [e.read(e.part(i.operands[1 + k], select[k]), I32) for k in range(2)]
    for position, value in enumerate(values):
        e.write(e.part(i.operands[0], position), I32, value)


def mixed_operands(e: Emitter, i: Instruction) -> list[str]:
    """v_fma_mix: op_sel_hi makes an operand a half, op_sel then says which; neg_lo and neg_hi are neg and abs."""
    halves, upper = i.selectors("op_sel_hi", 0, 3), i.selectors("op_sel", 0, 3)
    values = []
    for position in range(3):
        operand = i.operands[1 + position]
        if halves[position]:
            half = e.read(operand, F16, high=bool(upper[position]))
            values.append(e.value(f"fpext {F16} {half} to {F32}"))
        else:
            values.append(e.read(operand, F32))
    return values


@semantics
def mixed_fma(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], F32, arithmetic(e, "fma", F32, *mixed_operands(e, i)))


@semantics
def mixed_fma_half(e: Emitter, i: Instruction, *, high: bool) -> None:
    """The result is rounded to a half; the other half is kept."""
    value = arithmetic(e, "fma", F32, *mixed_operands(e, i))
    e.write_half(i.operands[0], F16, narrow(e, F32, F16, value), high=high)
