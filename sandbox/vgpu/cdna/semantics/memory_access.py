"""Addresses and data of vector memory instructions, as the memory helpers take them.

A helper is ``w2w_<space>_<what>(wave, exec, addresses, offset, data...)``: ``addresses`` points to one address a lane
(64 bits; 32 bits for LDS, scratch and ``base``), ``offset`` is added to each, data are arrays of 64 lanes a register.
Plain loads and stores of global memory and LDS need no helper where they are regular, see ``strip_memory.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from ..checked_access import CheckedKind, check_access
from ..emitter import Emitter
from ..errors import UnsupportedFormError
from ..instruction import Instruction, Operand, OperandKind
from ..ir_writer import CountedAccess, CountedAccesses
from ..types import I32, I64, LANES, VectorType, lanes, splat
from ..undefined_values import Shadow

REGISTERS_OF_SIZE = {"u8": 1, "i8": 1, "u16": 1, "i16": 1, "b32": 1, "b64": 2, "b96": 3, "b128": 4}
"""VGPRs of a memory operand; sizes below 32 bits are extended when loaded."""
BYTES_OF_SIZE = {"u8": 1, "i8": 1, "u16": 2, "i16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16}


@dataclass(frozen=True)
class Access:
    """Where an instruction reads or writes: the address space of the helpers, and their address arguments.
    ``addresses``: one a lane, empty if it is the same in all."""

    space: str
    addresses: str
    offset: str

    @property
    def type(self) -> VectorType:
        return I64 if self.space in ("global", "flat") else I32

    @property
    def has_strips(self) -> bool:
        return self.space in ("global", "base", "lds")

    def arguments(self, e: Emitter, mask: str | None = None) -> list[tuple[str, str]]:
        return [
            ("ptr", "%wave"),
            ("i64", mask if mask is not None else e.active_mask),
            ("ptr", e.spill(self.type, self.addresses) if self.addresses else "null"),
            ("i64", self.offset),
        ]


class AccessKind(IntEnum):
    """As ``simt/helpers_count.c`` numbers them."""

    READ = 0
    WRITE = 1
    ATOMIC = 2


_LINE_BYTES = 128
_WORD_BYTES = 4


def count_access(e: Emitter, access: Access, size: int, kind: AccessKind, mask: str | None = None) -> None:
    """In the flavour ``counters``, note an access of ``size`` bytes a lane, to be counted at the end of the block:
    calls in its middle would part what else is one loop over the lanes. Scratch is interleaved by lane, so that neither
    lines nor banks depend on the addresses."""
    if not e.flavour.counters:
        return
    mask = mask if mask is not None else e.active_mask
    if access.space == "scratch":
        e.count(CountedAccess("scratch", mask, size=size, kind=kind))
        return
    residue = access.offset
    if not residue.startswith("%"):
        residue = str(int(residue) % (_WORD_BYTES if access.space == "lds" else _LINE_BYTES))
    counted = CountedAccess(access.space, mask, access.addresses, residue, size, kind)
    if counted not in e.counted_accesses:
        place = e.keep_for_block(access.type, access.addresses)
        e.counted_accesses[counted] = CountedAccesses(place, access.offset)
    e.count(counted)


def count_format_access(e: Emitter, mask: str, addresses: str, size: str, kind: AccessKind) -> None:
    """The same for an access of global memory whose ``size`` only the descriptor says; ``addresses`` is their place."""
    if not e.flavour.counters:
        return
    fixed = e.module.number_access() | kind << 40 | 1 << 48
    wide = e.binary("shl", "i64", e.convert("zext", "i32", size, "i64"), "32")
    what = e.binary("or", "i64", wide, str(fixed))
    e.call_void("w2w_count_global", ("ptr", "%wave"), ("i64", mask), ("ptr", addresses), ("i64", "0"), ("i64", what))


def lds_access(e: Emitter, operand: Operand, offset: int) -> Access:
    return Access("lds", e.read(operand, I32), str(offset))


def flat_access(e: Emitter, i: Instruction, vector: Operand, scalar: Operand | None) -> Access:
    """GLOBAL, SCRATCH and FLAT: ``vector`` and ``scalar`` are the address operands."""
    offset = i.number("offset")
    if i.mnemonic.startswith("scratch_"):
        return _scratch_access(e, vector, scalar, offset)
    if i.mnemonic.startswith("flat_"):
        return Access("flat", e.read(vector, I64), str(offset))
    if scalar is None or scalar.kind is OperandKind.OFF:
        return Access("global", e.read(vector, I64), str(offset))
    base = e.read_scalar64(scalar)
    if offset:
        base = e.binary("add", "i64", base, str(offset))
    return Access("base", e.read(vector, I32), base)


def _scratch_access(e: Emitter, vector: Operand, scalar: Operand | None, offset: int) -> Access:
    total = str(offset)
    if scalar is not None and scalar.kind is not OperandKind.OFF:
        base = e.convert("sext", "i32", e.read_scalar32(scalar), "i64")
        total = e.binary("add", "i64", base, str(offset))
    if vector.kind is OperandKind.OFF:
        return Access("scratch", "", total)
    return Access("scratch", e.read(vector, I32), total)


def as_addresses(e: Emitter, access: Access) -> Access:
    """The same access with 64-bit addresses where the helper knows no scalar base."""
    if access.space != "base":
        return access
    offsets = e.convert("zext", I32, access.addresses, I64)
    return Access("global", e.binary("add", I64, offsets, e.splat(I64, access.offset)), "0")


def data_registers(e: Emitter, operand: Operand, count: int) -> list[str]:
    """The values of ``count`` registers, for a store."""
    if not operand.is_vector:
        raise UnsupportedFormError("store of an operand that is no VGPR")
    with e.unnoticed():  # looked at by the check of the store
        return [e.read(e.part(operand, position), I32) for position in range(count)]


def data_shadows(e: Emitter, operand: Operand, count: int) -> list[Shadow]:
    """What is undefined in ``count`` registers."""
    if e.undefined is None or not operand.is_vector:
        return []
    return [e.undefined.of_vector(f"{operand.kind.value}{operand.index + position}") for position in range(count)]


def is_checked(e: Emitter, access: Access) -> bool:
    """LDS has bounds of its own in every flavour; see ``w2w_lds_address``."""
    return e.flavour.checks or (e.flavour.bounds and access.space != "lds")


def load_registers(e: Emitter, access: Access, size: str, mask: str | None = None) -> list[str]:
    """What the load gives for inactive lanes is undefined; lanes that a check keeps back read 0."""
    count = REGISTERS_OF_SIZE[size]
    count_access(e, access, BYTES_OF_SIZE[size], AccessKind.READ, mask)
    if is_checked(e, access):
        mask = check_access(e, access, BYTES_OF_SIZE[size], CheckedKind.LOAD, mask)
        return keep_allowed(e, _load(e, access, size, count, mask), mask)
    return _load(e, access, size, count, mask)


def _load(e: Emitter, access: Access, size: str, count: int, mask: str | None) -> list[str]:
    if access.has_strips:
        return e.load_lanes(access.space, size, count, mask, access.addresses, access.offset)
    place = e.temporary(I32, count)
    e.call_void(f"w2w_{access.space}_load_{size}", *access.arguments(e, mask), ("ptr", place))
    return e.reload(place, I32, count)


def store_registers(
    e: Emitter,
    access: Access,
    size: str,
    values: list[str],
    mask: str | None = None,
    shadows: Sequence[Shadow] = (),
) -> None:
    """``shadows``: of the registers that ``values`` come from, in translations with checks."""
    count_access(e, access, BYTES_OF_SIZE[size], AccessKind.WRITE, mask)
    if is_checked(e, access):
        data = e.spill(I32, *values) if access.space == "lds" or e.flavour.races else "null"
        mask = check_access(e, access, BYTES_OF_SIZE[size], CheckedKind.STORE, mask, shadows=shadows, data=data)
    if access.has_strips:
        e.store_lanes(access.space, size, mask, access.addresses, access.offset, values)
        return
    place = e.spill(I32, *values)
    e.call_void(f"w2w_{access.space}_store_{size}", *access.arguments(e, mask), ("ptr", place))


def keep_allowed(e: Emitter, values: list[str], mask: str) -> list[str]:
    """Lanes outside of ``mask`` read 0."""
    inside = e.mask_of(mask)
    return [e.select(inside, I32, value, "zeroinitializer") for value in values]


def write_loaded(e: Emitter, destination: Operand, values: list[str], half: str) -> None:
    """``half``: low or high if a 16-bit value goes into one half of the register, else empty. The other half becomes 0,
    as registers have ECC (CDNA4 ISA, "16-bit Memory Operations")."""
    if half and e.undefined is not None:
        e.undefined.results = None
    if half == "high":
        values = [e.binary("shl", I32, values[0], splat(I32, 16))]
    elif half:
        values = [e.binary("and", I32, values[0], splat(I32, 0xFFFF))]
    for position, value in enumerate(values):
        e.write_bits(e.part(destination, position), value)


def upper_half(e: Emitter, values: list[str]) -> list[str]:
    return [e.binary("lshr", I32, values[0], splat(I32, 16))]


def store_lane_slots(e: Emitter, i: Instruction, size: str, values: list[str]) -> None:
    """A load to LDS: the value of lane l goes to M0[17:2] * 4 + offset + 4 * l, or 16 * l for more than a word. Of
    three words the fourth place is skipped (CDNA4 ISA, "Memory Buffer Load to LDS")."""
    step = 4 if REGISTERS_OF_SIZE[size] == 1 else 16
    base = e.splat(I32, e.binary("and", "i32", e.read_register("m0"), str(0x3FFFC)))
    places = e.binary("add", I32, base, lanes(I32, [step * lane for lane in range(LANES)]))
    access = Access("lds", places, str(i.number("offset")))
    store_registers(e, access, "b32" if step == 4 else size, values)
