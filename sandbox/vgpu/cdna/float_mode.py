"""MODE: rounding, denormals, clamping. What is known of it at translation time, and what that does to floats.

Fields of MODE[7:0]: rounding of single, rounding of double and half, denormals of single, denormals of double and half,
two bits each (CDNA3 ISA, "Mode register").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import wave_layout
from .types import F32, I1, VectorType, splat

if TYPE_CHECKING:
    from .emitter import Emitter

ROUND_TO_NEAREST = 0
_KEEP_INPUT, _KEEP_OUTPUT = 1, 2
_OUTPUT_FACTORS = {("mul", "2"): "2.0", ("mul", "4"): "4.0", ("div", "2"): "0.5"}


@dataclass(frozen=True)
class FloatMode:
    """``bits``: MODE[7:0], or None where it depends on the path taken."""

    bits: int | None
    ieee: bool = True
    dx10_clamp: bool = True

    def with_bits(self, bits: int | None) -> FloatMode:
        return replace(self, bits=bits)

    def merge(self, other: FloatMode) -> FloatMode:
        return self if self.bits == other.bits else self.with_bits(None)

    def set_field(self, offset: int, width: int, value: int | None) -> FloatMode:
        """After s_setreg of ``width`` bits at ``offset`` of MODE; ``value`` None: not known."""
        if offset >= 8:
            return self
        if value is None or self.bits is None:
            return self.with_bits(None)
        mask = ((1 << width) - 1) << offset & 0xFF
        return self.with_bits((self.bits & ~mask) | (value << offset & mask))

    def rounding(self, kind: VectorType) -> int | None:
        """0 to nearest even, 1 up, 2 down, 3 to zero; None if not known."""
        return None if self.bits is None else self.bits >> (0 if kind is F32 else 2) & 3

    def rounding_value(self, emitter: Emitter, kind: VectorType) -> str:
        """The rounding mode as an i32 value."""
        known = self.rounding(kind)
        if known is not None:
            return str(known)
        return self._field(emitter, 0 if kind is F32 else 2)

    def _field(self, emitter: Emitter, shift: int) -> str:
        mode = emitter.load_wave("i32", wave_layout.MODE)
        return emitter.binary("and", "i32", emitter.binary("lshr", "i32", mode, str(shift)), "3")

    def flush_input(self, emitter: Emitter, kind: VectorType, value: str) -> str:
        return self._flush(emitter, kind, value, _KEEP_INPUT)

    def _flush(self, emitter: Emitter, kind: VectorType, value: str, keep: int) -> str:
        shift = 4 if kind is F32 else 6
        if self.bits is not None:
            if self.bits >> shift & keep:
                return value
            return emitter.inline(f"flush.{kind.suffix[3:]}", kind, (kind, value))
        flushed = emitter.inline(f"flush.{kind.suffix[3:]}", kind, (kind, value))
        kept = emitter.binary("and", "i32", self._field(emitter, shift), str(keep))
        condition = emitter.compare("ne", "i32", kept, "0")
        return emitter.value(f"select i1 {condition}, {kind} {value}, {kind} {flushed}")

    def finish(self, emitter: Emitter, kind: VectorType, value: str) -> str:
        """Output denormals, output modifier, clamp."""
        value = self._flush(emitter, kind, value, _KEEP_OUTPUT)
        assert emitter.instruction is not None
        modifiers = emitter.instruction.modifiers
        for (name, amount), factor in _OUTPUT_FACTORS.items():
            if modifiers.get(name) == amount and self._allows_output_modifier(kind):
                value = emitter.binary("fmul", kind, value, splat(kind, factor))
        return self.clamp(emitter, kind, value) if "clamp" in modifiers else value

    def _allows_output_modifier(self, kind: VectorType) -> bool:
        """The hardware ignores omod in IEEE mode and with output denormals (LLVM, SIFoldOperands)."""
        shift = 4 if kind is F32 else 6
        return not self.ieee and self.bits is not None and not self.bits >> shift & _KEEP_OUTPUT

    def clamp(self, emitter: Emitter, kind: VectorType, value: str) -> str:
        """To [0, 1]; NaN becomes 0 if DX10_CLAMP is set."""
        clamped = emitter.intrinsic("maximumnum", kind, value, "zeroinitializer")
        clamped = emitter.intrinsic("minimumnum", kind, clamped, splat(kind, "1.0"))
        if self.dx10_clamp:
            return clamped
        is_nan = emitter.compare("uno", kind, value, value)
        return emitter.value(f"select {I1} {is_nan}, {kind} {value}, {kind} {clamped}")
