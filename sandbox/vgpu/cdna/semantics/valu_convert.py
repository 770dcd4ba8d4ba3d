"""Conversions between number formats."""

from __future__ import annotations

from ..emitter import Emitter
from ..float_mode import ROUND_TO_NEAREST
from ..instruction import Instruction
from ..types import F16, F32, F64, I8, I16, I32, VectorType, splat
from .registry import semantics
from .valu_float import read_sources

_TO_ZERO = 3


def narrow(e: Emitter, source: VectorType, target: VectorType, value: str, rounding: int | None = None) -> str:
    """A float to a narrower format; ``rounding`` overrides the mode. Double to half goes by a helper."""
    mode = e.mode.rounding(target) if rounding is None else rounding
    if mode == ROUND_TO_NEAREST and (source, target) in ((F32, F16), (F64, F32)):
        return e.value(f"fptrunc {source} {value} to {target}")
    amount = str(mode) if mode is not None else e.mode.rounding_value(e, target)
    place, result = e.spill(source, value), e.temporary(target)
    name = f"w2w_narrow_{source.suffix[3:]}_{target.suffix[3:]}"
    e.call_void(name, ("i32", amount), ("ptr", place), ("ptr", result))
    return e.reload(result, target)[0]


@semantics
def convert_float(e: Emitter, i: Instruction, *, source: VectorType, target: VectorType) -> None:
    (value,) = read_sources(e, i, source, 1)
    if target.bits > source.bits:
        result = e.value(f"fpext {source} {value} to {target}")
    else:
        result = narrow(e, source, target, value)
    e.write(i.operands[0], target, result)


@semantics
def convert_int_to_float(e: Emitter, i: Instruction, *, source: VectorType, target: VectorType, signed: bool) -> None:
    value = e.read(i.operands[1], source)
    if e.mode.rounding(target) != ROUND_TO_NEAREST and target is not F64:
        value = e.convert("sext" if signed else "zext", source, value, I32)
        double = e.value(f"{'sitofp' if signed else 'uitofp'} {I32} {value} to {F64}")
        result = narrow(e, F64, target, double)
    else:
        result = e.value(f"{'sitofp' if signed else 'uitofp'} {source} {value} to {target}")
    e.write(i.operands[0], target, result)


@semantics
def convert_float_to_int(e: Emitter, i: Instruction, *, source: VectorType, target: VectorType, signed: bool) -> None:
    """Towards zero; out of range saturates, NaN gives 0."""
    (value,) = read_sources(e, i, source, 1)
    e.write(i.operands[0], target, saturate(e, source, target, signed, value))


def saturate(e: Emitter, source: VectorType, target: VectorType, signed: bool, value: str) -> str:
    name = f"llvm.fpto{'s' if signed else 'u'}i.sat.{target.suffix}.{source.suffix}"
    return e.call(name, str(target), (str(source), value))


@semantics
def convert_rounded_to_int(e: Emitter, i: Instruction, *, up: bool) -> None:
    """v_cvt_flr_i32_f32: floor; v_cvt_rpi_i32_f32: floor(x + 0.5)."""
    (value,) = read_sources(e, i, F32, 1)
    if up:
        value = e.binary("fadd", F32, value, splat(F32, "0.5"))
    e.write(i.operands[0], I32, saturate(e, F32, I32, True, e.intrinsic("floor", F32, value)))


@semantics
def convert_byte(e: Emitter, i: Instruction, *, byte: int) -> None:
    """v_cvt_f32_ubyte0 to 3."""
    value = e.binary("lshr", I32, e.read(i.operands[1], I32), splat(I32, 8 * byte))
    value = e.binary("and", I32, value, splat(I32, 255))
    e.write(i.operands[0], F32, e.value(f"uitofp {I32} {value} to {F32}"))


@semantics
def convert_nibble_offset(e: Emitter, i: Instruction) -> None:
    """v_cvt_off_f32_i4: the low four bits, signed, divided by 16."""
    value = e.binary("ashr", I32, e.binary("shl", I32, e.read(i.operands[1], I32), splat(I32, 28)), splat(I32, 28))
    number = e.value(f"sitofp {I32} {value} to {F32}")
    e.write(i.operands[0], F32, e.binary("fmul", F32, number, splat(F32, "0.0625")))


def pack_halves(e: Emitter, kind: VectorType, low: str, high: str) -> str:
    """Two 16-bit values to one 32-bit one."""
    parts = []
    for value in (low, high):
        bits = e.value(f"bitcast {kind} {value} to {I16}") if kind.is_float else value
        parts.append(e.value(f"zext {I16} {bits} to {I32}"))
    return e.binary("or", I32, parts[0], e.binary("shl", I32, parts[1], splat(I32, 16)))


@semantics
def convert_pack_half(e: Emitter, i: Instruction, *, to_zero: bool) -> None:
    """Two singles to packed halves, towards zero or to nearest even, whatever the rounding mode."""
    rounding = _TO_ZERO if to_zero else ROUND_TO_NEAREST
    low, high = (narrow(e, F32, F16, value, rounding) for value in read_sources(e, i, F32, 2))
    e.write(i.operands[0], I32, pack_halves(e, F16, low, high))


@semantics
def convert_pack_int(e: Emitter, i: Instruction, *, signed: bool) -> None:
    """v_cvt_pk_i16_i32 and u16: saturated."""
    parts = []
    for value in read_sources(e, i, I32, 2):
        if signed:
            value = e.intrinsic("smax", I32, e.intrinsic("smin", I32, value, splat(I32, 32767)), splat(I32, -32768))
        else:
            value = e.intrinsic("umin", I32, value, splat(I32, 65535))
        parts.append(e.value(f"trunc {I32} {value} to {I16}"))
    e.write(i.operands[0], I32, pack_halves(e, I16, *parts))


