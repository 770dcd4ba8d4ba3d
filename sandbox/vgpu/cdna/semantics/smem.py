"""Scalar memory: loads and stores of SGPRs, and scalar atomics."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction, Operand, OperandKind
from ..types import I32
from .registry import semantics


def _address(e: Emitter, i: Instruction, base: str, position: int = 2) -> str:
    """Base plus an SGPR or a constant, plus ``offset:``; aligned to 4 bytes (CDNA3 ISA, "Scalar memory")."""
    offset = i.operands[position]
    if offset.is_constant:
        total = str(offset.value)
    else:
        total = e.convert("zext", "i32", e.read_scalar32(offset), "i64")
    address = e.binary("add", "i64", base, total)
    if "offset" in i.modifiers:
        address = e.binary("add", "i64", address, str(i.number("offset")))
    return e.value(f"inttoptr i64 {e.binary('and', 'i64', address, '-4')} to ptr")


def _register(operand: Operand, position: int) -> Operand:
    if operand.kind is OperandKind.SCALAR:
        return Operand(OperandKind.SCALAR, operand.index + position)
    return Operand(OperandKind.SPECIAL, name=operand.name + ("_lo", "_hi")[position])


@semantics
def scalar_load(e: Emitter, i: Instruction, *, words: int) -> None:
    e.note_pc()
    pointer = _address(e, i, e.read_scalar64(i.operands[1]))
    _load_words(e, i, pointer, words)


def _load_words(e: Emitter, i: Instruction, pointer: str, words: int) -> None:
    destination = i.operands[0]
    values = []
    for position in range(words):
        place = e.value(f"getelementptr i32, ptr {pointer}, i64 {position}") if position else pointer
        values.append(e.value(f"load i32, ptr {place}, align 4"))
    for position, value in enumerate(values):
        target = destination if words == 1 else _register(destination, position)
        e.write_scalar32(target, value)


@semantics
def scalar_buffer_load(e: Emitter, i: Instruction, *, words: int) -> None:
    """The base is in the low 48 bits of the descriptor; reads beyond its size give 0."""
    e.note_pc()
    descriptor = i.operands[1].index
    base = e.binary("and", "i64", e.read_scalar_pair(descriptor), str((1 << 48) - 1))
    size = e.convert("zext", "i32", e.read_register(f"s{descriptor + 2}"), "i64")
    pointer = _address(e, i, base)
    place = e.temporary(I32)
    limit = e.binary("add", "i64", base, size)
    e.call_void("w2w_bounded_words", ("ptr", pointer), ("i64", limit), ("i32", str(words)), ("ptr", place))
    _load_words(e, i, place, words)


@semantics
def scalar_store(e: Emitter, i: Instruction, *, words: int) -> None:
    e.note_pc()
    pointer = _address(e, i, e.read_scalar64(i.operands[1]))
    for position in range(words):
        source = i.operands[0] if words == 1 else _register(i.operands[0], position)
        place = e.value(f"getelementptr i32, ptr {pointer}, i64 {position}") if position else pointer
        e.line(f"store i32 {e.read_scalar32(source)}, ptr {place}, align 4")
