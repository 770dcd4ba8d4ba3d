"""LDS: loads, stores, atomics, and lane permutations that go through the LDS hardware."""

from __future__ import annotations

from .. import wave_layout
from ..checked_access import CheckedKind, check_access
from ..emitter import Emitter
from ..instruction import Instruction, Operand
from ..ir_writer import CountedAccess
from ..types import I32, I64, LANES, lanes, splat
from ..undefined_values import Shadow
from .atomics import run_atomic
from .memory_access import (
    REGISTERS_OF_SIZE,
    Access,
    AccessKind,
    data_registers,
    data_shadows,
    lds_access,
    load_registers,
    store_registers,
    upper_half,
    write_loaded,
)
from .registry import semantics


@semantics
def lds_load(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    e.note_pc()
    access = lds_access(e, i.operands[1], i.number("offset"))
    write_loaded(e, i.operands[0], load_registers(e, access, size), half)


@semantics
def lds_store(e: Emitter, i: Instruction, *, size: str, half: str = "") -> None:
    e.note_pc()
    access = lds_access(e, i.operands[0], i.number("offset"))
    values = data_registers(e, i.operands[1], REGISTERS_OF_SIZE[size])
    shadows = data_shadows(e, i.operands[1], REGISTERS_OF_SIZE[size])
    store_registers(e, access, size, upper_half(e, values) if half == "high" else values, shadows=shadows)


def _two_offsets(i: Instruction, size: str, stride64: bool) -> tuple[int, int]:
    unit = 4 * REGISTERS_OF_SIZE[size] * (64 if stride64 else 1)
    return unit * i.number("offset0"), unit * i.number("offset1")


@semantics
def lds_load2(e: Emitter, i: Instruction, *, size: str, stride64: bool) -> None:
    """Two values, at two offsets in units of their size (times 64)."""
    e.note_pc()
    first = lds_access(e, i.operands[1], 0)
    values: list[str] = []
    for offset in _two_offsets(i, size, stride64):
        values += load_registers(e, Access("lds", first.addresses, str(offset)), size)
    write_loaded(e, i.operands[0], values, "")


@semantics
def lds_store2(e: Emitter, i: Instruction, *, size: str, stride64: bool) -> None:
    e.note_pc()
    first = lds_access(e, i.operands[0], 0)
    for position, offset in enumerate(_two_offsets(i, size, stride64)):
        values = data_registers(e, i.operands[1 + position], REGISTERS_OF_SIZE[size])
        shadows = data_shadows(e, i.operands[1 + position], REGISTERS_OF_SIZE[size])
        store_registers(e, Access("lds", first.addresses, str(offset)), size, values, shadows=shadows)


@semantics
def lds_exchange2(e: Emitter, i: Instruction, *, bits: int, stride64: bool) -> None:
    """ds_wrxchg2: two exchanges."""
    e.note_pc()
    size = "b64" if bits == 64 else "b32"
    first = lds_access(e, i.operands[1], 0)
    old = [
        run_atomic(e, Access("lds", first.addresses, str(offset)), f"swap_b{bits}", bits, [i.operands[2 + position]])
        for position, offset in enumerate(_two_offsets(i, size, stride64))
    ]
    for position, value in enumerate(old):
        e.write_bits(e.part(i.operands[0], position * bits // 32), value, wide=bits == 64)


@semantics
def lds_thread_access(e: Emitter, i: Instruction, *, store: bool) -> None:
    """ds_read_addtid_b32 and ds_write_addtid_b32: at M0[15:0] + offset + 4 * lane."""
    e.note_pc()
    base = e.binary("and", "i32", e.read_register("m0"), "65535")
    places = e.binary("add", I32, e.splat(I32, base), lanes(I32, [4 * lane for lane in range(LANES)]))
    access = Access("lds", places, str(i.number("offset")))
    if store:
        store_registers(e, access, "b32", data_registers(e, i.operands[0], 1))
    else:
        write_loaded(e, i.operands[0], load_registers(e, access, "b32"), "")


@semantics
def lds_atomic(
    e: Emitter,
    i: Instruction,
    *,
    op: str,
    bits: int,
    returns: bool = False,
    operands: int = 1,
    compare: bool = False,
    aligned: bool = False,
) -> None:
    """``operands``: how many values the operation takes. ``compare``: the value compared with comes first.
    ``aligned``: address bits above 15 and below 3 are ignored."""
    e.note_pc()
    rest = i.operands[1:] if returns else i.operands
    access = lds_access(e, rest[0], i.number("offset"))
    if aligned:
        address = e.binary("add", I32, e.read(rest[0], I32), splat(I32, i.number("offset")))
        access = Access("lds", e.binary("and", I32, address, splat(I32, 0xFFF8)), "0")
    values = list(rest[1 : 1 + operands])
    if compare:
        values.reverse()
    old = run_atomic(e, access, op, bits, values, returns=returns)
    if returns:
        e.write_bits(i.operands[0], old, wide=bits == 64)


@semantics
def lds_count(e: Emitter, i: Instruction, *, op: str) -> None:
    """ds_append and ds_consume: the number of active lanes is added to, or taken from, the word at M0 + offset; all
    lanes get the value before."""
    e.note_pc()
    base = e.binary("and", "i32", e.read_register("m0"), "65535")
    address = e.binary("add", "i32", base, str(i.number("offset")))
    ones = e.call("llvm.ctpop.i64", "i64", ("i64", e.active_mask))
    count = e.convert("trunc", "i64", ones, "i32")
    if op == "sub":
        count = e.binary("sub", "i32", "0", count)
    if e.flavour.counters:
        e.count(CountedAccess("lds_word", e.active_mask, kind=AccessKind.ATOMIC))
    if e.flavour.checks:
        check_access(e, Access("lds", e.splat(I32, address), "0"), 4, CheckedKind.ATOMIC, "1")
    old = e.call("w2w_lds_count", "i32", ("ptr", "%wave"), ("i32", address), ("i32", count))
    e.write_bits(i.operands[0], e.splat(I32, old))


@semantics
def lane_permute(e: Emitter, i: Instruction, *, backward: bool) -> None:
    """ds_bpermute_b32 pulls from, ds_permute_b32 pushes to lane (address + offset) / 4; nothing from inactive lanes."""
    addresses, values = e.spill(I32, e.read(i.operands[1], I32)), e.spill(I32, e.read(i.operands[2], I32))
    if e.undefined is not None and backward:
        _note_permuted(e, i, addresses)
    result = e.temporary(I32)
    e.call_void(
        f"w2w_{'bpermute' if backward else 'permute'}_b32",
        ("i64", e.active_mask),
        ("i32", str(i.number("offset"))),
        *(("ptr", place) for place in (addresses, values, result)),
    )
    e.write_bits(i.operands[0], e.reload(result, I32)[0])


def _note_permuted(e: Emitter, i: Instruction, addresses: str) -> None:
    """Who reads a lane that is off gets an undefined value."""
    undefined = e.undefined
    assert undefined is not None
    e.note_pc()
    shadow, address = undefined.of_operand(i.operands[2]), undefined.of_operand(i.operands[1])
    place = e.temporary(I64)
    e.line(f"store i64 {shadow.tainted}, ptr {place}")
    e.line(f"store i64 {shadow.unwritten}, ptr {e.element_of_masks(place, 1)}")
    e.call_void(
        "w2w_bpermute_undefined",
        ("ptr", "%wave"),
        ("i64", e.active_mask),
        ("i32", str(i.number("offset"))),
        ("ptr", addresses),
        ("ptr", place),
    )
    tainted, unwritten = (e.value(f"load i64, ptr {e.element_of_masks(place, k)}") for k in (0, 1))
    wrong = undefined.either(address.tainted, address.unwritten)
    undefined.results = [Shadow(undefined.either(tainted, wrong), unwritten)]


@semantics
def lane_swizzle(e: Emitter, i: Instruction) -> None:
    """ds_swizzle_b32: a fixed permutation; inactive lanes give 0."""
    sources = [_swizzle_source(i.word & 0xFFFF, lane) for lane in range(LANES)]
    index = "<" + ", ".join(f"i32 {source}" for source in sources) + ">"
    if e.undefined is not None:
        shadow = e.undefined.of_operand(i.operands[1])
        is_off = e.binary("xor", "i64", e.active_mask, "-1")
        is_off = e.binary("and", "i64", is_off, e.load_wave("i64", wave_layout.LANES))
        off = e.undefined.permute(is_off, index)
        tainted = e.undefined.either(e.undefined.permute(shadow.tainted, index), off)
        e.undefined.results = [Shadow(tainted, e.undefined.permute(shadow.unwritten, index))]
    value = e.select(e.mask_of(e.active_mask), I32, e.read(i.operands[1], I32), "zeroinitializer")
    e.write_bits(i.operands[0], e.value(f"shufflevector {I32} {value}, {I32} poison, <64 x i32> {index}"))


def _swizzle_source(pattern: int, lane: int) -> int:
    """CDNA3 ISA, "DS_SWIZZLE_B32": FFT, rotation, permutation of four, or masks over groups of 32 lanes."""
    group, place = lane & ~31, lane & 31
    if pattern >= 0xE000:
        return group + _fft_source(pattern & 31, place)
    if pattern >= 0xC000:
        amount, mask = pattern >> 5 & 31, pattern & 31
        moved = place - amount if pattern >> 10 & 1 else place + amount
        return group + ((place & mask) | (moved & ~mask & 31))
    if pattern & 0x8000:
        return (lane & ~3) + (pattern >> 2 * (lane & 3) & 3)
    keep, set_bits, flip = pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31
    return group + (((place & keep) | set_bits) ^ flip)


def _fft_source(mask: int, place: int) -> int:
    """The bits of ``place`` that ``mask`` does not keep, in reverse order."""
    reversed_bits = int(f"{place:05b}"[::-1], 2)
    return reversed_bits >> mask.bit_count() | place & mask


@semantics
def lds_load_transposed(e: Emitter, i: Instruction, *, size: str, bits: int) -> None:
    """Groups of 16 lanes read a matrix of ``bits``-bit elements by rows and get its columns. EXEC must be all ones
    (CDNA4 ISA, "MFMA Transpose Load from LDS"); inactive lanes count as zeros here."""
    e.note_pc()
    words = load_registers(e, lds_access(e, i.operands[1], i.number("offset")), size)
    active = e.mask_of(e.active_mask)
    if e.undefined is not None:
        e.undefined.results = None
    place = e.spill(I32, *(e.select(active, I32, word, "zeroinitializer") for word in words))
    result = e.temporary(I32, len(words))
    e.call_void(f"w2w_transpose_b{bits}", ("ptr", place), ("ptr", result))
    write_loaded(e, i.operands[0], e.reload(result, I32, len(words)), "")


@semantics
def wave_sync(e: Emitter, i: Instruction, *, op: str) -> None:
    """Global wave sync: ``op`` names the helper. The resource is M0[21:16] + offset; a value comes from the first
    active lane."""
    e.note_pc()
    base = e.binary("lshr", "i32", e.read_register("m0"), "16")
    resource = e.binary("and", "i32", e.binary("add", "i32", base, str(i.number("offset"))), "63")
    value = _first_active(e, i.operands[0]) if i.operands else "0"
    e.call_void(f"w2w_gws_{op}", ("ptr", "%wave"), ("i32", resource), ("i32", value))


def _first_active(e: Emitter, operand: Operand) -> str:
    first = e.call("llvm.cttz.i64", "i64", ("i64", e.exec), ("i1", "false"))
    lane = e.binary("and", "i64", first, str(LANES - 1))
    return e.value(f"extractelement {I32} {e.read_all_lanes(operand)}, i64 {lane}")
