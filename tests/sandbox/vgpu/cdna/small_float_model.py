"""Floats of 4, 6 and 8 bits of the tests' model: exact values, rounding by search among all patterns."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from fractions import Fraction

from number_formats import F16, F32, Format

BF16 = Format(8, 7)
WIDE = {"f32": F32, "f16": F16, "bf16": BF16}


@dataclass(frozen=True)
class SmallFormat:
    """``kind``: what patterns above the largest number are: ``fnuz``, ``ieee``, ``nan`` or ``finite``."""

    exponent_bits: int
    fraction_bits: int
    bias: int
    kind: str

    @property
    def bits(self) -> int:
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def largest(self) -> int:
        top = (1 << self.bits - 1) - 1
        return {"nan": top - 1, "ieee": top - (1 << self.fraction_bits)}.get(self.kind, top)

    def value(self, magnitude: int) -> Fraction:
        """Of a pattern without its sign."""
        exponent, fraction = divmod(magnitude, 1 << self.fraction_bits)
        if exponent:
            fraction += 1 << self.fraction_bits
        return fraction * Fraction(2) ** (max(exponent, 1) - self.bias - self.fraction_bits)

    def special(self, pattern: int) -> str:
        """``nan``, ``infinity`` or nothing."""
        magnitude, sign = pattern & (1 << self.bits - 1) - 1, pattern >> self.bits - 1
        if self.kind == "fnuz":
            return "nan" if sign and not magnitude else ""
        if magnitude <= self.largest:
            return ""
        return "infinity" if self.kind == "ieee" and magnitude == self.largest + 1 else "nan"

    def overflow(self, saturates: bool) -> int:
        """The magnitude of what is too large; FNUZ: the whole pattern."""
        if saturates or self.kind == "finite":
            return self.largest
        return {"nan": 0x7F, "ieee": self.largest + 1, "fnuz": 0x80}[self.kind]

    def nearest(self, wanted: Fraction, saturates: bool) -> int:
        above = bisect.bisect_left(range(self.largest + 1), wanted, key=self.value)
        candidates = range(max(0, above - 1), above + 1)
        best = min(candidates, key=lambda m: (abs(self.value(m) - wanted), m & 1))
        return self.overflow(saturates) if best > self.largest else best


FORMATS = {
    "fp8": SmallFormat(4, 3, 7, "nan"),
    "bf8": SmallFormat(5, 2, 15, "ieee"),
    "fp6": SmallFormat(2, 3, 1, "finite"),
    "bf6": SmallFormat(3, 2, 3, "finite"),
    "fp4": SmallFormat(2, 1, 1, "finite"),
}
FNUZ = {"fp8": SmallFormat(4, 3, 8, "fnuz"), "bf8": SmallFormat(5, 2, 16, "fnuz")}


def narrow(
    small: SmallFormat, wide: Format, pattern: int, scale: int | None, seed: int | None = None, saturates: bool = False
) -> int:
    """``scale``: the number is divided by two to its power; None is NaN. ``seed``: of a stochastic rounding."""
    sign = pattern >> wide.bits - 1
    high = sign << small.bits - 1
    if wide.is_nan(pattern) or scale is None:
        return 0x80 if small.kind == "fnuz" else high | (1 << small.bits - 1) - 1
    if wide.is_infinite(pattern):
        magnitude = small.overflow(saturates)
    else:
        wanted = abs(wide.value(pattern)) / Fraction(2) ** scale
        if seed is None:
            magnitude = small.nearest(wanted, saturates)
        else:
            magnitude = _stochastic(small, wide, wanted, seed, saturates)
    if small.kind == "fnuz" and magnitude in (0, 0x80):
        return magnitude
    return high | magnitude


def _stochastic(small: SmallFormat, wide: Format, wanted: Fraction, seed: int, saturates: bool) -> int:
    """The number as a multiple of what the wide type can hold below the small type's last bit, cut; plus as many of the
    seed's highest bits; cut to the small type."""
    if wanted == 0:
        return 0
    exponent = 1 - small.bias
    while Fraction(2) ** (exponent + 1) <= wanted:
        exponent += 1
    extra = wide.fraction_bits - small.fraction_bits
    unit = Fraction(2) ** (exponent - wide.fraction_bits)
    steps = wanted // unit + (seed >> 32 - extra)
    kept = int(steps) >> extra
    hidden = 1 << small.fraction_bits
    magnitude = kept if kept < hidden else kept + (exponent + small.bias - 1) * hidden
    return small.overflow(saturates) if magnitude > small.largest else magnitude


def widen(small: SmallFormat, wide: Format, pattern: int, scale: int | None) -> int:
    """Times two to the power of ``scale``, to nearest even; too large is infinite."""
    negative = 0 if small.kind == "fnuz" and small.special(pattern) else pattern >> small.bits - 1
    sign = negative << wide.bits - 1
    if small.special(pattern) == "nan" or scale is None:
        return (pattern >> small.bits - 1 << wide.bits - 1 if scale is None else sign) | wide.nan
    if small.special(pattern) == "infinity":
        return sign | wide.infinity
    value = small.value(pattern & (1 << small.bits - 1) - 1) * Fraction(2) ** scale
    return sign | wide.round(value)


def next_seed(seed: int) -> int:
    return (seed << 1 ^ (197 if seed >> 31 else 0)) & 0xFFFFFFFF


def unpack(words: list[int], bits: int, count: int) -> list[int]:
    whole = sum(word << 32 * k for k, word in enumerate(words))
    return [whole >> bits * k & (1 << bits) - 1 for k in range(count)]


def pack(elements: list[int], bits: int) -> list[int]:
    whole = sum(element << bits * k for k, element in enumerate(elements))
    return [whole >> 32 * k & 0xFFFFFFFF for k in range((bits * len(elements) + 31) // 32)]
