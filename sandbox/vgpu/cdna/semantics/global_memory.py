"""GLOBAL, FLAT and SCRATCH loads and stores."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction, Operand
from .memory_access import (
    REGISTERS_OF_SIZE,
    data_registers,
    data_shadows,
    flat_access,
    load_registers,
    store_lane_slots,
    store_registers,
    upper_half,
    write_loaded,
)
from .registry import semantics


def _scalar_operand(i: Instruction, position: int) -> Operand | None:
    return i.operands[position] if len(i.operands) > position else None


@semantics
def memory_load(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    """D, address, scalar base or ``off``."""
    e.note_pc()
    access = flat_access(e, i, i.operands[1], _scalar_operand(i, 2))
    write_loaded(e, i.operands[0], load_registers(e, access, size), half)


@semantics
def memory_store(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    """Address, data, scalar base or ``off``."""
    e.note_pc()
    access = flat_access(e, i, i.operands[0], _scalar_operand(i, 2))
    values = data_registers(e, i.operands[1], REGISTERS_OF_SIZE[size])
    shadows = data_shadows(e, i.operands[1], REGISTERS_OF_SIZE[size])
    store_registers(e, access, size, upper_half(e, values) if half == "high" else values, shadows=shadows)


@semantics
def memory_load_to_lds(e: Emitter, i: Instruction, *, size: str) -> None:
    e.note_pc()
    values = load_registers(e, flat_access(e, i, i.operands[0], _scalar_operand(i, 1)), size)
    store_lane_slots(e, i, size, values)
