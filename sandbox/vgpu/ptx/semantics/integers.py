"""Integer arithmetic. PTX ISA 9.7.1 and 9.7.2."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..syntax import Instruction
from ..types import BYTES, SIGNED, UNSIGNED

_WIDER_SIGNED = {1: "s16", 2: "s32", 4: "s64", 8: "s128"}
_WIDER_UNSIGNED = {1: "u16", 2: "u32", 4: "u64", 8: "u128"}


def _wider(kind: str) -> str:
    size = BYTES[kind]
    return _WIDER_SIGNED[size] if kind.startswith("s") else _WIDER_UNSIGNED[size]


def _limits(kind: str) -> tuple[str, str]:
    bits = 8 * BYTES[kind]
    if kind.startswith("s"):
        return f"(-{(1 << (bits - 1)) - 1}l-1)", f"{(1 << (bits - 1)) - 1}l"
    return "0", f"{(1 << bits) - 1}ul"


def _halves(e: FunctionEmitter, i: Instruction, expression: str) -> None:
    """A packed 16-bit operation; ``expression`` uses a, b as s32 (or zero-extended for u16x2)."""
    cast = "s16" if i.type == "s16x2" else "u16"
    a, b = e.value(i.operands[1], "b32"), e.value(i.operands[2], "b32")
    e.emit(f"u32 p={a},q={b},r=0;")
    e.emit(f"for(int h=0;h<32;h+=16){{s32 a=({cast})(p>>h),b=({cast})(q>>h);r|=(u32)(u16)({expression})<<h;}}")
    e.assign(i.operands[0], "r")


def _binary(e: FunctionEmitter, i: Instruction, operator: str) -> None:
    if i.type.endswith("x2"):
        _halves(e, i, f"a{operator}b")
    elif "sat" in i.modifiers:
        a, b = e.signed(i.operands[1], i.type), e.signed(i.operands[2], i.type)
        low, high = _limits(i.type)
        e.assign(i.operands[0], f"clamp_s64((s64){a}{operator}(s64){b},{low},{high})")
    else:
        a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
        e.assign(i.operands[0], f"{_promote(a, i.type)}{operator}{b}")


def _promote(text: str, kind: str) -> str:
    """16-bit values would be promoted to int, whose overflow is undefined."""
    return f"(u32){text}" if BYTES[kind] < 4 else text


def add_integer(e: FunctionEmitter, i: Instruction) -> None:
    _binary(e, i, "+")


def subtract_integer(e: FunctionEmitter, i: Instruction) -> None:
    _binary(e, i, "-")


def _with_carry(e: FunctionEmitter, i: Instruction, operator: str, takes_carry: bool) -> None:
    size = BYTES[i.type]
    wide = _WIDER_UNSIGNED[size]
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    carry = f"{operator}carry" if takes_carry else ""
    e.emit(f"{wide} w=({wide}){a}{operator}({wide}){b}{carry};")
    if "cc" in i.modifiers:
        e.emit(f"carry=(w>>{8 * size})&1;")
    e.assign(i.operands[0], "w")


def add_carry(e: FunctionEmitter, i: Instruction) -> None:
    _with_carry(e, i, "+", i.opcode == "addc")


def subtract_carry(e: FunctionEmitter, i: Instruction) -> None:
    _with_carry(e, i, "-", i.opcode == "subc")


def _product(e: FunctionEmitter, i: Instruction) -> str:
    kind, wide = i.type, _wider(i.type)
    a, b = e.typed(i.operands[1], kind), e.typed(i.operands[2], kind)
    if "wide" in i.modifiers:
        return f"({wide}){a}*({wide}){b}"
    if "hi" in i.modifiers:
        return f"({UNSIGNED[BYTES[kind]]})((({wide}){a}*({wide}){b})>>{8 * BYTES[kind]})"
    a, b = e.value(i.operands[1], kind), e.value(i.operands[2], kind)
    return f"({UNSIGNED[BYTES[kind]]})({_promote(a, kind)}*{b})"


def multiply_integer(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], _product(e, i))


def multiply_add_integer(e: FunctionEmitter, i: Instruction) -> None:
    size = BYTES[i.type] * (2 if "wide" in i.modifiers else 1)
    unsigned = UNSIGNED[max(size, 4)]
    if "sat" in i.modifiers:
        product, c = f"(s32)({_product(e, i)})", e.signed(i.operands[3], "s32")
        low, high = _limits("s32")
        e.assign(i.operands[0], f"clamp_s64((s64){product}+(s64){c},{low},{high})")
        return
    c = e.value(i.operands[3], {2: "u16", 4: "u32", 8: "u64"}[size])
    e.assign(i.operands[0], f"({unsigned})({_product(e, i)})+({unsigned}){c}")


def multiply_add_carry(e: FunctionEmitter, i: Instruction) -> None:
    size = BYTES[i.type]
    wide = _WIDER_UNSIGNED[size]
    carry = "+carry" if i.opcode == "madc" else ""
    e.emit(f"{UNSIGNED[size]} m={_product(e, i)};")
    e.emit(f"{wide} w=({wide})m+({wide}){e.value(i.operands[3], i.type)}{carry};")
    if "cc" in i.modifiers:
        e.emit(f"carry=(w>>{8 * size})&1;")
    e.assign(i.operands[0], "w")


def _product_24(e: FunctionEmitter, i: Instruction) -> str:
    a, b = (e.value(operand, "u32") for operand in i.operands[1:3])
    if i.type == "s32":
        product = f"((s64)((s32)({a}<<8)>>8)*((s32)({b}<<8)>>8))"
    else:
        product = f"((u64)({a}&0xffffff)*({b}&0xffffff))"
    return f"(u32)({product}>>16)" if "hi" in i.modifiers else f"(u32){product}"


def multiply_24(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], _product_24(e, i))


def multiply_add_24(e: FunctionEmitter, i: Instruction) -> None:
    if "sat" in i.modifiers:
        low, high = _limits("s32")
        c = e.signed(i.operands[3], "s32")
        e.assign(i.operands[0], f"clamp_s64((s64)(s32)({_product_24(e, i)})+{c},{low},{high})")
    else:
        e.assign(i.operands[0], f"{_product_24(e, i)}+{e.value(i.operands[3], 'u32')}")


def sum_absolute_difference(e: FunctionEmitter, i: Instruction) -> None:
    cast = (SIGNED if i.type.startswith("s") else UNSIGNED)[BYTES[i.type]]
    unsigned = UNSIGNED[max(BYTES[i.type], 4)]
    a, b, c = (e.typed(operand, i.type) for operand in i.operands[1:4])
    e.emit(f"{cast} a={a},b={b};")
    e.assign(i.operands[0], f"({unsigned}){c}+(a<b?({unsigned})b-({unsigned})a:({unsigned})a-({unsigned})b)")


def divide_integer(e: FunctionEmitter, i: Instruction) -> None:
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"divide_{i.type}({a},{b})")


def remainder(e: FunctionEmitter, i: Instruction) -> None:
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"remainder_{i.type}({a},{b})")


def absolute_integer(e: FunctionEmitter, i: Instruction) -> None:
    unsigned = UNSIGNED[max(BYTES[i.type], 4)]
    a = e.signed(i.operands[1], i.type)
    e.assign(i.operands[0], f"{a}<0?-({unsigned}){a}:({unsigned}){a}")


def negate_integer(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"-{_promote(e.value(i.operands[1], i.type), i.type)}")


def _extreme(e: FunctionEmitter, i: Instruction, operator: str) -> None:
    if i.type.endswith("x2"):
        chosen = f"a{operator}b?a:b"
        _halves(e, i, f"({chosen})<0?0:({chosen})" if "relu" in i.modifiers else chosen)
        return
    cast = (SIGNED if i.type.startswith("s") else UNSIGNED)[BYTES[i.type]]
    e.emit(f"{cast} a={e.typed(i.operands[1], i.type)},b={e.typed(i.operands[2], i.type)};")
    e.emit(f"{cast} r=a{operator}b?a:b;")
    e.assign(i.operands[0], "r<0?0:r" if "relu" in i.modifiers else "r")


def minimum_integer(e: FunctionEmitter, i: Instruction) -> None:
    _extreme(e, i, "<")


def maximum_integer(e: FunctionEmitter, i: Instruction) -> None:
    _extreme(e, i, ">")


def dot_product_4(e: FunctionEmitter, i: Instruction) -> None:
    a_type, b_type = i.modifiers[-2:]
    a, b, c = (e.value(operand, "u32") for operand in i.operands[1:4])
    e.assign(i.operands[0], f"dot_4({a},{b},{c},{int(a_type == 's32')},{int(b_type == 's32')})")


def dot_product_2(e: FunctionEmitter, i: Instruction) -> None:
    a_type, b_type = i.modifiers[-2:]
    a, b, c = (e.value(operand, "u32") for operand in i.operands[1:4])
    signs = f"{int(a_type == 's32')},{int(b_type == 's32')}"
    e.assign(i.operands[0], f"dot_2({a},{b},{c},{signs},{int('hi' in i.modifiers)})")
