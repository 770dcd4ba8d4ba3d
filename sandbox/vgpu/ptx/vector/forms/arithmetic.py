"""Integer arithmetic. PTX ISA 9.7.1."""

from __future__ import annotations

from ...syntax import Instruction
from ...types import BYTES
from ..emitter import NoVectorFormError, VectorEmitter


def _simple(i: Instruction, *modifiers: str) -> int:
    """Size of the type. Raises NoVectorFormError for other modifiers than ``modifiers``, and for packed types."""
    if i.type.endswith("x2") or any(m not in modifiers and m != i.type for m in i.modifiers):
        raise NoVectorFormError
    return BYTES[i.type]


def _binary(e: VectorEmitter, i: Instruction, operator: str) -> None:
    size = _simple(i)
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"{a}{operator}{b}", size)


def add_integer(e: VectorEmitter, i: Instruction) -> None:
    _binary(e, i, "+")


def subtract_integer(e: VectorEmitter, i: Instruction) -> None:
    _binary(e, i, "-")


def _product(e: VectorEmitter, i: Instruction) -> tuple[str, int]:
    size = _simple(i, "lo", "hi", "wide")
    if "lo" in i.modifiers:
        return f"({e.value(i.operands[1], i.type)}*{e.value(i.operands[2], i.type)})", size
    if size > 4:
        raise NoVectorFormError
    letter = "S" if i.type.startswith("s") else "V"
    wide = f"{letter}{2 * size}"
    a, b = (f"convert({e.typed(operand, i.type)},{wide})" for operand in i.operands[1:3])
    if "wide" in i.modifiers:
        return f"((V{2 * size})({a}*{b}))", 2 * size
    return f"convert((V{2 * size})({a}*{b})>>(V{2 * size})({8 * size}),V{size})", size


def multiply_integer(e: VectorEmitter, i: Instruction) -> None:
    text, size = _product(e, i)
    e.assign(i.operands[0], text, size)


def multiply_add_integer(e: VectorEmitter, i: Instruction) -> None:
    text, size = _product(e, i)
    c = e.value(i.operands[3], {2: "u16", 4: "u32", 8: "u64"}[size])
    e.assign(i.operands[0], f"{text}+{c}", size)


def _extreme(e: VectorEmitter, i: Instruction, name: str) -> None:
    size = _simple(i)
    a, b = e.typed(i.operands[1], i.type), e.typed(i.operands[2], i.type)
    e.assign(i.operands[0], f"__builtin_elementwise_{name}({a},{b})", size)


def minimum_integer(e: VectorEmitter, i: Instruction) -> None:
    _extreme(e, i, "min")


def maximum_integer(e: VectorEmitter, i: Instruction) -> None:
    _extreme(e, i, "max")


def negate_integer(e: VectorEmitter, i: Instruction) -> None:
    size = _simple(i)
    e.assign(i.operands[0], f"(V{size})(0)-{e.value(i.operands[1], i.type)}", size)


def absolute_integer(e: VectorEmitter, i: Instruction) -> None:
    size = _simple(i)
    e.emit(f"V{size} a={e.value(i.operands[1], i.type)};")
    e.assign(i.operands[0], f"__builtin_elementwise_min(a,(V{size})(0)-a)", size)
