"""Bit operations of the VALU: logic, shifts, fields, counting, permutation of bytes."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction
from ..types import I16, I32, I64, VectorType, lanes, splat
from .registry import semantics
from .valu_float import read_sources, write_result

_SHIFTS = {"lshl": "shl", "lshr": "lshr", "ashr": "ashr"}


@semantics
def bits_logic(e: Emitter, i: Instruction, *, op: str, invert: bool = False) -> None:
    a, b = read_sources(e, i, I32, 2)
    value = e.binary(op, I32, a, b)
    e.write(i.operands[0], I32, e.invert(I32, value) if invert else value)


@semantics
def bits_not(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], I32, e.invert(I32, e.read(i.operands[1], I32)))


def _amount(e: Emitter, value: str, bits: int = 32) -> str:
    return e.binary("and", I32, value, splat(I32, bits - 1))


@semantics
def bits_shift(e: Emitter, i: Instruction, *, op: str, type: VectorType) -> None:
    """v_lshlrev and its like: S1 shifted by S0, whose low bits count."""
    if type is I64:
        amount = e.convert("zext", I32, _amount(e, e.read(i.operands[1], I32), 64), I64)
    else:
        amount = e.binary("and", type, e.read(i.operands[1], type), splat(type, type.bits - 1))
    e.write(i.operands[0], type, e.binary(_SHIFTS[op], type, e.read(i.operands[2], type), amount))


@semantics
def bits_ternary(e: Emitter, i: Instruction, *, first: str, second: str) -> None:
    """(S0 first S1) second S2, e.g. v_and_or_b32; a shift takes the low five bits of its right operand."""
    a, b, c = read_sources(e, i, I32, 3)
    inner = e.binary(first, I32, a, _amount(e, b) if first == "shl" else b)
    e.write(i.operands[0], I32, e.binary(second, I32, inner, _amount(e, c) if second == "shl" else c))


@semantics
def bits_shift_add64(e: Emitter, i: Instruction) -> None:
    """(S0 << S1[2:0]) + S2, 64 bits wide; amounts above 4 count as 0 (CDNA4 ISA, V_LSHL_ADD_U64)."""
    low = _amount(e, e.read(i.operands[2], I32), 8)
    low = e.select(e.compare("ugt", I32, low, splat(I32, 4)), I32, splat(I32, 0), low)
    amount = e.convert("zext", I32, low, I64)
    shifted = e.binary("shl", I64, e.read(i.operands[1], I64), amount)
    e.write(i.operands[0], I64, e.binary("add", I64, shifted, e.read(i.operands[3], I64)))


@semantics
def bits_field_extract(e: Emitter, i: Instruction, *, signed: bool) -> None:
    """S2[4:0] bits from bit S1[4:0]; beyond bit 31 there are zeros (or signs)."""
    value, offset, width = read_sources(e, i, I32, 3)
    offset, width = _amount(e, offset), _amount(e, width)
    shifted = e.binary("ashr" if signed else "lshr", I32, value, offset)
    mask = e.binary("sub", I32, e.binary("shl", I32, splat(I32, 1), width), splat(I32, 1))
    field = e.binary("and", I32, shifted, mask)
    if signed:
        sign = e.binary("lshr", I32, e.binary("shl", I32, splat(I32, 1), width), splat(I32, 1))
        field = e.binary("sub", I32, e.binary("xor", I32, field, sign), sign)
    e.write(i.operands[0], I32, field)


@semantics
def bits_field_insert(e: Emitter, i: Instruction) -> None:
    """(S0 & S1) | (~S0 & S2)."""
    mask, yes, no = read_sources(e, i, I32, 3)
    kept = e.binary("and", I32, e.invert(I32, mask), no)
    e.write(i.operands[0], I32, e.binary("or", I32, e.binary("and", I32, mask, yes), kept))


@semantics
def bits_field_mask(e: Emitter, i: Instruction) -> None:
    """((1 << S0[4:0]) - 1) << S1[4:0]."""
    width, offset = (_amount(e, value) for value in read_sources(e, i, I32, 2))
    ones = e.binary("sub", I32, e.binary("shl", I32, splat(I32, 1), width), splat(I32, 1))
    e.write(i.operands[0], I32, e.binary("shl", I32, ones, offset))


@semantics
def bits_op3(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """Any function of three bits: ``bitop3`` is its truth table, S0 the most significant."""
    values = read_sources(e, i, type, 3)
    inverted = [e.invert(type, value) for value in values]
    table = i.number("bitop3")
    result = splat(type, 0)
    for row in range(8):
        if table >> row & 1:
            a, b, c = ((values if row >> (2 - k) & 1 else inverted)[k] for k in range(3))
            result = e.binary("or", type, result, e.binary("and", type, e.binary("and", type, a, b), c))
    write_result(e, i, type, result, keeps_half=type is I16)


@semantics
def bits_align(e: Emitter, i: Instruction, *, unit: int) -> None:
    """{S0,S1} >> (unit * S2[4:0] or [1:0]): v_alignbit, v_alignbyte."""
    a, b, c = read_sources(e, i, I32, 3)
    if unit == 8:
        c = e.binary("shl", I32, _amount(e, c, 4), splat(I32, 3))
    e.write(i.operands[0], I32, e.intrinsic("fshr", I32, a, b, c))


@semantics
def bits_permute(e: Emitter, i: Instruction) -> None:
    """v_perm_b32: each byte of S2 chooses a byte of {S0,S1} or a constant."""
    values = read_sources(e, i, I32, 3)
    e.write(i.operands[0], I32, e.lane_helper("perm_b32", [I32], *((I32, value) for value in values))[0])


@semantics
def bits_reverse(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], I32, e.intrinsic("bitreverse", I32, e.read(i.operands[1], I32)))


@semantics
def bits_count(e: Emitter, i: Instruction) -> None:
    """Ones in S0, plus S1."""
    a, b = read_sources(e, i, I32, 2)
    e.write(i.operands[0], I32, e.binary("add", I32, e.intrinsic("ctpop", I32, a), b))


@semantics
def bits_count_below(e: Emitter, i: Instruction, *, high: bool) -> None:
    """v_mbcnt: ones of S0 in the places of the lanes below this one, plus S1."""
    a, b = read_sources(e, i, I32, 2)
    below = lanes(I32, [((1 << lane) - 1) >> (32 if high else 0) & 0xFFFFFFFF for lane in range(64)])
    e.write(i.operands[0], I32, e.binary("add", I32, e.intrinsic("ctpop", I32, e.binary("and", I32, a, below)), b))


@semantics
def bits_find(e: Emitter, i: Instruction, *, op: str, signed: bool = False) -> None:
    """First one from above (``op`` ctlz) or below (cttz); -1 if none. ``signed``: first bit unlike the sign."""
    value = e.read(i.operands[1], I32)
    if signed:
        value = e.binary("xor", I32, value, e.binary("ashr", I32, value, splat(I32, 31)))
    count = e.call(f"llvm.{op}.v64i32", str(I32), (str(I32), value), ("i1", "false"))
    none = e.compare("eq", I32, value, splat(I32, 0))
    e.write(i.operands[0], I32, e.select(none, I32, splat(I32, -1), count))


@semantics
def bits_saturate_pack(e: Emitter, i: Instruction) -> None:
    """v_sat_pk_u8_i16: two signed halves to two unsigned bytes."""
    source = i.operands[1]
    parts = []
    for high in (False, True):
        value = e.convert("sext", I16, e.read_bits(source, I16, high=high), I32)
        value = e.intrinsic("smin", I32, e.intrinsic("smax", I32, value, splat(I32, 0)), splat(I32, 255))
        parts.append(value)
    e.write(i.operands[0], I32, e.binary("or", I32, parts[0], e.binary("shl", I32, parts[1], splat(I32, 8))))


@semantics
def bits_shift_pack(e: Emitter, i: Instruction, *, signed: bool) -> None:
    """v_ashr_pk_i8_i32 and _u8: S0 and S1 shifted right by S2, saturated to bytes, in the low half."""
    a, b, c = read_sources(e, i, I32, 3)
    low, high = (-128, 127) if signed else (0, 255)
    parts = []
    for value in (a, b):
        shifted = e.binary("ashr", I32, value, _amount(e, c))
        shifted = e.intrinsic("smin", I32, e.intrinsic("smax", I32, shifted, splat(I32, low)), splat(I32, high))
        parts.append(e.binary("and", I32, shifted, splat(I32, 255)))
    packed = e.binary("or", I32, parts[0], e.binary("shl", I32, parts[1], splat(I32, 8)))
    write_result(e, i, I16, e.value(f"trunc {I32} {packed} to {I16}"), keeps_half=True)


@semantics
def bits_random(e: Emitter, i: Instruction) -> None:
    """v_prng_b32: one step of a 32-bit linear feedback shift register (CDNA4 ISA, V_PRNG_B32)."""
    value = e.read(i.operands[1], I32)
    negative = e.compare("slt", I32, value, splat(I32, 0))
    doubled = e.binary("shl", I32, value, splat(I32, 1))
    e.write(i.operands[0], I32, e.select(negative, I32, e.binary("xor", I32, doubled, splat(I32, 197)), doubled))


@semantics
def bits_partition(e: Emitter, i: Instruction) -> None:
    """v_screen_partition_4se_b32: a table of the low byte."""
    (result,) = e.lane_helper("screen_partition", [I32], (I32, e.read(i.operands[1], I32)))
    e.write(i.operands[0], I32, result)
