"""Integer arithmetic of the VALU: add, subtract, multiply, minimum, maximum, sums of products."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction
from ..types import I1, I16, I32, I64, VectorType, splat
from .registry import semantics
from .valu_float import read_sources, write_result


def saturating(e: Emitter, i: Instruction, op: str, kind: VectorType, signed: bool, a: str, b: str) -> str:
    """``op`` add or sub; with ``clamp`` the result saturates."""
    if "clamp" in i.modifiers:
        return e.intrinsic(f"{'s' if signed else 'u'}{op}.sat", kind, a, b)
    return e.binary(op, kind, a, b)


@semantics
def int_add_sub(
    e: Emitter, i: Instruction, *, op: str, type: VectorType, signed: bool, reverse: bool = False, half: bool = False
) -> None:
    """``half``: the instruction is of the kind that keeps the upper half of its result."""
    a, b = read_sources(e, i, type, 2)
    if reverse:
        a, b = b, a
    write_result(e, i, type, saturating(e, i, op, type, signed, a, b), keeps_half=half)


@semantics
def int_add_carry(e: Emitter, i: Instruction) -> None:
    """v_add_co_u32 D, carry, S0, S1."""
    a, b = e.read(i.operands[2], I32), e.read(i.operands[3], I32)
    total = e.binary("add", I32, a, b)
    carry = e.compare("ult", I32, total, a)
    _write_carry(e, i, total, carry, saturated="-1")


@semantics
def int_sub_borrow(e: Emitter, i: Instruction, *, reverse: bool = False) -> None:
    a, b = e.read(i.operands[2], I32), e.read(i.operands[3], I32)
    if reverse:
        a, b = b, a
    _write_carry(e, i, e.binary("sub", I32, a, b), e.compare("ult", I32, a, b), saturated="0")


@semantics
def int_add_with_carry(e: Emitter, i: Instruction) -> None:
    """v_addc_co_u32 D, carry out, S0, S1, carry in."""
    a, b = e.read(i.operands[2], I32), e.read(i.operands[3], I32)
    carry = e.convert("zext", I1, e.lane_mask(i.operands[4]), I32)
    total = e.binary("add", I32, a, b)
    result = e.binary("add", I32, total, carry)
    overflow = e.binary("or", I1, e.compare("ult", I32, total, a), e.compare("ult", I32, result, total))
    _write_carry(e, i, result, overflow, saturated="-1")


@semantics
def int_sub_with_borrow(e: Emitter, i: Instruction, *, reverse: bool = False) -> None:
    a, b = e.read(i.operands[2], I32), e.read(i.operands[3], I32)
    if reverse:
        a, b = b, a
    borrow = e.convert("zext", I1, e.lane_mask(i.operands[4]), I32)
    difference = e.binary("sub", I32, a, b)
    result = e.binary("sub", I32, difference, borrow)
    below = e.binary("or", I1, e.compare("ult", I32, a, b), e.compare("ult", I32, difference, borrow))
    _write_carry(e, i, result, below, saturated="0")


def _write_carry(e: Emitter, i: Instruction, result: str, carry: str, saturated: str) -> None:
    if "clamp" in i.modifiers:
        result = e.select(carry, I32, splat(I32, int(saturated)), result)
    e.write_lane_mask(i.operands[1], carry)
    e.write(i.operands[0], I32, result)


@semantics
def int_multiply(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """The low half of the product."""
    a, b = read_sources(e, i, type, 2)
    e.write(i.operands[0], type, e.binary("mul", type, a, b))


def widened_product(e: Emitter, signed: bool, a: str, b: str) -> str:
    """The 64-bit product of two 32-bit values."""
    extend = "sext" if signed else "zext"
    return e.binary("mul", I64, e.convert(extend, I32, a, I64), e.convert(extend, I32, b, I64))


def high_word(e: Emitter, product: str) -> str:
    return e.value(f"trunc {I64} {e.binary('lshr', I64, product, splat(I64, 32))} to {I32}")


@semantics
def int_multiply_high(e: Emitter, i: Instruction, *, signed: bool) -> None:
    a, b = read_sources(e, i, I32, 2)
    e.write(i.operands[0], I32, high_word(e, widened_product(e, signed, a, b)))


def _low24(e: Emitter, signed: bool, value: str) -> str:
    left = e.binary("shl", I32, value, splat(I32, 8))
    return e.binary("ashr" if signed else "lshr", I32, left, splat(I32, 8))


@semantics
def int_multiply24(e: Emitter, i: Instruction, *, signed: bool, high: bool = False, add: bool = False) -> None:
    """Products of 24-bit values: the low or high word, or the low word plus S2."""
    a, b = (_low24(e, signed, value) for value in read_sources(e, i, I32, 2))
    if high:
        e.write(i.operands[0], I32, high_word(e, widened_product(e, signed, a, b)))
        return
    if not add:
        e.write(i.operands[0], I32, e.binary("mul", I32, a, b))
        return
    c = e.read(i.operands[3], I32)
    if "clamp" in i.modifiers:
        extend = "sext" if signed else "zext"
        total = e.binary("add", I64, widened_product(e, signed, a, b), e.convert(extend, I32, c, I64))
        e.write(i.operands[0], I32, clamp_to_word(e, total, signed, I64, I32))
    else:
        e.write(i.operands[0], I32, e.binary("add", I32, e.binary("mul", I32, a, b), c))


def clamp_to_word(e: Emitter, value: str, signed: bool, wide: VectorType, narrow: VectorType) -> str:
    """``value`` of type ``wide`` saturated to ``narrow``; unsigned sums are never negative."""
    bits = narrow.bits
    if signed:
        value = e.intrinsic("smin", wide, value, splat(wide, (1 << (bits - 1)) - 1))
        value = e.intrinsic("smax", wide, value, splat(wide, -(1 << (bits - 1))))
    else:
        value = e.intrinsic("umin", wide, value, splat(wide, (1 << bits) - 1))
    return e.value(f"trunc {wide} {value} to {narrow}")


@semantics
def int_mad64(e: Emitter, i: Instruction, *, signed: bool) -> None:
    """v_mad_u64_u32 D(64), carry, S0, S1, S2(64)."""
    a, b, c = e.read(i.operands[2], I32), e.read(i.operands[3], I32), e.read(i.operands[4], I64)
    total = e.binary("add", I64, widened_product(e, signed, a, b), c)
    if signed:
        product = widened_product(e, signed, a, b)
        crossed = e.binary("and", I64, e.binary("xor", I64, total, product), e.binary("xor", I64, total, c))
        overflow = e.compare("slt", I64, crossed, splat(I64, 0))
        carry = e.compare("slt", I64, e.binary("xor", I64, crossed, total), splat(I64, 0))  # bit 64 of the sum
        limit = e.select(
            e.compare("slt", I64, c, splat(I64, 0)), I64, splat(I64, -(1 << 63)), splat(I64, (1 << 63) - 1)
        )
    else:
        carry = overflow = e.compare("ult", I64, total, c)
        limit = splat(I64, -1)
    if "clamp" in i.modifiers:
        total = e.select(overflow, I64, limit, total)
    e.write_lane_mask(i.operands[1], carry)
    e.write(i.operands[0], I64, total)


@semantics
def int_mad16(e: Emitter, i: Instruction, *, signed: bool, legacy: bool = False) -> None:
    """16-bit multiply and add."""
    a, b, c = read_sources(e, i, I16, 3)
    if "clamp" in i.modifiers:
        extend = "sext" if signed else "zext"
        x, y, z = (e.convert(extend, I16, value, I32) for value in (a, b, c))
        total = e.binary("add", I64, widened_product(e, signed, x, y), e.convert(extend, I32, z, I64))
        result = clamp_to_word(e, total, signed, I64, I16)
    else:
        result = e.binary("add", I16, e.binary("mul", I16, a, b), c)
    if legacy:
        e.write(i.operands[0], I16, result)
    else:
        write_result(e, i, I16, result)


@semantics
def int_mad32_16(e: Emitter, i: Instruction, *, signed: bool) -> None:
    """16-bit factors, 32-bit addend and result."""
    sel = i.selectors("op_sel", 0, 4)
    extend = "sext" if signed else "zext"
    a, b = (e.convert(extend, I16, e.read(i.operands[1 + k], I16, high=bool(sel[k])), I32) for k in (0, 1))
    c = e.read(i.operands[3], I32)
    if "clamp" in i.modifiers:
        total = e.binary("add", I64, widened_product(e, signed, a, b), e.convert(extend, I32, c, I64))
        e.write(i.operands[0], I32, clamp_to_word(e, total, signed, I64, I32))
    else:
        e.write(i.operands[0], I32, e.binary("add", I32, e.binary("mul", I32, a, b), c))


def int_extreme_value(e: Emitter, kind: VectorType, op: str, signed: bool, a: str, b: str) -> str:
    return e.intrinsic(f"{'s' if signed else 'u'}{op}", kind, a, b)


@semantics
def int_extreme(e: Emitter, i: Instruction, *, op: str, type: VectorType, signed: bool) -> None:
    a, b = read_sources(e, i, type, 2)
    write_result(e, i, type, int_extreme_value(e, type, op, signed, a, b))


@semantics
def int_extreme3(e: Emitter, i: Instruction, *, op: str, type: VectorType, signed: bool) -> None:
    a, b, c = read_sources(e, i, type, 3)
    value = int_extreme_value(e, type, op, signed, int_extreme_value(e, type, op, signed, a, b), c)
    write_result(e, i, type, value, keeps_half=True)


@semantics
def int_median(e: Emitter, i: Instruction, *, type: VectorType, signed: bool) -> None:
    a, b, c = read_sources(e, i, type, 3)
    low = int_extreme_value(e, type, "min", signed, a, b)
    high = int_extreme_value(e, type, "max", signed, a, b)
    capped = int_extreme_value(e, type, "min", signed, high, c)
    write_result(e, i, type, int_extreme_value(e, type, "max", signed, low, capped), keeps_half=True)


def _with_clamp(e: Emitter, i: Instruction, name: str, kind: VectorType, count: int, *places: str) -> list[str]:
    """``w2w_<name>(clamp, places..., result)``: ``count`` results."""
    result = e.temporary(kind, count)
    clamp = str(int("clamp" in i.modifiers))
    e.call_void(f"w2w_{name}", ("i32", clamp), *(("ptr", place) for place in [*places, result]))
    return e.reload(result, kind, count)


@semantics
def int_sad(e: Emitter, i: Instruction, *, op: str) -> None:
    """Sums of absolute differences, by a helper; ``op``: u8, hi_u8, u16, u32, masked_u8."""
    places = [e.spill(I32, value) for value in read_sources(e, i, I32, 3)]
    e.write(i.operands[0], I32, _with_clamp(e, i, f"sad_{op}", I32, 1, *places)[0])


@semantics
def int_lerp(e: Emitter, i: Instruction) -> None:
    values = read_sources(e, i, I32, 3)
    e.write(i.operands[0], I32, e.lane_helper("lerp_u8", [I32], *((I32, value) for value in values))[0])


@semantics
def int_quad_sad(e: Emitter, i: Instruction, *, op: str) -> None:
    """Four sums over a sliding window; ``op``: qsad, mqsad (16-bit sums) or mqsad_u32."""
    places = [e.spill(I64, e.read(i.operands[1], I64)), e.spill(I32, e.read(i.operands[2], I32))]
    if op == "mqsad_u32":
        sums = [e.read_all_lanes(i.operands[3], k) for k in range(4)]
        for k, value in enumerate(_with_clamp(e, i, op, I32, 4, *places, e.spill(I32, *sums))):
            e.write_bits(e.part(i.operands[0], k), value)
        return
    places.append(e.spill(I64, e.read(i.operands[3], I64)))
    e.write(i.operands[0], I64, _with_clamp(e, i, f"{op}_u16", I64, 1, *places)[0])
