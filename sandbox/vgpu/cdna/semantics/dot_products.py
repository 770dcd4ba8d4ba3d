"""Dot products of packed values, accumulated in 32 bits; computed by helpers."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction
from ..types import F32, I32, VectorType, splat
from .registry import semantics
from .valu_packed import refuse_shared_signs


@semantics
def dot_product(e: Emitter, i: Instruction, *, kind: str, type: VectorType, accumulate: bool = False) -> None:
    """``kind`` names the helper, e.g. f32_f16 or i32_i8. ``accumulate``: the result register is the addend.

    op_sel and op_sel_hi choose halves, neg_lo and neg_hi the signs of floats; 8- and 4-bit forms have none of these.
    """
    refuse_shared_signs(i)
    a, b = (_arranged(e, i, position, type.is_float) for position in range(2))
    c = e.read(i.operands[0] if accumulate else i.operands[3], type)
    clamp = "1" if "clamp" in i.modifiers and not type.is_float else "0"
    places = [e.spill(I32, a), e.spill(I32, b), e.spill(type, c)]
    result = e.temporary(type)
    e.call_void(f"w2w_dot_{kind}", ("i32", clamp), *(("ptr", place) for place in [*places, result]))
    e.write(i.operands[0], type, e.reload(result, type)[0])


def _arranged(e: Emitter, i: Instruction, position: int, has_signs: bool) -> str:
    """Source ``position`` with its halves swapped or repeated and its signs flipped as the modifiers say."""
    operand = i.operands[1 + position]
    value = e.read_bits(operand, F32 if operand.number else I32)
    low, high = i.selectors("op_sel", 0, 3)[position], i.selectors("op_sel_hi", 1, 3)[position]
    if (low, high) != (0, 1):
        shifted = e.binary("lshr", I32, value, splat(I32, 16 * low))
        bottom = e.binary("and", I32, shifted, splat(I32, 0xFFFF))
        top = e.binary("shl", I32, e.binary("lshr", I32, value, splat(I32, 16 * high)), splat(I32, 16))
        value = e.binary("or", I32, bottom, top)
    if not has_signs:
        return value
    flips = 0x8000 * i.selectors("neg_lo", 0, 3)[position] + 0x80000000 * i.selectors("neg_hi", 0, 3)[position]
    return e.binary("xor", I32, value, splat(I32, flips)) if flips else value
