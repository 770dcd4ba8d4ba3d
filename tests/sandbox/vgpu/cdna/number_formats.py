"""Exact arithmetic on IEEE patterns for the tests' model: values are fractions, results are rounded once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

NEAREST, UP, DOWN, TO_ZERO = range(4)


class Rounding:
    """The mode of operations that are given none."""

    current = NEAREST


class Ieee:
    """MODE.IEEE: minimum and maximum make signalling NaNs quiet."""

    current = True


@dataclass(frozen=True)
class Format:
    exponent_bits: int
    fraction_bits: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def sign(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def top(self) -> int:
        return (1 << self.exponent_bits) - 1

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self) -> int:
        return self.top << self.fraction_bits

    @property
    def nan(self) -> int:
        return self.infinity | 1 << (self.fraction_bits - 1)

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    def is_nan(self, pattern: int) -> bool:
        return pattern & ~self.sign & self.mask > self.infinity

    def is_signalling(self, pattern: int) -> bool:
        return self.is_nan(pattern) and not pattern >> (self.fraction_bits - 1) & 1

    def quiet(self, pattern: int) -> int:
        return pattern | 1 << (self.fraction_bits - 1)

    def is_infinite(self, pattern: int) -> bool:
        return pattern & ~self.sign & self.mask == self.infinity

    def is_zero(self, pattern: int) -> bool:
        return pattern & ~self.sign & self.mask == 0

    def is_negative(self, pattern: int) -> bool:
        return bool(pattern & self.sign)

    def value(self, pattern: int) -> Fraction:
        """Of a finite pattern."""
        exponent = pattern >> self.fraction_bits & self.top
        fraction = pattern & ((1 << self.fraction_bits) - 1)
        if exponent:
            fraction |= 1 << self.fraction_bits
        else:
            exponent = 1
        scale = exponent - self.bias - self.fraction_bits
        magnitude = Fraction(fraction) * (Fraction(2) ** scale)
        return -magnitude if self.is_negative(pattern) else magnitude

    def round(self, value: Fraction, mode: int | None = None, zero_sign: int = 0) -> int:
        """The pattern nearest to ``value`` by ``mode``; an exact zero gets ``zero_sign``."""
        if value == 0:
            return self.sign if zero_sign else 0
        mode = Rounding.current if mode is None else mode
        sign = self.sign if value < 0 else 0
        magnitude = abs(value)
        exponent = max(_floor_log2(magnitude), 1 - self.bias)
        unit = Fraction(2) ** (exponent - self.fraction_bits)
        quotient = magnitude / unit
        whole = math.floor(quotient)
        rest = quotient - whole
        if rest:
            if mode == NEAREST:
                whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1)
            elif (mode == UP and not sign) or (mode == DOWN and sign):
                whole += 1
        hidden = 1 << self.fraction_bits
        pattern = whole if whole < hidden else whole + ((exponent + self.bias - 1) << self.fraction_bits)
        if pattern >= self.infinity:
            to_infinity = mode == NEAREST or (mode == UP and not sign) or (mode == DOWN and sign)
            pattern = self.infinity if to_infinity else self.infinity - 1
        return sign | pattern


def _floor_log2(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


F16, F32, F64 = Format(5, 10), Format(8, 23), Format(11, 52)
FORMATS = {"f16": F16, "f32": F32, "f64": F64}


def add(f: Format, a: int, b: int, mode: int | None = None) -> int:
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        if f.is_infinite(a) and f.is_infinite(b) and a != b:
            return f.nan
        return a if f.is_infinite(a) else b
    return f.round(f.value(a) + f.value(b), mode, _sum_zero_sign(f, a, b, mode))


def _sum_zero_sign(f: Format, a: int, b: int, mode: int | None) -> int:
    if f.is_negative(a) == f.is_negative(b):
        return int(f.is_negative(a))
    return int((Rounding.current if mode is None else mode) == DOWN)


def multiply(f: Format, a: int, b: int, mode: int | None = None) -> int:
    sign = (a ^ b) & f.sign
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        return f.nan if f.is_zero(a) or f.is_zero(b) else f.infinity | sign
    return f.round(f.value(a) * f.value(b), mode, int(sign != 0))


def fused(f: Format, a: int, b: int, c: int, mode: int | None = None) -> int:
    if f.is_nan(a) or f.is_nan(b) or f.is_nan(c):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        product = multiply(f, a, b)
        return add(f, product, c) if not f.is_nan(product) else f.nan
    if f.is_infinite(c):
        return c
    product_sign = (a ^ b) & f.sign
    total = f.value(a) * f.value(b) + f.value(c)
    return f.round(total, mode, _sum_zero_sign(f, product_sign, c, mode))


def convert(source: Format, target: Format, pattern: int, mode: int | None = None) -> int:
    if source.is_nan(pattern):
        return target.nan
    sign = target.sign if source.is_negative(pattern) else 0
    if source.is_infinite(pattern):
        return sign | target.infinity
    return target.round(source.value(pattern), mode, int(sign != 0))


def to_integer(f: Format, pattern: int, bits: int, signed: bool) -> int:
    """Towards zero, saturated; NaN gives 0."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if f.is_nan(pattern):
        return 0
    if f.is_infinite(pattern):
        value = low if f.is_negative(pattern) else high
    else:
        value = max(low, min(high, math.trunc(f.value(pattern))))
    return value & ((1 << bits) - 1)


def compare(f: Format, a: int, b: int) -> str:
    """``lt``, ``eq``, ``gt`` or ``unordered``."""
    if f.is_nan(a) or f.is_nan(b):
        return "unordered"
    x, y = _ordered(f, a), _ordered(f, b)
    return "lt" if x < y else "gt" if x > y else "eq"


def _ordered(f: Format, pattern: int) -> Fraction:
    if f.is_infinite(pattern):
        return Fraction(-(10**400) if f.is_negative(pattern) else 10**400)
    return f.value(pattern)


def extreme(f: Format, op: str, a: int, b: int) -> int:
    """CDNA4 ISA, V_MIN_F32 and V_MAX_F32: a NaN loses, unless it signals in IEEE mode; -0 is below +0."""
    if Ieee.current and f.is_signalling(a):
        return f.quiet(a)
    if Ieee.current and f.is_signalling(b):
        return f.quiet(b)
    if f.is_nan(a):
        return b
    return a if f.is_nan(b) else _extreme_number(f, op, a, b)


def _extreme_number(f: Format, op: str, a: int, b: int) -> int:
    order = compare(f, a, b)
    if order == "eq":
        negative = a if f.is_negative(a) else b
        positive = b if f.is_negative(a) else a
        return negative if op == "min" else positive
    return a if (order == "lt") == (op == "min") else b


def extreme_or_nan(f: Format, op: str, a: int, b: int) -> int:
    """IEEE 754-2019 minimum and maximum: any NaN wins, signalling ones first."""
    for pattern in (a, b):
        if f.is_signalling(pattern):
            return f.quiet(pattern)
    for pattern in (a, b):
        if f.is_nan(pattern):
            return pattern
    return _extreme_number(f, op, a, b)
