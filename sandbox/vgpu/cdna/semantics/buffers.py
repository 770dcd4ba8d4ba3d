"""MUBUF and MTBUF: memory behind a buffer descriptor, typed or not (CDNA4 ISA, "Vector Memory Buffer Instructions")."""

from __future__ import annotations

from dataclasses import dataclass

from ..emitter import Emitter
from ..instruction import Instruction
from ..types import I32, I64, splat
from .memory_access import (
    BYTES_OF_SIZE,
    REGISTERS_OF_SIZE,
    Access,
    AccessKind,
    count_format_access,
    data_registers,
    data_shadows,
    load_registers,
    store_lane_slots,
    store_registers,
    upper_half,
    write_loaded,
)
from .registry import semantics

_IDENTITY = 4 | 5 << 3 | 6 << 6 | 7 << 9
"""Component selectors of a typed instruction: X, Y, Z, W."""


@dataclass(frozen=True)
class BufferAccess:
    """``mask``: lanes whose whole access is in bounds. The rest are arguments of the helpers."""

    access: Access
    mask: str
    addresses: str
    descriptor: str
    index: str
    offset: str
    constant: str

    def partly(self, e: Emitter) -> list[tuple[str, str]]:
        """Arguments of the helpers for lanes that are not all in bounds."""
        left = e.binary("and", "i64", e.active_mask, e.binary("xor", "i64", self.mask, "-1"))
        return [
            ("i64", left),
            ("ptr", self.descriptor),
            ("ptr", self.index),
            ("ptr", self.offset),
            ("i32", self.constant),
        ]


def buffer_access(e: Emitter, i: Instruction, first: int, size: str, *, is_format: bool = False) -> BufferAccess:
    """Operands from ``first``: vector address or ``off``, descriptor, scalar offset."""
    return _access(e, i, first, str(BYTES_OF_SIZE[size]), is_format)


def _access(e: Emitter, i: Instruction, first: int, size: str, is_format: bool) -> BufferAccess:
    vector, _, scalar = i.operands[first : first + 3]
    packed = _descriptor(e, i, first)
    has_index, has_offset = "idxen" in i.modifiers, "offen" in i.modifiers
    index = e.spill(I32, e.read(e.part(vector, 0), I32)) if has_index else "null"
    offset = e.spill(I32, e.read(e.part(vector, 1 if has_index else 0), I32)) if has_offset else "null"
    addresses = e.temporary(I64)
    constant = str(i.number("offset"))
    mask = e.call(
        "w2w_buffer_addresses",
        "i64",
        ("i64", e.active_mask),
        ("ptr", packed),
        ("ptr", index),
        ("ptr", offset),
        ("i32", e.read_scalar32(scalar)),
        ("i32", constant),
        ("i32", size),
        ("i32", str(int(is_format))),
        ("ptr", addresses),
    )
    access = Access("global", e.reload(addresses, I64)[0], "0")
    return BufferAccess(access, mask, addresses, packed, index, offset, constant)


def _descriptor(e: Emitter, i: Instruction, first: int) -> str:
    """Memory that holds the four words of the descriptor."""
    packed = e.temporary(I32)
    for position, word in enumerate(_descriptor_words(e, i, first)):
        e.line(f"store i32 {word}, ptr {e.value(f'getelementptr i32, ptr {packed}, i64 {position}')}")
    return packed


def _descriptor_words(e: Emitter, i: Instruction, first: int) -> list[str]:
    return [e.read_register(f"s{i.operands[first + 1].index + k}") for k in range(4)]


def _load(e: Emitter, i: Instruction, first: int, size: str) -> list[str]:
    """The registers that a load fills; words out of bounds are 0."""
    buffer, count = buffer_access(e, i, first, size), REGISTERS_OF_SIZE[size]
    place = e.spill(I32, *load_registers(e, buffer.access, size, buffer.mask))
    e.call_void(
        "w2w_buffer_load_partly",
        *buffer.partly(e),
        ("i32", str(count)),
        ("ptr", buffer.addresses),
        ("ptr", place),
    )
    return e.reload(place, I32, count)


