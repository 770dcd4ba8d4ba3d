"""Logic, shifts and bit fields. PTX ISA 9.7.1 and 9.7.8."""

from __future__ import annotations

from ...syntax import Immediate, Instruction
from ...types import BYTES
from ..emitter import NoVectorFormError, VectorEmitter


def _logic(e: VectorEmitter, i: Instruction, operator: str) -> None:
    if i.type == "pred":
        e.assign_bits(i.operands[0], f"{e.bits_of(i.operands[1])}{operator}{e.bits_of(i.operands[2])}")
        return
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"{a}{operator}{b}", BYTES[i.type])


def bitwise_and(e: VectorEmitter, i: Instruction) -> None:
    _logic(e, i, "&")


def bitwise_or(e: VectorEmitter, i: Instruction) -> None:
    _logic(e, i, "|")


def bitwise_xor(e: VectorEmitter, i: Instruction) -> None:
    _logic(e, i, "^")


def bitwise_not(e: VectorEmitter, i: Instruction) -> None:
    if i.type == "pred":
        e.assign_bits(i.operands[0], f"~{e.bits_of(i.operands[1])}")
    else:
        e.assign(i.operands[0], f"~{e.value(i.operands[1], i.type)}", BYTES[i.type])


def logic3(e: VectorEmitter, i: Instruction) -> None:
    table = i.operands[4]
    if len(i.operands) > 5 or not isinstance(table, Immediate):
        raise NoVectorFormError
    a, b, c = (e.value(operand, "b32") for operand in i.operands[1:4])
    e.assign(i.operands[0], f"logic3_lanes({a},{b},{c},{table.bits & 255})", 4)


def _shift(e: VectorEmitter, i: Instruction, operator: str) -> None:
    """Amounts from the type's width on shift everything out."""
    size = BYTES[i.type]
    bits, amount = 8 * size, i.operands[2]
    arithmetic = operator == ">>" and i.type.startswith("s")
    a = e.typed(i.operands[1], i.type) if arithmetic else e.value(i.operands[1], i.type)
    vector = f"{'S' if arithmetic else 'V'}{size}"
    if isinstance(amount, Immediate):
        count = amount.bits & 0xFFFFFFFF
        if count >= bits and not arithmetic:
            e.assign(i.operands[0], f"(V{size})(0)", size)
        else:
            e.assign(i.operands[0], f"{a}{operator}({vector})({min(count, bits - 1)})", size)
        return
    e.emit(f"V4 n={e.value(amount, 'u32')};V4 s=__builtin_elementwise_min(n,(V4)({bits - 1}u));")
    shifted = f"{a}{operator}convert(s,{vector})"
    e.assign(i.operands[0], shifted if arithmetic else f"blend(mask_of(n<(V4)({bits}u)),{shifted},(V{size})(0))", size)


def shift_left(e: VectorEmitter, i: Instruction) -> None:
    _shift(e, i, "<<")


def shift_right(e: VectorEmitter, i: Instruction) -> None:
    _shift(e, i, ">>")


def funnel_shift(e: VectorEmitter, i: Instruction) -> None:
    """shf: a shift of the pair b:a. For amounts from 32 on .clamp gives the other half."""
    a, b, c = (e.value(operand, "u32") for operand in i.operands[1:4])
    e.emit(f"V4 n={c};")
    e.emit("n&=31u;" if "wrap" in i.modifiers else "n=__builtin_elementwise_min(n,(V4)(32u));")
    e.emit(f"V8 pair=convert({b},V8)<<32ul|convert({a},V8);")
    text = "(pair<<convert(n,V8))>>32ul" if "l" in i.modifiers else "pair>>convert(n,V8)"
    e.assign(i.operands[0], f"convert({text},V4)", 4)


def permute_bytes(e: VectorEmitter, i: Instruction) -> None:
    """With a constant selector, which is what compilers write."""
    selector = i.operands[3]
    if i.modifiers != ("b32",) or not isinstance(selector, Immediate):
        raise NoVectorFormError
    parts = []
    e.emit(f"V4 a={e.value(i.operands[1], 'b32')},b={e.value(i.operands[2], 'b32')};")
    for position in range(4):
        nibble = selector.bits >> (4 * position) & 15
        if nibble & 8:
            raise NoVectorFormError
        byte = f"({'b' if nibble & 4 else 'a'}>>{8 * (nibble & 3)}u&255u)"
        parts.append(f"({byte}<<{8 * position}u)")
    e.assign(i.operands[0], "|".join(parts), 4)


def _one_word(e: VectorEmitter, i: Instruction, function: str) -> None:
    """Functions whose result has 32 bits."""
    text = f"{function}({e.value(i.operands[1], i.type)})"
    e.assign(i.operands[0], text if BYTES[i.type] == 4 else f"convert({text},V4)", 4)


def count_bits(e: VectorEmitter, i: Instruction) -> None:
    _one_word(e, i, "__builtin_elementwise_popcount")


def reverse_bits(e: VectorEmitter, i: Instruction) -> None:
    size = BYTES[i.type]
    e.assign(i.operands[0], f"__builtin_elementwise_bitreverse({e.value(i.operands[1], i.type)})", size)


def extract_field(e: VectorEmitter, i: Instruction) -> None:
    """bfe.u32 and .s32 with constant position and length."""
    position, length = i.operands[2], i.operands[3]
    if BYTES[i.type] != 4 or not isinstance(position, Immediate) or not isinstance(length, Immediate):
        raise NoVectorFormError
    first, bits = position.bits & 255, length.bits & 255
    if not 0 < bits <= 32 - first:
        raise NoVectorFormError
    vector = "S4" if i.type == "s32" else "V4"
    a = e.typed(i.operands[1], i.type)
    up = f"({vector})(({a})<<({vector})({32 - first - bits}))"
    e.assign(i.operands[0], f"{up}>>({vector})({32 - bits})", 4)


def insert_field(e: VectorEmitter, i: Instruction) -> None:
    """bfi with constant position and length."""
    position, length, size = i.operands[3], i.operands[4], BYTES[i.type]
    if not isinstance(position, Immediate) or not isinstance(length, Immediate):
        raise NoVectorFormError
    first, bits = position.bits & 0xFFFFFFFF, length.bits & 0xFFFFFFFF
    if not 0 < bits <= 8 * size - first:
        raise NoVectorFormError
    mask = ((1 << bits) - 1) << first
    field, base = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    suffix = "ul" if size == 8 else "u"
    whole = (1 << 8 * size) - 1
    text = f"({base}&(V{size})({whole & ~mask}{suffix}))|(({field}<<(V{size})({first}))&(V{size})({mask}{suffix}))"
    e.assign(i.operands[0], text, size)
