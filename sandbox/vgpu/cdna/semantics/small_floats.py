"""Conversions to and from floats of 4, 6 and 8 bits, with scales and random rounding (CDNA4 ISA, "BF8 / FP8 and Smaller
Formats and Conversions")."""

from __future__ import annotations

from .. import wave_layout
from ..emitter import Emitter
from ..instruction import Instruction, Operand
from ..types import F32, I16, I32, splat
from .registry import semantics

_NUMBERS = {"fp8": 0, "bf8": 1, "fp6": 2, "bf6": 3, "fp4": 4}
_FNUZ = {"fp8": 5, "bf8": 6}
"""Numbers of the formats in simt/helpers_small_floats.h; gfx942 has its own 8-bit ones."""
_BITS = {"fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}
_TYPES = {"f32": 0, "f16": 1, "bf16": 2}
_SATURATION = 23
"""MODE.FP16_OVFL: too large 8-bit floats become the largest number."""


def _kind(e: Emitter, format: str, type: str, count: int, stochastic: bool = False) -> int:
    number = _NUMBERS[format] if e.module.target == "gfx950" else _FNUZ[format]
    return number | _TYPES[type] << 4 | count << 8 | int(stochastic) << 16


def _with_saturation(e: Emitter, kind: int, format: str) -> str:
    if _BITS[format] != 8:
        return str(kind)
    flag = e.binary("lshr", "i32", e.load_wave("i32", wave_layout.MODE), str(_SATURATION))
    return e.binary("or", "i32", e.binary("shl", "i32", e.binary("and", "i32", flag, "1"), "17"), str(kind))


def _op_sel(i: Instruction) -> int:
    """The four bits of OPSEL, which the assembler spells differently from one instruction to the next."""
    return i.word >> 11 & 15


def _elements(e: Emitter, operand: Operand, type: str, count: int) -> list[str]:
    """Registers that hold ``count`` elements. Singles have modifiers, and denormals as MODE says."""
    if type == "f32":
        values = [e.read(e.part(operand, k), F32) for k in range(count)]
        return [e.value(f"bitcast {F32} {value} to {I32}") for value in values]
    return [e.read_bits(e.part(operand, k), I32) for k in range((count + 1) // 2)]


def _scale(e: Emitter, operand: Operand) -> str:
    """Of a float constant the exponent counts, as of a register."""
    return e.spill(I32, e.read_bits(operand, F32))


@semantics
def small_pack(
    e: Emitter,
    i: Instruction,
    *,
    format: str,
    type: str,
    count: int,
    sources: int = 1,
    stochastic: bool = False,
    scaled: bool = False,
) -> None:
    """``count`` elements of ``type`` from ``sources`` operands, which take turns; then the seed if ``stochastic``, and
    the scale if ``scaled``."""
    each = [_elements(e, operand, type, count // sources) for operand in i.operands[1 : 1 + sources]]
    registers = [value for turn in zip(*each, strict=True) for value in turn]
    rest = list(i.operands[1 + sources :])
    seeds = e.spill(I32, e.read_bits(rest.pop(0), I32)) if stochastic else "null"
    scales = _scale(e, rest.pop(0)) if scaled else "null"
    width = _BITS[format] * count
    result = e.temporary(I32, (width + 31) // 32)
    kind = _with_saturation(e, _kind(e, format, type, count, stochastic), format)
    places = [e.spill(I32, *registers), scales, seeds, result]
    e.call_void("w2w_small_pack", ("i32", kind), *(("ptr", place) for place in places))
    _write_part(e, i, width, e.reload(result, I32, (width + 31) // 32))


def _write_part(e: Emitter, i: Instruction, width: int, values: list[str]) -> None:
    """Bytes and halves go where OPSEL says, and the rest of the register is kept."""
    destination = i.operands[0]
    if width == 16:
        e.write_half(destination, I16, _low_half(e, values[0]), high=bool(_op_sel(i) & 8))
    elif width == 8:
        shift = 8 * (_op_sel(i) >> 2)
        old = e.binary("and", I32, e.read_bits(destination, I32), splat(I32, ~(255 << shift) & 0xFFFFFFFF))
        new = e.binary("shl", I32, values[0], splat(I32, shift))
        e.write_bits(destination, e.binary("or", I32, old, new))
    else:
        for position, value in enumerate(values):
            e.write_bits(e.part(destination, position), value)


@semantics
def small_unpack(e: Emitter, i: Instruction, *, format: str, type: str, count: int) -> None:
    """``count`` elements to ``type``, times a scale. Of one register, OPSEL chooses the byte or half that they are in;
    OPSEL[3] chooses where a single half goes."""
    width = _BITS[format] * count
    values = [e.read_bits(e.part(i.operands[1], k), I32) for k in range((width + 31) // 32)]
    if width <= 16:
        shift = 8 * (_op_sel(i) & 3) if width == 8 else 16 * (_op_sel(i) & 1)
        values = [e.binary("lshr", I32, values[0], splat(I32, shift))]
    registers = count if type == "f32" else (count + 1) // 2
    result = e.temporary(I32, registers)
    places = [e.spill(I32, *values), _scale(e, i.operands[2]), result]
    e.call_void("w2w_small_unpack", ("i32", str(_kind(e, format, type, count))), *(("ptr", place) for place in places))
    for position, value in enumerate(e.reload(result, I32, registers)):
        target = e.part(i.operands[0], position)
        if type == "f32":
            e.write(target, F32, e.value(f"bitcast {I32} {value} to {F32}"))
        elif count == 1:
            e.write_half(target, I16, _low_half(e, value), high=bool(_op_sel(i) & 8))
        else:
            e.write_bits(target, value)


def _low_half(e: Emitter, value: str) -> str:
    return e.value(f"trunc {I32} {value} to {I16}")