@semantics
def buffer_load(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    e.note_pc()
    if "lds" in i.modifiers:
        store_lane_slots(e, i, size, _load(e, i, 0, size))
    else:
        write_loaded(e, i.operands[0], _load(e, i, 1, size), half)


@semantics
def buffer_store(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    e.note_pc()
    buffer, count = buffer_access(e, i, 1, size), REGISTERS_OF_SIZE[size]
    values = data_registers(e, i.operands[0], count)
    stored = upper_half(e, values) if half == "high" else values
    store_registers(e, buffer.access, size, stored, buffer.mask, data_shadows(e, i.operands[0], count))
    if count > 1:
        e.call_void(
            "w2w_buffer_store_partly",
            *buffer.partly(e),
            ("i32", str(count)),
            ("ptr", buffer.addresses),
            ("ptr", e.spill(I32, *values)),
        )


# ---- typed ----------------------------------------------------------------------------------------------------------


def _format_access(e: Emitter, i: Instruction, first: int, kind: AccessKind) -> tuple[BufferAccess, str, str]:
    """The access, its format, and its component selectors. MTBUF has the format in the instruction, MUBUF both in the
    descriptor."""
    if i.mnemonic.startswith("tbuffer"):
        form, selectors = str(i.word >> 19 & 0x7F), str(_IDENTITY)
    else:
        flags = _descriptor_words(e, i, first)[3]
        data = e.binary("and", "i32", e.binary("lshr", "i32", flags, "15"), "15")
        number = e.binary("and", "i32", e.binary("lshr", "i32", flags, "8"), "112")
        form, selectors = e.binary("or", "i32", data, number), flags
    size = e.call("w2w_format_bytes", "i32", ("i32", form))
    buffer = _access(e, i, first, size, is_format=True)
    count_format_access(e, buffer.mask, buffer.addresses, size, kind)
    return buffer, form, selectors


@semantics
def format_load(e: Emitter, i: Instruction, *, count: int, half: str = "") -> None:
    """``half``: empty for 32-bit components, ``packed`` for 16-bit ones, ``high`` for one in the upper half."""
    e.note_pc()
    in_lds = "lds" in i.modifiers
    buffer, form, selectors = _format_access(e, i, 0 if in_lds else 1, AccessKind.READ)
    place = e.temporary(I32, count)
    e.call_void(
        "w2w_load_format",
        ("i64", e.active_mask),
        ("i64", buffer.mask),
        ("ptr", buffer.addresses),
        ("i32", form),
        ("i32", selectors),
        ("i32", str(count)),
        ("i32", str(int(bool(half)))),
        ("ptr", place),
    )
    values = e.reload(place, I32, count)
    if in_lds:
        store_lane_slots(e, i, "b32", values)
    elif half:
        _write_halves(e, i, values, half)
    else:
        write_loaded(e, i.operands[0], values, "")


def _write_halves(e: Emitter, i: Instruction, values: list[str], half: str) -> None:
    for position in range(0, len(values), 2):
        target = e.part(i.operands[0], position // 2)
        if position + 1 < len(values):
            high = e.binary("shl", I32, values[position + 1], splat(I32, 16))
            e.write_bits(target, e.binary("or", I32, values[position], high))
        else:
            write_loaded(e, target, [values[position]], "high" if half == "high" else "low")


@semantics
def format_store(e: Emitter, i: Instruction, *, count: int, half: str = "") -> None:
    e.note_pc()
    buffer, form, _ = _format_access(e, i, 1, AccessKind.WRITE)
    values = _components(e, i, count, half)
    e.call_void(
        "w2w_store_format",
        ("i64", buffer.mask),
        ("ptr", buffer.addresses),
        ("i32", form),
        ("i32", str(count)),
        ("i32", str(int(bool(half)))),
        ("ptr", e.spill(I32, *values)),
    )


def _components(e: Emitter, i: Instruction, count: int, half: str) -> list[str]:
    if not half:
        return data_registers(e, i.operands[0], count)
    values = []
    for position in range(count):
        (word,) = data_registers(e, e.part(i.operands[0], position // 2), 1)
        is_high = half == "high" or position % 2
        values.append(e.binary("lshr", I32, word, splat(I32, 16)) if is_high else word)
    return [e.binary("and", I32, value, splat(I32, 0xFFFF)) for value in values]
