"""Data-parallel primitives: src0 comes from another lane (CDNA3 ISA, "Data Parallel Primitives")."""

from __future__ import annotations

from dataclasses import replace

from . import wave_layout
from .emitter import Emitter
from .errors import UnsupportedFormError
from .instruction import Instruction, Operand, OperandKind
from .types import I1, I32, I64, LANES
from .undefined_values import Shadow

_ROW = 16
_CONTROLS = [
    "quad_perm",
    "row_shl",
    "row_shr",
    "row_ror",
    "wave_shl",
    "wave_rol",
    "wave_shr",
    "wave_ror",
    "row_mirror",
    "row_half_mirror",
    "row_bcast",
    "row_newbcast",
]


def apply_dpp(emitter: Emitter, instruction: Instruction, position: int) -> Instruction:
    """Replace src0 by its permuted value and narrow EXEC to the lanes that are written.

    A source lane that does not exist or is not in EXEC reads 0 with bound_ctrl, and disables its reader without.
    """
    sources = source_lanes(instruction)
    enabled = _enabled_lanes(instruction)
    index = "<" + ", ".join(f"i32 {LANES if lane is None else lane}" for lane in sources) + ">"
    operand = instruction.operands[position]
    valid = emitter.value(
        f"shufflevector {I1} {emitter.mask_of(emitter.exec)}, {I1} zeroinitializer, <64 x i32> {index}"
    )
    zero_invalid = "bound_ctrl" in instruction.modifiers
    parts = [
        _permute(emitter, emitter.read_all_lanes(operand, offset), index, valid if zero_invalid else None)
        for offset in range(operand.count)
    ]
    mask = emitter.binary("and", "i64", emitter.exec, str(_signed(enabled)))
    if not zero_invalid:
        mask = emitter.binary("and", "i64", mask, emitter.value(f"bitcast {I1} {valid} to i64"))
    emitter.exec_override = mask
    value = parts[0] if operand.count == 1 else emitter.inline("pair", I64, (I32, parts[0]), (I32, parts[1]))
    if emitter.undefined is not None:
        _note_moved(emitter, operand, index, valid if zero_invalid else None)
    computed = Operand(
        OperandKind.COMPUTED,
        count=operand.count,
        name=value,
        negate=operand.negate,
        absolute=operand.absolute,
    )
    operands = list(instruction.operands)
    operands[position] = computed
    return replace(instruction, operands=tuple(operands))


def _note_moved(emitter: Emitter, operand: Operand, index: str, valid: str | None) -> None:
    """Who reads the lane of a work-item that is off gets 0 with bound_ctrl, which nobody means to read; without, it is
    not written. ``valid``: with bound_ctrl, the lanes that read one that is on."""
    undefined = emitter.undefined
    assert undefined is not None
    shadow = Shadow()
    for position in range(operand.count):
        part = undefined.of_operand(emitter.part(operand, position))
        shadow = Shadow(
            undefined.either(shadow.tainted, undefined.permute(part.tainted, index)),
            undefined.either(shadow.unwritten, undefined.permute(part.unwritten, index)),
        )
    if valid is not None:
        is_on = emitter.value(f"bitcast {I1} {valid} to i64")
        exists = undefined.permute(emitter.load_wave("i64", wave_layout.LANES), index)
        off = emitter.binary("and", "i64", emitter.binary("xor", "i64", is_on, "-1"), exists)
        shadow = Shadow(undefined.either(shadow.tainted, off), shadow.unwritten)
    undefined.replace(operand, shadow)


def _permute(emitter: Emitter, value: str, index: str, valid: str | None) -> str:
    moved = emitter.value(f"shufflevector {I32} {value}, {I32} zeroinitializer, <64 x i32> {index}")
    return moved if valid is None else emitter.select(valid, I32, moved, "zeroinitializer")


def source_lanes(instruction: Instruction) -> list[int | None]:
    """For each lane the lane that it reads; None where that is out of bounds."""
    for control in _CONTROLS:
        if control in instruction.modifiers:
            argument = instruction.modifiers[control]
            return [_source_lane(control, argument, lane) for lane in range(LANES)]
    raise UnsupportedFormError("DPP control")


def _source_lane(control: str, argument: str, lane: int) -> int | None:
    row, place = lane - lane % _ROW, lane % _ROW
    match control:
        case "quad_perm":
            return lane - lane % 4 + int(argument.strip("[]").split(",")[lane % 4])
        case "row_shl":
            return lane + int(argument) if place + int(argument) < _ROW else None
        case "row_shr":
            return lane - int(argument) if place >= int(argument) else None
        case "row_ror":
            return row + (place - int(argument)) % _ROW
        case "row_mirror":
            return row + _ROW - 1 - place
        case "row_half_mirror":
            return lane - lane % 8 + 7 - lane % 8
        case "row_newbcast":
            return row + int(argument)
        case "row_bcast":
            return _broadcast_source(int(argument), lane, row)
        case "wave_shl":
            return lane + 1 if lane + 1 < LANES else None
        case "wave_shr":
            return lane - 1 if lane else None
        case "wave_rol":
            return (lane + 1) % LANES
    return (lane - 1) % LANES  # wave_ror


def _broadcast_source(argument: int, lane: int, row: int) -> int | None:
    """row_bcast:15 gives lane 15 of each row to the next row, row_bcast:31 lane 31 to the upper half."""
    if argument == 15:
        return row - 1 if row else None
    return 31 if lane >= 32 else None


def _enabled_lanes(instruction: Instruction) -> int:
    rows, banks = instruction.number("row_mask", 15), instruction.number("bank_mask", 15)
    return sum(1 << lane for lane in range(LANES) if rows >> (lane // _ROW) & 1 and banks >> (lane % _ROW // 4) & 1)


def _signed(mask: int) -> int:
    return mask - (1 << 64) if mask >> 63 else mask
