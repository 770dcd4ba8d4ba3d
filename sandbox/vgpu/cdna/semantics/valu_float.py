"""Float arithmetic: add, multiply, fma, minimum, maximum, rounding, and functions of one operand."""

from __future__ import annotations

from ..emitter import Emitter
from ..float_mode import ROUND_TO_NEAREST
from ..instruction import Instruction
from ..types import F16, F32, I16, I32, VectorType, splat
from .registry import semantics


def arithmetic(e: Emitter, operation: str, kind: VectorType, *values: str) -> str:
    """``operation`` (add, sub, mul, fma) in the current rounding mode."""
    if e.mode.rounding(kind) != ROUND_TO_NEAREST:
        return _rounded(e, operation, kind, *values)
    if operation == "fma":
        return fused(e, kind, *values)
    return e.binary(f"f{operation}", kind, *values)


def fused(e: Emitter, kind: VectorType, a: str, b: str, c: str) -> str:
    """a * b + c with one rounding, to nearest."""
    if kind is F16:
        return e.inline("fma.f16", F16, (F16, a), (F16, b), (F16, c))
    return e.intrinsic("fma", kind, a, b, c)


def _rounded(e: Emitter, operation: str, kind: VectorType, *values: str) -> str:
    """By a helper that takes the rounding mode."""
    rounding = e.mode.rounding_value(e, kind)
    places = [e.spill(kind, value) for value in values]
    result = e.temporary(kind)
    name = f"w2w_rounded_{operation}_{kind.suffix[3:]}"
    e.call_void(name, ("i32", rounding), *(("ptr", place) for place in [*places, result]))
    return e.reload(result, kind)[0]


def half_selected(i: Instruction, position: int) -> bool:
    """Whether op_sel makes source ``position`` (from 0) the upper half of its register."""
    return bool(i.selectors("op_sel", 0, 4)[position])


def read_sources(e: Emitter, i: Instruction, kind: VectorType, count: int) -> list[str]:
    """The sources after the result, as ``kind``, with op_sel for 16-bit types."""
    return [
        e.read(i.operands[1 + position], kind, high=kind.bits == 16 and half_selected(i, position))
        for position in range(count)
    ]


def write_result(e: Emitter, i: Instruction, kind: VectorType, value: str, *, keeps_half: bool = False) -> None:
    """The result, with op_sel for 16-bit types. ``keeps_half``: the unselected half is kept even if it is the upper."""
    destination = i.operands[0]
    count = len(i.operands) - 1
    high = kind.bits == 16 and "op_sel" in i.modifiers and bool(i.selectors("op_sel", 0, count + 1)[count])
    if kind.bits == 16 and (high or keeps_half):
        e.write_half(destination, kind, value, high=high)
    else:
        e.write(destination, kind, value)


@semantics
def float_binary(e: Emitter, i: Instruction, *, op: str, type: VectorType, reverse: bool = False) -> None:
    """``op``: add, sub, mul. ``reverse``: the operands change places."""
    a, b = read_sources(e, i, type, 2)
    write_result(e, i, type, arithmetic(e, op, type, *((b, a) if reverse else (a, b))))


@semantics
def float_multiply_legacy(e: Emitter, i: Instruction) -> None:
    """0 times anything is 0."""
    a, b = read_sources(e, i, F32, 2)
    product = arithmetic(e, "mul", F32, a, b)
    zero = e.binary("or", "<64 x i1>", e.compare("oeq", F32, a, splat(F32, 0)), e.compare("oeq", F32, b, splat(F32, 0)))
    e.write(i.operands[0], F32, e.select(zero, F32, "zeroinitializer", product))


