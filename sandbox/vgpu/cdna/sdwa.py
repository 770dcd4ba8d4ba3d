"""Sub-dword addressing: sources and result are bytes or words of registers (CDNA3 ISA, "Sub-Dword Addressing")."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .emitter import DestinationFilter, Emitter
from .instruction import Instruction, Operand, OperandKind
from .types import I32, splat


def apply_sdwa(emitter: Emitter, instruction: Instruction, position: int) -> Instruction:
    """Replace the sources by the parts selected, and set the filter that places the result."""
    operands = list(instruction.operands)
    for offset, selector in enumerate(("src0_sel", "src1_sel")):
        where = position + offset
        if where < len(operands) and selector in instruction.modifiers:
            operands[where] = _select(emitter, operands[where], instruction.modifiers[selector])
    selected = instruction.modifiers.get("dst_sel", "DWORD")
    if selected != "DWORD":
        unused = instruction.modifiers.get("dst_unused", "UNUSED_PAD")
        emitter.destination_filter = SelectedDestination(*_place(selected), unused)
    return replace(instruction, operands=tuple(operands))


def _place(selector: str) -> tuple[int, int]:
    """Shift and width in bits of BYTE_n, WORD_n."""
    unit, number = selector.split("_")
    width = 8 if unit == "BYTE" else 16
    return int(number) * width, width


def _select(emitter: Emitter, operand: Operand, selector: str) -> Operand:
    if selector == "DWORD":
        return operand
    shift, width = _place(selector)
    value = emitter.read_bits(operand, I32)
    value = emitter.binary("shl", I32, value, splat(I32, 32 - shift - width))
    right = "ashr" if operand.sign_extend else "lshr"
    value = emitter.binary(right, I32, value, splat(I32, 32 - width))
    return Operand(OperandKind.COMPUTED, name=value, negate=operand.negate, absolute=operand.absolute)


@dataclass(frozen=True)
class SelectedDestination(DestinationFilter):
    """``unused``: the other bits are zero (UNUSED_PAD), the sign (UNUSED_SEXT) or kept (UNUSED_PRESERVE)."""

    shift: int
    width: int
    unused: str

    def apply(self, emitter: Emitter, register: str, value: str) -> str:
        left = splat(I32, 32 - self.width)
        if self.unused == "UNUSED_SEXT":
            high = emitter.binary("shl", I32, value, left)
            extended = emitter.binary("ashr", I32, high, left)
            return emitter.binary("shl", I32, extended, splat(I32, self.shift))
        mask = ((1 << self.width) - 1) << self.shift
        placed = emitter.binary("shl", I32, value, splat(I32, self.shift))
        placed = emitter.binary("and", I32, placed, splat(I32, mask))
        if self.unused == "UNUSED_PAD":
            return placed
        with emitter.unnoticed():
            old = emitter.read_active(register)
        kept = emitter.binary("and", I32, old, splat(I32, ~mask & 0xFFFFFFFF))
        return emitter.binary("or", I32, placed, kept)