@semantics
def convert_norm(e: Emitter, i: Instruction, *, source: VectorType, signed: bool, packed: bool) -> None:
    """To normalised 16-bit integers: times 32767 or 65535, to nearest even."""
    parts = []
    for value in read_sources(e, i, source, 2 if packed else 1):
        wide = e.convert("fpext", source, value, F32)
        scaled = e.binary("fmul", F32, wide, splat(F32, "32767.0" if signed else "65535.0"))
        limit_low, limit_high = ("-32767.0", "32767.0") if signed else ("0.0", "65535.0")
        bounded = e.intrinsic("minimumnum", F32, scaled, splat(F32, limit_high))
        bounded = e.intrinsic("maximumnum", F32, bounded, splat(F32, limit_low))
        nan = e.compare("uno", F32, wide, wide)
        bounded = e.select(nan, F32, splat(F32, 0), e.intrinsic("roundeven", F32, bounded))
        parts.append(saturate(e, F32, I16, signed, bounded))
    if packed:
        e.write(i.operands[0], I32, pack_halves(e, I16, *parts))
    else:
        e.write(i.operands[0], I16, parts[0])


@semantics
def convert_pack_byte(e: Emitter, i: Instruction, *, accumulate: bool = False) -> None:
    """v_cvt_pk_u8_f32: S0 as a byte into byte S1[1:0] of S2; v_cvt_pkaccum_u8_f32: of the result register."""
    value, where = e.read(i.operands[1], F32), e.read(i.operands[2], I32)
    into = e.read(i.operands[0] if accumulate else i.operands[3], I32)
    byte = e.convert("zext", I8, saturate(e, F32, I8, False, e.intrinsic("roundeven", F32, value)), I32)
    shift = e.binary("shl", I32, e.binary("and", I32, where, splat(I32, 3)), splat(I32, 3))
    kept = e.binary("and", I32, into, e.invert(I32, e.binary("shl", I32, splat(I32, 255), shift)))
    e.write(i.operands[0], I32, e.binary("or", I32, kept, e.binary("shl", I32, byte, shift)))


# ---- bfloat16 -----------------------------------------------------------------------------------------------------


@semantics
def convert_from_bf16(e: Emitter, i: Instruction) -> None:
    bits = e.convert("zext", I16, e.read_bits(i.operands[1], I16), I32)
    value = e.value(f"bitcast {I32} {e.binary('shl', I32, bits, splat(I32, 16))} to {F32}")
    e.write(i.operands[0], F32, e.apply_sign_modifiers(i.operands[1], F32, value))


@semantics
def convert_pack_bf16(e: Emitter, i: Instruction) -> None:
    """v_cvt_pk_bf16_f32, to nearest even."""
    low, high = read_sources(e, i, F32, 2)
    (result,) = e.lane_helper("pack_bf16", [I32], (F32, low), (F32, high))
    e.write(i.operands[0], I32, result)


@semantics
def convert_stochastic(e: Emitter, i: Instruction, *, format: str) -> None:
    """v_cvt_sr_bf16_f32 and f16: rounded by the random bits in S1; OPSEL[3] chooses the half of the result."""
    value, random = e.read(i.operands[1], F32), e.read(i.operands[2], I32)
    (result,) = e.lane_helper(f"stochastic_{format}", [I32], (F32, value), (I32, random))
    half = e.value(f"trunc {I32} {result} to {I16}")
    e.write_half(i.operands[0], I16, half, high=bool(i.word >> 14 & 1))


# ---- from 8-bit floats --------------------------------------------------------------------------------------------


def _float8(e: Emitter, format: str) -> str:
    """gfx942 has the FNUZ formats, gfx950 the OCP ones."""
    return f"{format}{'_ocp' if e.module.target == 'gfx950' else '_fnuz'}"


@semantics
def convert_from_float8(e: Emitter, i: Instruction, *, format: str, packed: bool) -> None:
    """``format``: fp8 or bf8. SDWA has chosen the byte or word; op_sel does so in VOP3."""
    name = f"from_{_float8(e, format)}"
    source = e.read_bits(i.operands[1], I32)
    select = i.selectors("op_sel", 0, 2)
    if i.encoding != "sdwa" and any(select):
        shift = 16 * select[0] if packed else 16 * select[0] + 8 * select[1]
        source = e.binary("lshr", I32, source, splat(I32, shift))
    first = e.lane_helper(name, [F32], (I32, source))[0]
    if not packed:
        e.write(i.operands[0], F32, first)
        return
    second = e.lane_helper(name, [F32], (I32, e.binary("lshr", I32, source, splat(I32, 8))))[0]
    for position, value in enumerate((first, second)):
        e.write(e.part(i.operands[0], position), F32, value)


@semantics
def pack_two_halves(e: Emitter, i: Instruction) -> None:
    """v_pack_b32_f16: halves of two registers, bits unchanged but for the modifiers."""
    low, high = (e.read_raw_float(i.operands[1 + k], F16, high=bool(i.selectors("op_sel", 0, 3)[k])) for k in range(2))
    e.write(i.operands[0], I32, pack_halves(e, F16, low, high))


def write_packed(e: Emitter, i: Instruction, kind: VectorType, low: str, high: str) -> None:
    """A result of two halves, with clamp."""
    parts = [e.mode.finish(e, kind, value) if kind.is_float else value for value in (low, high)]
    e.write(i.operands[0], I32, pack_halves(e, kind, *parts))