@semantics
def float_fma(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    write_result(e, i, type, arithmetic(e, "fma", type, *read_sources(e, i, type, 3)))


@semantics
def float_fmac(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """The result register is the addend."""
    a, b = read_sources(e, i, type, 2)
    e.write(i.operands[0], type, arithmetic(e, "fma", type, a, b, e.read(i.operands[0], type)))


@semantics
def float_mad(e: Emitter, i: Instruction, *, type: VectorType, keeps_half: bool = False) -> None:
    """Multiply, round, add, round."""
    a, b, c = read_sources(e, i, type, 3)
    value = arithmetic(e, "add", type, arithmetic(e, "mul", type, a, b), c)
    write_result(e, i, type, value, keeps_half=keeps_half)


@semantics
def float_mac(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """As float_mad with the result register as addend; the upper half is kept (LLVM, zeroesHigh16BitsOfDest)."""
    a, b = read_sources(e, i, type, 2)
    product = arithmetic(e, "mul", type, a, b)
    e.write_half(i.operands[0], type, arithmetic(e, "add", type, product, e.read(i.operands[0], type)), high=False)


def extreme(e: Emitter, kind: VectorType, op: str, a: str, b: str) -> str:
    """``op`` min or max: a NaN loses against a number, but in IEEE mode a signalling one wins and becomes quiet; -0 is
    below +0."""
    short = kind.suffix[3:]
    if a == b:  # how compilers canonicalise
        return e.inline(f"quiet.{short}", kind, (kind, a)) if e.mode.ieee else a
    return e.inline(f"{'ieee_' if e.mode.ieee else ''}{op}.{short}", kind, (kind, a), (kind, b))


@semantics
def float_extreme(e: Emitter, i: Instruction, *, op: str, type: VectorType) -> None:
    write_result(e, i, type, extreme(e, type, op, *read_sources(e, i, type, 2)))


def extreme3(e: Emitter, kind: VectorType, op: str, values: list[str]) -> str:
    return extreme(e, kind, op, extreme(e, kind, op, values[0], values[1]), values[2])


@semantics
def float_extreme3(e: Emitter, i: Instruction, *, op: str, type: VectorType) -> None:
    write_result(e, i, type, extreme3(e, type, op, read_sources(e, i, type, 3)), keeps_half=True)


def extreme3_nan(e: Emitter, kind: VectorType, op: str, values: list[str]) -> str:
    """IEEE 754-2019 minimum and maximum of three: a NaN wins, whatever the IEEE mode."""
    name = f"{op}imum.{kind.suffix[3:]}"
    first = e.inline(name, kind, (kind, values[0]), (kind, values[1]))
    return e.inline(name, kind, (kind, first), (kind, values[2]))


@semantics
def float_extreme3_nan(e: Emitter, i: Instruction, *, op: str, type: VectorType) -> None:
    write_result(e, i, type, extreme3_nan(e, type, op, read_sources(e, i, type, 3)))


def median(e: Emitter, kind: VectorType, values: list[str]) -> str:
    """The greater of the two that are left without the greatest; with a NaN among them the minimum (CDNA4 ISA,
    V_MED3_F32). Zeros of either sign are equal here."""
    a, b, c = values
    greatest = extreme3(e, kind, "max", values)
    without = [extreme(e, kind, "max", *pair) for pair in ((b, c), (a, c), (a, b))]
    is_b = e.select(e.compare("oeq", kind, greatest, b), kind, without[1], without[2])
    number = e.select(e.compare("oeq", kind, greatest, a), kind, without[0], is_b)
    nan = e.binary("or", "<64 x i1>", e.compare("uno", kind, a, b), e.compare("uno", kind, c, c))
    return e.select(nan, kind, extreme3(e, kind, "min", values), number)


@semantics
def float_median(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    write_result(e, i, type, median(e, type, read_sources(e, i, type, 3)), keeps_half=True)


@semantics
def float_round(e: Emitter, i: Instruction, *, op: str, type: VectorType) -> None:
    """``op``: LLVM's name of a rounding to an integral value."""
    (value,) = read_sources(e, i, type, 1)
    e.write(i.operands[0], type, e.intrinsic(op, type, value))


@semantics
def float_fract(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    (value,) = read_sources(e, i, type, 1)
    e.write(i.operands[0], type, e.inline(f"fract.{type.suffix[3:]}", type, (type, value)))


@semantics
def float_unary(e: Emitter, i: Instruction, *, op: str, type: VectorType) -> None:
    """A function of one operand that a helper computes, e.g. ``w2w_rcp_f32``."""
    (value,) = read_sources(e, i, type, 1)
    e.write(i.operands[0], type, e.lane_helper(f"{op}_{type.suffix[3:]}", [type], (type, value))[0])


@semantics
def float_sqrt(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    (value,) = read_sources(e, i, type, 1)
    e.write(i.operands[0], type, e.intrinsic("sqrt", type, value))


@semantics
def float_ldexp(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """Times two to the power of an integer, 16 bits wide for halves."""
    value = e.read(i.operands[1], type)
    if type is F16:
        exponent = e.value(f"sext {I16} {e.read(i.operands[2], I16)} to {I32}")
    else:
        exponent = e.read(i.operands[2], I32)
    e.write(i.operands[0], type, e.lane_helper(f"ldexp_{type.suffix[3:]}", [type], (type, value), (I32, exponent))[0])


@semantics
def float_frexp_mantissa(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    (value,) = read_sources(e, i, type, 1)
    e.write(i.operands[0], type, e.lane_helper(f"frexp_mant_{type.suffix[3:]}", [type], (type, value))[0])


@semantics
def float_frexp_exponent(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """A 32-bit integer, for halves a 16-bit one."""
    (value,) = read_sources(e, i, type, 1)
    (exponent,) = e.lane_helper(f"frexp_exp_{type.suffix[3:]}", [I32], (type, value))
    if type is F16:
        e.write(i.operands[0], I16, e.value(f"trunc {I32} {exponent} to {I16}"))
    else:
        e.write(i.operands[0], I32, exponent)


@semantics
def float_cube(e: Emitter, i: Instruction, *, op: str) -> None:
    """Cube map coordinates; ``op``: id, sc, tc, ma."""
    values = read_sources(e, i, F32, 3)
    e.write(i.operands[0], F32, e.lane_helper(f"cube{op}_f32", [F32], *((F32, value) for value in values))[0])
