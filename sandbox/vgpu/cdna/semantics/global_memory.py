"""GLOBAL, FLAT and SCRATCH loads and stores, and buffers."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction, Operand
from ..types import I32, I64, LANES, lanes
from .memory_access import (
    BYTES_OF_SIZE,
    REGISTERS_OF_SIZE,
    Access,
    data_registers,
    flat_access,
    load_registers,
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
    store_registers(e, access, size, upper_half(e, values) if half == "high" else values)


@semantics
def memory_load_to_lds(e: Emitter, i: Instruction, *, size: str) -> None:
    """Lane l's value goes to LDS at M0 + offset + l * size (at least 4)."""
    e.note_pc()
    values = load_registers(e, flat_access(e, i, i.operands[0], _scalar_operand(i, 1)), size)
    step = max(4, BYTES_OF_SIZE[size])
    base = e.splat(I32, e.read_register("m0"))
    places = e.binary("add", I32, base, lanes(I32, [step * lane for lane in range(LANES)]))
    access = Access("lds", places, str(i.number("offset")))
    store_registers(e, access, "b32" if step == 4 else size, values)


# ---- buffers --------------------------------------------------------------------------------------------------------


def buffer_access(e: Emitter, i: Instruction, first: int, size: str) -> tuple[Access, str]:
    """Operands from ``first``: vector address or ``off``, descriptor, scalar offset. And the lanes in bounds."""
    vector, descriptor, scalar = i.operands[first : first + 3]
    words = [e.read_register(f"s{descriptor.index + k}") for k in range(4)]
    packed = e.temporary(I32)
    for position, word in enumerate(words):
        e.line(f"store i32 {word}, ptr {e.value(f'getelementptr i32, ptr {packed}, i64 {position}')}")
    has_index, has_offset = "idxen" in i.modifiers, "offen" in i.modifiers
    index = e.spill(I32, e.read(e.part(vector, 0), I32)) if has_index else "null"
    offset = e.spill(I32, e.read(e.part(vector, 1 if has_index else 0), I32)) if has_offset else "null"
    addresses = e.temporary(I64)
    mask = e.call(
        "w2w_buffer_addresses",
        "i64",
        ("i64", e.active_mask),
        ("ptr", packed),
        ("ptr", index),
        ("ptr", offset),
        ("i32", e.read_scalar32(scalar)),
        ("i32", str(i.number("offset"))),
        ("i32", str(BYTES_OF_SIZE[size])),
        ("ptr", addresses),
    )
    return Access("global", e.reload(addresses, I64)[0], "0"), mask


@semantics
def buffer_load(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    """Lanes out of bounds read 0."""
    e.note_pc()
    if "lds" in i.modifiers:
        _buffer_load_to_lds(e, i, size)
        return
    access, mask = buffer_access(e, i, 1, size)
    write_loaded(e, i.operands[0], _bounded(e, load_registers(e, access, size, mask), mask), half)


def _bounded(e: Emitter, values: list[str], mask: str) -> list[str]:
    inside = e.mask_of(mask)
    return [e.select(inside, I32, value, "zeroinitializer") for value in values]


def _buffer_load_to_lds(e: Emitter, i: Instruction, size: str) -> None:
    access, mask = buffer_access(e, i, 0, size)
    values = _bounded(e, load_registers(e, access, size, mask), mask)
    step = max(4, BYTES_OF_SIZE[size])
    base = e.splat(I32, e.read_register("m0"))
    places = e.binary("add", I32, base, lanes(I32, [step * lane for lane in range(LANES)]))
    target = Access("lds", places, str(i.number("offset")))
    store_registers(e, target, "b32" if step == 4 else size, values)


@semantics
def buffer_store(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    e.note_pc()
    access, mask = buffer_access(e, i, 1, size)
    values = data_registers(e, i.operands[0], REGISTERS_OF_SIZE[size])
    store_registers(e, access, size, upper_half(e, values) if half == "high" else values, mask)
