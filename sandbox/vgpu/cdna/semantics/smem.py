"""Scalar memory: loads and stores of SGPRs, and scalar atomics."""

from __future__ import annotations

from ..checked_access import CheckedKind, check_scalar
from ..emitter import Emitter
from ..instruction import Instruction, Operand, OperandKind
from ..types import I32, I64, splat
from .atomics import run_atomic
from .memory_access import Access
from .registry import semantics

_SCRATCH_UNIT = 64
"""Bytes that a register offset of scalar scratch counts (CDNA4 ISA, "Scalar Memory Addressing")."""


def _address(e: Emitter, i: Instruction, base: str, unit: int = 1) -> str:
    """Base plus an SGPR (in units of ``unit`` bytes) or a constant, plus ``offset:``; aligned to 4 bytes (CDNA3 ISA,
    "Scalar memory")."""
    offset = i.operands[2]
    if offset.is_constant:
        total = str(offset.value)
    else:
        total = e.convert("zext", "i32", e.read_scalar32(offset), "i64")
        if unit != 1:
            total = e.binary("mul", "i64", total, str(unit))
    address = e.binary("add", "i64", base, total)
    if "offset" in i.modifiers:
        address = e.binary("add", "i64", address, str(i.number("offset")))
    return e.binary("and", "i64", address, "-4")


def _pointer(e: Emitter, address: str) -> str:
    return e.value(f"inttoptr i64 {address} to ptr")


def _register(operand: Operand, position: int) -> Operand:
    if operand.kind is OperandKind.SCALAR:
        return Operand(OperandKind.SCALAR, operand.index + position)
    return Operand(OperandKind.SPECIAL, name=operand.name + ("_lo", "_hi")[position])


@semantics
def scalar_load(e: Emitter, i: Instruction, *, words: int, scratch: bool = False) -> None:
    e.note_pc()
    unit = _SCRATCH_UNIT if scratch else 1
    pointer = _pointer(e, _address(e, i, e.read_scalar64(i.operands[1]), unit))
    _load_words(e, i, check_scalar(e, pointer, 4 * words, CheckedKind.LOAD), words)


def _load_words(e: Emitter, i: Instruction, pointer: str, words: int) -> None:
    destination = i.operands[0]
    values = []
    for position in range(words):
        place = e.value(f"getelementptr i32, ptr {pointer}, i64 {position}") if position else pointer
        values.append(e.value(f"load i32, ptr {place}, align 4"))
    for position, value in enumerate(values):
        target = destination if words == 1 else _register(destination, position)
        e.write_scalar32(target, value)


def _buffer(e: Emitter, i: Instruction) -> tuple[str, str]:
    """Address of an access to a buffer, and the end of the buffer. The base is in the low 48 bits of the descriptor;
    its size is in bytes, or in records if it has a stride."""
    descriptor = i.operands[1].index
    first = e.read_scalar_pair(descriptor)
    base = e.binary("and", "i64", first, str((1 << 48) - 4))
    stride = e.binary("and", "i64", e.binary("lshr", "i64", first, "48"), str(0x3FFF))
    size = e.convert("zext", "i32", e.read_register(f"s{descriptor + 2}"), "i64")
    is_raw = e.compare("eq", "i64", stride, "0")
    unit = e.value(f"select i1 {is_raw}, i64 1, i64 {stride}")
    return _address(e, i, base), e.binary("add", "i64", base, e.binary("mul", "i64", size, unit))


@semantics
def scalar_buffer_load(e: Emitter, i: Instruction, *, words: int) -> None:
    """Words beyond the buffer's end give 0."""
    e.note_pc()
    address, limit = _buffer(e, i)
    place = e.temporary(I32)
    e.call_void("w2w_bounded_load", ("ptr", _pointer(e, address)), ("i64", limit), ("i32", str(words)), ("ptr", place))
    _load_words(e, i, place, words)


@semantics
def scalar_store(e: Emitter, i: Instruction, *, words: int, scratch: bool = False) -> None:
    e.note_pc()
    unit = _SCRATCH_UNIT if scratch else 1
    pointer = _pointer(e, _address(e, i, e.read_scalar64(i.operands[1]), unit))
    pointer = check_scalar(e, pointer, 4 * words, CheckedKind.STORE)
    for position, value in enumerate(_source_words(e, i, words)):
        place = e.value(f"getelementptr i32, ptr {pointer}, i64 {position}") if position else pointer
        e.line(f"store i32 {value}, ptr {place}, align 4")


def _source_words(e: Emitter, i: Instruction, words: int) -> list[str]:
    source = i.operands[0]
    return [e.read_scalar32(source if words == 1 else _register(source, position)) for position in range(words)]


@semantics
def scalar_buffer_store(e: Emitter, i: Instruction, *, words: int) -> None:
    """Words beyond the buffer's end are dropped."""
    e.note_pc()
    address, limit = _buffer(e, i)
    place = e.temporary(I32)
    for position, value in enumerate(_source_words(e, i, words)):
        e.line(f"store i32 {value}, ptr {e.value(f'getelementptr i32, ptr {place}, i64 {position}')}")
    e.call_void("w2w_bounded_store", ("ptr", _pointer(e, address)), ("i64", limit), ("i32", str(words)), ("ptr", place))


@semantics
def scalar_atomic(e: Emitter, i: Instruction, *, op: str, bits: int, compare: bool = False) -> None:
    """Data (and with glc the value before), base, offset."""
    e.note_pc()
    _atomic(e, i, op, bits, compare, _address(e, i, e.read_scalar64(i.operands[1])), "1")


@semantics
def scalar_buffer_atomic(e: Emitter, i: Instruction, *, op: str, bits: int, compare: bool = False) -> None:
    """Beyond the buffer's end nothing is done, and the value before is 0."""
    e.note_pc()
    address, limit = _buffer(e, i)
    end = e.binary("add", "i64", address, str(bits // 8))
    mask = e.convert("zext", "i1", e.compare("ule", "i64", end, limit), "i64")
    _atomic(e, i, op, bits, compare, address, mask)


def _atomic(e: Emitter, i: Instruction, op: str, bits: int, compare: bool, address: str, mask: str) -> None:
    """By the vector helper, with one lane or none."""
    kind = I64 if bits == 64 else I32
    access = Access("global", e.splat(I64, address), "0")
    data = [i.operands[0]]
    if compare:
        data = [_register(i.operands[0], 0), _register(i.operands[0], bits // 32)]
    old = run_atomic(e, access, op, bits, data, mask)
    if "glc" in i.modifiers:
        chosen = e.select(e.mask_of(mask), kind, old, splat(kind, 0))
        e.write_scalar(data[0], e.value(f"extractelement {kind} {chosen}, i64 0"), bits)
