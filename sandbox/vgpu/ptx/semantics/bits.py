"""Logic, shifts and bit fields. PTX ISA 9.7.1 and 9.7.8."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..syntax import Immediate, Instruction, Pair
from ..types import BYTES, SIGNED

_PERMUTE_MODES = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}
"""prmt's selectors, least significant byte last, for c & 3 = 0 to 3."""


def _logic(e: FunctionEmitter, i: Instruction, operator: str) -> None:
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"{a}{operator}{b}")


def bitwise_and(e: FunctionEmitter, i: Instruction) -> None:
    _logic(e, i, "&")


def bitwise_or(e: FunctionEmitter, i: Instruction) -> None:
    _logic(e, i, "|")


def bitwise_xor(e: FunctionEmitter, i: Instruction) -> None:
    _logic(e, i, "^")


def bitwise_not(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"{'!' if i.type == 'pred' else '~'}{e.value(i.operands[1], i.type)}")


def logical_not(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"!{e.value(i.operands[1], i.type)}")


def logic3(e: FunctionEmitter, i: Instruction) -> None:
    table = i.operands[4]
    if not isinstance(table, Immediate):
        raise UnsupportedInstructionError("lop3 with a table that is no constant")
    a, b, c = (e.value(operand, "b32") for operand in i.operands[1:4])
    e.emit(f"u32 r=logic3({a},{b},{c},{table.bits & 255});")
    result = i.operands[0]
    if isinstance(result, Pair):
        operator = "&&" if "and" in i.modifiers else "||"
        e.assign(result.second, f"(r!=0){operator}{e.value(i.operands[5], 'pred')}")
        result = result.first
    e.assign(result, "r")


def shift_left(e: FunctionEmitter, i: Instruction) -> None:
    bits = 8 * BYTES[i.type]
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], "u32")
    wide = f"(u32){a}" if bits < 32 else a
    e.assign(i.operands[0], f"{b}>={bits}?0:{wide}<<{b}")


def shift_right(e: FunctionEmitter, i: Instruction) -> None:
    bits = 8 * BYTES[i.type]
    b = e.value(i.operands[2], "u32")
    if i.type.startswith("s"):
        e.assign(i.operands[0], f"{e.signed(i.operands[1], i.type)}>>({b}>={bits}?{bits - 1}:{b})")
    else:
        e.assign(i.operands[0], f"{b}>={bits}?0:{e.value(i.operands[1], i.type)}>>{b}")


def funnel_shift(e: FunctionEmitter, i: Instruction) -> None:
    a, b, c = (e.value(operand, "u32") for operand in i.operands[1:4])
    direction = "left" if "l" in i.modifiers else "right"
    e.assign(i.operands[0], f"funnel_{direction}({a},{b},{c},{int('wrap' in i.modifiers)})")


def permute_bytes(e: FunctionEmitter, i: Instruction) -> None:
    a, b, c = (e.value(operand, "b32") for operand in i.operands[1:4])
    for mode, selectors in _PERMUTE_MODES.items():
        if mode in i.modifiers:
            rows = ",".join(hex(selector) for selector in selectors)
            e.assign(i.operands[0], f"permute_mode({a},{b},{c},(const u16[4]){{{rows}}})")
            return
    e.assign(i.operands[0], f"permute_bytes({a},{b},{c})")


def count_bits(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"__builtin_popcountl({e.value(i.operands[1], i.type)})")


def count_leading_zeros(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"leading_zeros_{i.type}({e.value(i.operands[1], i.type)})")


def find_bit(e: FunctionEmitter, i: Instruction) -> None:
    e.emit(f"u32 r=find_bit_{i.type}({e.value(i.operands[1], i.type)});")
    top = 8 * BYTES[i.type] - 1
    e.assign(i.operands[0], f"r==~0u?r:{top}-r" if "shiftamt" in i.modifiers else "r")


def find_nth_set(e: FunctionEmitter, i: Instruction) -> None:
    mask, base, offset = (e.value(operand, "u32") for operand in i.operands[1:4])
    e.assign(i.operands[0], f"find_nth_set({mask},{base},(s32){offset})")


def reverse_bits(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"reverse_{i.type}({e.value(i.operands[1], i.type)})")


def extract_field(e: FunctionEmitter, i: Instruction) -> None:
    a = e.value(i.operands[1], i.type)
    position, length = e.value(i.operands[2], "u32"), e.value(i.operands[3], "u32")
    sign = int(i.type.startswith("s"))
    e.assign(i.operands[0], f"extract_field({a},{position},{length},{8 * BYTES[i.type]},{sign})")


def insert_field(e: FunctionEmitter, i: Instruction) -> None:
    field, base = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    position, length = e.value(i.operands[3], "u32"), e.value(i.operands[4], "u32")
    e.assign(i.operands[0], f"insert_field({field},{base},{position},{length},{8 * BYTES[i.type]})")


def make_mask(e: FunctionEmitter, i: Instruction) -> None:
    position, length = e.value(i.operands[1], "u32"), e.value(i.operands[2], "u32")
    e.assign(i.operands[0], f"make_mask({position},{length},{int('wrap' in i.modifiers)})")


def sign_extend(e: FunctionEmitter, i: Instruction) -> None:
    a, bits = e.value(i.operands[1], "u32"), e.value(i.operands[2], "u32")
    sign = int(i.type in SIGNED.values())
    e.assign(i.operands[0], f"sign_extend_bits({a},{bits},{int('wrap' in i.modifiers)},{sign})")
