"""What vector instructions compute for one lane: patterns in, patterns out. Part of the tests' model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import number_formats as nf
from number_formats import F16, F32, F64, FORMATS, Format
from small_float_model import SmallFormat, narrow

Compute = Callable[..., Any]
_WIDTH = {"f16": 16, "f32": 32, "f64": 64, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64, "i24": 32}


@dataclass(frozen=True)
class Operation:
    """``compute`` takes the sources (then the old result if ``accumulates``, then the carry in) and gives the results,
    and the carry if ``carry_out``. Integers results may be out of range: they wrap, or saturate with clamp.

    ``takes_line``: it also wants the instruction and the lane (``line``, ``lane``)."""

    results: tuple[str, ...]
    sources: tuple[str, ...]
    compute: Compute
    carry_in: str = ""
    carry_out: bool = False
    accumulates: bool = False
    takes_line: bool = False
    saturates: bool = True

    def run(self, sources: list[int], clamp: bool, line: Any, lane: int) -> tuple[list[int], int]:
        kinds = [*self.sources, *([self.results[0]] if self.accumulates else [])]
        values = [_signed(value, kind) for value, kind in zip(sources, [*kinds, "u32"], strict=False)]
        extra = {"line": line, "lane": lane} if self.takes_line else {}
        outcome = self.compute(*values, **extra)
        carry = 0
        if self.carry_out:
            outcome, carry = outcome
        results = outcome if isinstance(outcome, list) else [outcome]
        return [
            _fit(value, kind, clamp and self.saturates) for value, kind in zip(results, self.results, strict=True)
        ], carry


def _signed(value: int, kind: str) -> int:
    if kind[0] != "i" or kind == "i24":
        return value
    width = _WIDTH[kind]
    return value - (1 << width) if value >> (width - 1) & 1 else value


def _fit(value: int, kind: str, clamp: bool) -> int:
    width = _WIDTH.get(kind, 32)
    if clamp and kind[0] in "iu":
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind[0] == "i" else (0, (1 << width) - 1)
        value = max(low, min(high, value))
    return value & ((1 << width) - 1)


OPERATIONS: dict[str, Operation] = {}
KEEPS_HALF = {"v_mac_f16", "v_madak_f16", "v_madmk_f16", "v_fma_mixlo_f16", "v_add_i16", "v_sub_i16", "v_bitop3_b16"}
KEEPS_HALF |= {"v_ashr_pk_i8_i32", "v_ashr_pk_u8_i32"}
KEEPS_HALF |= {f"v_{op}3_{t}" for op in ("min", "max", "med") for t in ("f16", "i16", "u16")}


def op(name: str, result: str, sources: str, compute: Compute, **more: Any) -> None:
    OPERATIONS[name] = Operation(tuple(result.split()), tuple(sources.split()), compute, **more)


PARTITIONS = [
    int(digit, 16)
    for digit in "137f5fff7fffffff"
    "f26efafffbffffff"
    "df4cff5fffdfffff"
    "9bf8fffafffeffff"
    "ffff4cdf6fffefff"
    "fffff89bf99ffdff"
    "ffff7f13ff9fffbf"
    "ffff6ef26ff6fff7"
    "bfffffff23bfafff"
    "f7fffffff19df5ff"
    "ffefffffef8cffaf"
    "fffdffff67f4fff5"
    "9fffdfffffff8cef"
    "f66ffefffffff467"
    "ff6fff7fffffbf23"
    "9ff9fffbffff9df1"
]
"""Vega ISA, V_SCREEN_PARTITION_4SE_B32."""


def _bits(x: int) -> int:
    return x & 0xFFFFFFFF


# ---- floats ----------------------------------------------------------------------------------------------


def _negated(f: Format, x: int) -> int:
    return x ^ f.sign


def _floats(f: Format, t: str) -> None:
    op(f"v_add_{t}", t, f"{t} {t}", lambda a, b: nf.add(f, a, b))
    op(f"v_sub_{t}", t, f"{t} {t}", lambda a, b: nf.add(f, a, _negated(f, b)))
    op(f"v_subrev_{t}", t, f"{t} {t}", lambda a, b: nf.add(f, b, _negated(f, a)))
    op(f"v_mul_{t}", t, f"{t} {t}", lambda a, b: nf.multiply(f, a, b))
    op(f"v_fma_{t}", t, f"{t} {t} {t}", lambda a, b, c: nf.fused(f, a, b, c))
    op(f"v_fmac_{t}", t, f"{t} {t}", lambda a, b, c: nf.fused(f, a, b, c), accumulates=True)
    for name in ("min", "max"):
        op(f"v_{name}_{t}", t, f"{t} {t}", lambda a, b, n=name: nf.extreme(f, n, a, b))
        op(f"v_{name}3_{t}", t, f"{t} {t} {t}", lambda a, b, c, n=name: nf.extreme(f, n, nf.extreme(f, n, a, b), c))
    op(f"v_med3_{t}", t, f"{t} {t} {t}", lambda a, b, c: _median(f, a, b, c))
    op(f"v_trunc_{t}", t, t, lambda a: _integral(f, a, math.trunc))
    op(f"v_floor_{t}", t, t, lambda a: _integral(f, a, math.floor))
    op(f"v_ceil_{t}", t, t, lambda a: _integral(f, a, math.ceil))
    op(f"v_rndne_{t}", t, t, lambda a: _integral(f, a, round))
    op(f"v_fract_{t}", t, t, lambda a: _fraction(f, a))
    op(f"v_ldexp_{t}", t, f"{t} {'i16' if t == 'f16' else 'i32'}", lambda a, b: _scaled(f, a, b))
    op(f"v_frexp_mant_{t}", t, t, lambda a: _mantissa(f, a)[0])
    exponent = "i16_f16" if t == "f16" else f"i32_{t}"
    op(f"v_frexp_exp_{exponent}", exponent[:3], t, lambda a: _mantissa(f, a)[1])
    op(f"v_div_fixup_{t}", t, f"{t} {t} {t}", lambda a, b, c: _division_fixup(f, a, b, c))


def _median(f: Format, a: int, b: int, c: int) -> int:
    """CDNA4 ISA, V_MED3_F32."""
    if f.is_nan(a) or f.is_nan(b) or f.is_nan(c):
        return nf.extreme(f, "min", nf.extreme(f, "min", a, b), c)
    greatest = nf.extreme(f, "max", nf.extreme(f, "max", a, b), c)
    if nf.compare(f, greatest, a) == "eq":
        return nf.extreme(f, "max", b, c)
    return nf.extreme(f, "max", a, c if nf.compare(f, greatest, b) == "eq" else b)


def _integral(f: Format, a: int, rounding: Callable[[Fraction], int]) -> int:
    if f.is_nan(a) or f.is_infinite(a):
        return a
    return f.round(Fraction(rounding(f.value(a))), zero_sign=int(f.is_negative(a)))


def _fraction(f: Format, a: int) -> int:
    if f.is_nan(a) or f.is_infinite(a):
        return f.nan
    value = f.value(a)
    result = f.round(value - math.floor(value))
    one = f.bias << f.fraction_bits
    return min(result, one - 1)


def _scaled(f: Format, a: int, exponent: int) -> int:
    if f.is_nan(a) or f.is_infinite(a) or f.is_zero(a):
        return a
    bounded = max(-5000, min(5000, exponent))
    return f.round(f.value(a) * Fraction(2) ** bounded, zero_sign=int(f.is_negative(a)))


def _mantissa(f: Format, a: int) -> tuple[int, int]:
    if f.is_nan(a) or f.is_infinite(a) or f.is_zero(a):
        return a, 0
    value, exponent = f.value(a), 0
    while abs(value) >= 1:
        value, exponent = value / 2, exponent + 1
    while abs(value) < Fraction(1, 2):
        value, exponent = value * 2, exponent - 1
    return f.round(value), exponent


def _division_fixup(f: Format, quotient: int, denominator: int, numerator: int) -> int:
    sign = (denominator ^ numerator) & f.sign
    if f.is_nan(numerator) or f.is_nan(denominator):
        return f.quiet(numerator if f.is_nan(numerator) else denominator)
    both_zero = f.is_zero(numerator) and f.is_zero(denominator)
    if both_zero or (f.is_infinite(numerator) and f.is_infinite(denominator)):
        return f.nan | f.sign
    if f.is_zero(denominator) or f.is_infinite(numerator):
        return sign | f.infinity
    if f.is_infinite(denominator) or f.is_zero(numerator):
        return sign
    if f.is_nan(quotient):
        return sign | f.infinity
    return sign | quotient & ~f.sign


for _name, _format in FORMATS.items():
    _floats(_format, _name)
op("v_fma_legacy_f16", "f16", "f16 f16 f16", lambda a, b, c: nf.fused(F16, a, b, c))
op("v_div_fixup_legacy_f16", "f16", "f16 f16 f16", lambda a, b, c: _division_fixup(F16, a, b, c))
for _n in ("min", "max"):
    op(
        f"v_{_n}imum3_f32",
        "f32",
        "f32 f32 f32",
        lambda a, b, c, n=_n: nf.extreme_or_nan(F32, n, nf.extreme_or_nan(F32, n, a, b), c),
    )


def _fmas(f: Format, far: int) -> Compute:
    """See v_div_fmas_f32 in corrections.toml: scaled back by 2^far, up where the addend is large."""

    def run(a: int, b: int, c: int, flag: int) -> int:
        total = nf.fused(f, a, b, c)
        if not flag:
            return total
        exponent = f.bias + (far if c >> f.fraction_bits & f.top > f.bias else -far)
        return nf.multiply(f, total, exponent << f.fraction_bits)

    return run


op("v_div_fmas_f32", "f32", "f32 f32 f32", _fmas(F32, 64), carry_in="vcc")
op("v_div_fmas_f64", "f64", "f64 f64 f64", _fmas(FORMATS["f64"], 128), carry_in="vcc")
for _t in ("fmaak", "fmamk"):
    op(f"v_{_t}_f32", "f32", "f32 f32 f32", lambda a, b, c: nf.fused(F32, a, b, c))


def _unfused16(a: int, b: int, c: int) -> int:
    return nf.add(F16, nf.multiply(F16, a, b), c)


op("v_mac_f16", "f16", "f16 f16", _unfused16, accumulates=True)
op("v_mad_f16", "f16", "f16 f16 f16", _unfused16)
op("v_mad_legacy_f16", "f16", "f16 f16 f16", _unfused16)
op("v_madak_f16", "f16", "f16 f16 f16", _unfused16)
op("v_madmk_f16", "f16", "f16 f16 f16", _unfused16)
op(
    "v_mul_legacy_f32",
    "f32",
    "f32 f32",
    lambda a, b: 0 if F32.is_zero(a) or F32.is_zero(b) else nf.multiply(F32, a, b),
)

# ---- conversions -----------------------------------------------------------------------------------------

for _a in FORMATS:
    for _b in FORMATS:
        op(f"v_cvt_{_a}_{_b}", _a, _b, lambda x, a=_a, b=_b: nf.convert(FORMATS[b], FORMATS[a], x))
    for _i in ("i16", "u16", "i32", "u32"):
        op(f"v_cvt_{_a}_{_i}", _a, _i, lambda x, a=_a: FORMATS[a].round(Fraction(x)))
        op(
            f"v_cvt_{_i}_{_a}",
            _i,
            _a,
            lambda x, a=_a, i=_i: nf.to_integer(FORMATS[a], x, _WIDTH[i], i[0] == "i"),
            saturates=False,
        )
for _k in range(4):
    op(f"v_cvt_f32_ubyte{_k}", "f32", "u32", lambda x, k=_k: F32.round(Fraction(x >> 8 * k & 255)))
op("v_cvt_off_f32_i4", "f32", "u32", lambda x: F32.round(Fraction((x & 15) - 16 * (x >> 3 & 1), 16)))
op(
    "v_cvt_flr_i32_f32",
    "i32",
    "f32",
    lambda x: nf.to_integer(F32, _integral(F32, x, math.floor), 32, True),
    saturates=False,
)
op("v_cvt_pk_i16_i32", "u32", "i32 i32", lambda a, b: _pack16(max(-32768, min(32767, a)), max(-32768, min(32767, b))))
op("v_cvt_pk_u16_u32", "u32", "u32 u32", lambda a, b: _pack16(min(65535, a), min(65535, b)))
op(
    "v_cvt_pkrtz_f16_f32",
    "u32",
    "f32 f32",
    lambda a, b: _pack16(*(nf.convert(F32, F16, x, nf.TO_ZERO) for x in (a, b))),
)
op("v_cvt_pk_f16_f32", "u32", "f32 f32", lambda a, b: _pack16(nf.convert(F32, F16, a), nf.convert(F32, F16, b)))
op("v_pack_b32_f16", "u32", "f16 f16", lambda a, b: _pack16(a, b))
op("v_cvt_pk_u8_f32", "u32", "f32 u32 u32", lambda a, b, c: _byte_into(a, b, c))


def _pack16(low: int, high: int) -> int:
    return low & 0xFFFF | (high & 0xFFFF) << 16


def _byte_into(a: int, where: int, into: int) -> int:
    shift = 8 * (where & 3)
    byte = nf.to_integer(F32, _integral(F32, a, round), 8, False)
    return into & ~(255 << shift) | byte << shift


op("v_cvt_pkaccum_u8_f32", "u32", "f32 u32", lambda a, b, old: _byte_into(a, b, old), accumulates=True)
op("v_cvt_rpi_i32_f32", "i32", "f32", lambda a: _half_up(a), saturates=False)


def _half_up(a: int) -> int:
    """floor(S0 + 0.5), the sum rounded to a single."""
    total = nf.add(F32, a, 0x3F000000)
    return nf.to_integer(F32, _integral(F32, total, math.floor), 32, True)


def _norm(f: Format, a: int, signed: bool) -> int:
    """The nearest multiple of 1/32767 or 1/65535; NaN gives 0."""
    low, high, scale = (-1, 1, 32767) if signed else (0, 1, 65535)
    if f.is_nan(a):
        return 0
    if f.is_infinite(a):
        return low * scale if f.is_negative(a) else high * scale
    scaled = F32.value(nf.multiply(F32, nf.convert(f, F32, a), F32.round(Fraction(scale))))
    return round(max(Fraction(low * scale), min(Fraction(high * scale), scaled)))


for _i, _is_signed in (("i16", True), ("u16", False)):
    op(f"v_cvt_norm_{_i}_f16", _i, "f16", lambda a, s=_is_signed: _norm(F16, a, s))
    for _a in ("f16", "f32"):
        op(
            f"v_cvt_pknorm_{_i}_{_a}",
            "u32",
            f"{_a} {_a}",
            lambda a, b, f=FORMATS[_a], s=_is_signed: _pack16(_norm(f, a, s), _norm(f, b, s)),
        )

# ---- integers --------------------------------------------------------------------------------------------

for _t in ("u16", "i16", "u32", "i32"):
    op(f"v_add_{_t}", _t, f"{_t} {_t}", lambda a, b: a + b)
    op(f"v_sub_{_t}", _t, f"{_t} {_t}", lambda a, b: a - b)
    op(f"v_subrev_{_t}", _t, f"{_t} {_t}", lambda a, b: b - a)
    op(f"v_mul_lo_{_t}", _t, f"{_t} {_t}", lambda a, b: a * b, saturates=False)
    op(f"v_min_{_t}", _t, f"{_t} {_t}", min)
    op(f"v_max_{_t}", _t, f"{_t} {_t}", max)
    op(f"v_min3_{_t}", _t, f"{_t} {_t} {_t}", min)
    op(f"v_max3_{_t}", _t, f"{_t} {_t} {_t}", max)
    op(f"v_med3_{_t}", _t, f"{_t} {_t} {_t}", lambda a, b, c: sorted((a, b, c))[1])
    op(f"v_mad_{_t}", _t, f"{_t} {_t} {_t}", lambda a, b, c: a * b + c)
    op(f"v_mad_legacy_{_t}", _t, f"{_t} {_t} {_t}", lambda a, b, c: a * b + c)
for _s in ("u", "i"):
    op(f"v_mul_hi_{_s}32", f"{_s}32", f"{_s}32 {_s}32", lambda a, b: a * b >> 32)
    op(f"v_mad_{_s}32_{_s}16", f"{_s}32", f"{_s}16 {_s}16 {_s}32", lambda a, b, c: a * b + c)
    op(
        f"v_mad_{_s}64_{_s}32",
        f"{_s}64",
        f"{_s}32 {_s}32 {_s}64",
        lambda a, b, c, s=_s: (a * b + c, (a * b + c) >> 64 & 1),
        carry_out=True,
    )


def _low24(x: int, signed: bool) -> int:
    x &= 0xFFFFFF
    return x - (1 << 24) if signed and x >> 23 else x


for _s, _signed24 in (("u", False), ("i", True)):
    op(f"v_mul_{_s}32_{_s}24", "u32", "u32 u32", lambda a, b, s=_signed24: _low24(a, s) * _low24(b, s), saturates=False)
    op(
        f"v_mul_hi_{_s}32_{_s}24",
        "u32",
        "u32 u32",
        lambda a, b, s=_signed24: _low24(a, s) * _low24(b, s) >> 32,
        saturates=False,
    )
    op(
        f"v_mad_{_s}32_{_s}24",
        f"{_s}32",
        f"u32 u32 {_s}32",
        lambda a, b, c, s=_signed24: _low24(a, s) * _low24(b, s) + c,
    )

op("v_add_co_u32", "u32", "u32 u32", lambda a, b: (a + b, a + b >> 32 & 1), carry_out=True)
op("v_sub_co_u32", "u32", "u32 u32", lambda a, b: (a - b, int(a < b)), carry_out=True)
op("v_subrev_co_u32", "u32", "u32 u32", lambda a, b: (b - a, int(b < a)), carry_out=True)
_with = {"carry_out": True, "carry_in": "operand"}
op("v_addc_co_u32", "u32", "u32 u32", lambda a, b, c: (a + b + c, int(a + b + c > 0xFFFFFFFF)), **_with)
op("v_subb_co_u32", "u32", "u32 u32", lambda a, b, c: (a - b - c, int(a < b + c)), **_with)
op("v_subbrev_co_u32", "u32", "u32 u32", lambda a, b, c: (b - a - c, int(b < a + c)), **_with)
op("v_cndmask_b32", "u32", "u32 u32", lambda a, b, c: b if c else a, carry_in="operand")


def _bytes(x: int) -> list[int]:
    return [x >> 8 * k & 255 for k in range(4)]


def _sad(a: int, b: int) -> int:
    return sum(abs(x - y) for x, y in zip(_bytes(a), _bytes(b), strict=True))


op("v_sad_u8", "u32", "u32 u32 u32", lambda a, b, c: _sad(a, b) + c)
op("v_sad_hi_u8", "u32", "u32 u32 u32", lambda a, b, c: (_sad(a, b) << 16) + c)
op("v_sad_u16", "u32", "u32 u32 u32", lambda a, b, c: abs((a & 65535) - (b & 65535)) + abs((a >> 16) - (b >> 16)) + c)
op("v_sad_u32", "u32", "u32 u32 u32", lambda a, b, c: abs(a - b) + c)
op("v_msad_u8", "u32", "u32 u32 u32", lambda a, b, c: _masked_sad(a, b) + c)
op(
    "v_lerp_u8",
    "u32",
    "u32 u32 u32",
    lambda a, b, c: sum(
        (x + y + (z & 1)) >> 1 << 8 * k for k, (x, y, z) in enumerate(zip(_bytes(a), _bytes(b), _bytes(c), strict=True))
    ),
)


def _masked_sad(a: int, b: int) -> int:
    return sum(abs(x - y) for x, y in zip(_bytes(a), _bytes(b), strict=True) if y)


def _quad_sad(sad: Callable[[int, int], int]) -> Compute:
    """Four sums over a window that moves by a byte; clamp saturates each."""

    def run(window: int, reference: int, sums: int, line: Any, lane: int) -> int:
        total = 0
        for k in range(4):
            value = sad(window >> 8 * k & 0xFFFFFFFF, reference) + (sums >> 16 * k & 65535)
            total |= (min(value, 65535) if "clamp" in line.modifiers else value & 65535) << 16 * k
        return total

    return run


op("v_qsad_pk_u16_u8", "u64", "u64 u32 u64", _quad_sad(_sad), takes_line=True)
op("v_mqsad_pk_u16_u8", "u64", "u64 u32 u64", _quad_sad(_masked_sad), takes_line=True)

op("v_mul_lo_i32", "u32", "u32 u32", lambda a, b: a * b, saturates=False)
for _s, _low, _high in (("i8", -128, 127), ("u8", 0, 255)):
    op(
        f"v_ashr_pk_{_s}_i32",
        "u16",
        "i32 i32 u32",
        lambda a, b, c, low=_low, high=_high: sum(
            (max(low, min(high, x >> (c & 31))) & 255) << 8 * k for k, x in enumerate((a, b))
        ),
        saturates=False,
    )

# ---- cube maps -------------------------------------------------------------------------------------------


def _cube(x: int, y: int, z: int) -> tuple[str, bool]:
    """The axis that is longest, and whether its coordinate is negative. A comparison with a NaN is false."""

    def longer(a: int, b: int) -> bool:
        return nf.compare(F32, a & ~F32.sign, b & ~F32.sign) in ("gt", "eq")

    axis = "z" if longer(z, x) and longer(z, y) else "y" if longer(y, x) else "x"
    return axis, nf.compare(F32, {"x": x, "y": y, "z": z}[axis], 0) == "lt"


def _cube_face(x: int, y: int, z: int) -> int:
    axis, negative = _cube(x, y, z)
    return F32.round(Fraction({"x": 0, "y": 2, "z": 4}[axis] + negative))


def _cube_s(x: int, y: int, z: int) -> int:
    axis, negative = _cube(x, y, z)
    if axis == "y":
        return x
    return x ^ F32.sign * negative if axis == "z" else z ^ F32.sign * (not negative)


def _cube_t(x: int, y: int, z: int) -> int:
    axis, negative = _cube(x, y, z)
    return z ^ F32.sign * negative if axis == "y" else y ^ F32.sign


op("v_cubeid_f32", "f32", "f32 f32 f32", _cube_face)
op("v_cubesc_f32", "f32", "f32 f32 f32", _cube_s)
op("v_cubetc_f32", "f32", "f32 f32 f32", _cube_t)
op(
    "v_cubema_f32",
    "f32",
    "f32 f32 f32",
    lambda x, y, z: nf.multiply(F32, {"x": x, "y": y, "z": z}[_cube(x, y, z)[0]], 0x40000000),
)

# ---- bits ------------------------------------------------------------------------------------------------

op("v_mov_b32", "u32", "u32", lambda a: a)
op("v_mov_b64", "u64", "u64", lambda a: a)
op("v_accvgpr_write_b32", "u32", "u32", lambda a: a)
op("v_not_b32", "u32", "u32", lambda a: ~a)
op("v_and_b32", "u32", "u32 u32", lambda a, b: a & b)
op("v_or_b32", "u32", "u32 u32", lambda a, b: a | b)
op("v_xor_b32", "u32", "u32 u32", lambda a, b: a ^ b)
op("v_xnor_b32", "u32", "u32 u32", lambda a, b: ~(a ^ b))
for _w in (16, 32, 64):
    _a = "u16" if _w == 16 else "u32"
    op(f"v_lshlrev_b{_w}", f"u{_w}", f"{_a} u{_w}", lambda a, b, w=_w: b << (a & w - 1))
    op(f"v_lshrrev_b{_w}", f"u{_w}", f"{_a} u{_w}", lambda a, b, w=_w: b >> (a & w - 1))
    op(f"v_ashrrev_i{_w}", f"u{_w}", f"{_a} i{_w}", lambda a, b, w=_w: b >> (a & w - 1))
op("v_add3_u32", "u32", "u32 u32 u32", lambda a, b, c: a + b + c)
op("v_or3_b32", "u32", "u32 u32 u32", lambda a, b, c: a | b | c)
op("v_add_lshl_u32", "u32", "u32 u32 u32", lambda a, b, c: a + b << (c & 31))
op("v_lshl_add_u32", "u32", "u32 u32 u32", lambda a, b, c: (a << (b & 31)) + c)
op("v_lshl_or_b32", "u32", "u32 u32 u32", lambda a, b, c: a << (b & 31) | c)
op("v_and_or_b32", "u32", "u32 u32 u32", lambda a, b, c: a & b | c)
op("v_xad_u32", "u32", "u32 u32 u32", lambda a, b, c: (a ^ b) + c)
op("v_lshl_add_u64", "u64", "u64 u32 u64", lambda a, b, c: (a << (b & 7 if b & 7 <= 4 else 0)) + c)
op("v_bfe_u32", "u32", "u32 u32 u32", lambda a, b, c: a >> (b & 31) & (1 << (c & 31)) - 1)
op("v_bfe_i32", "u32", "i32 u32 u32", lambda a, b, c: _sign_extended(a >> (b & 31) & (1 << (c & 31)) - 1, c & 31))
op("v_bfi_b32", "u32", "u32 u32 u32", lambda a, b, c: a & b | ~a & c)
op("v_bfm_b32", "u32", "u32 u32", lambda a, b: (1 << (a & 31)) - 1 << (b & 31))
op("v_alignbit_b32", "u32", "u32 u32 u32", lambda a, b, c: (a << 32 | b) >> (c & 31), saturates=False)
op("v_alignbyte_b32", "u32", "u32 u32 u32", lambda a, b, c: (a << 32 | b) >> 8 * (c & 3), saturates=False)
op("v_bfrev_b32", "u32", "u32", lambda a: int(f"{a:032b}"[::-1], 2))
op("v_bcnt_u32_b32", "u32", "u32 u32", lambda a, b: a.bit_count() + b)
op("v_ffbh_u32", "u32", "u32", lambda a: 32 - a.bit_length() if a else -1)
op("v_ffbl_b32", "u32", "u32", lambda a: (a & -a).bit_length() - 1 if a else -1)
op("v_ffbh_i32", "u32", "u32", lambda a: _sign_run(a))
op("v_perm_b32", "u32", "u32 u32 u32", lambda a, b, c: _permuted(a << 32 | b, c))
op(
    "v_sat_pk_u8_i16",
    "u32",
    "u32",
    lambda a: sum(max(0, min(255, _signed(a >> 16 * k & 65535, "i16"))) << 8 * k for k in range(2)),
)
op(
    "v_mbcnt_lo_u32_b32",
    "u32",
    "u32 u32",
    lambda a, b, line, lane: (a & ((1 << lane) - 1) & 0xFFFFFFFF).bit_count() + b,
    takes_line=True,
)
op(
    "v_mbcnt_hi_u32_b32",
    "u32",
    "u32 u32",
    lambda a, b, line, lane: (a & ((1 << lane) - 1 >> 32)).bit_count() + b,
    takes_line=True,
)
op("v_screen_partition_4se_b32", "u32", "u32", lambda a: PARTITIONS[a & 255])
op("v_prng_b32", "u32", "u32", lambda a: a << 1 ^ 197 if a >> 31 else a << 1)


def _sign_extended(value: int, width: int) -> int:
    return value - (1 << width) if width and value >> (width - 1) & 1 else value


def _sign_run(a: int) -> int:
    for k in range(1, 32):
        if (a >> (31 - k) & 1) != a >> 31:
            return k
    return -1


def _permuted(data: int, selectors: int) -> int:
    result = 0
    for k in range(4):
        selector = selectors >> 8 * k & 255
        if selector >= 13:
            byte = 255
        elif selector == 12:
            byte = 0
        elif selector >= 8:
            byte = 255 if data >> (16 * (selector - 8) + 15) & 1 else 0
        else:
            byte = data >> 8 * selector & 255
        result |= byte << 8 * k
    return result


def _bitop3(a: int, b: int, c: int, line: Any, lane: int) -> int:
    table = int(line.modifiers["bitop3"], 0)
    return sum((table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1) & 1) << k for k in range(32))


op("v_bitop3_b32", "u32", "u32 u32 u32", _bitop3, takes_line=True)
op("v_bitop3_b16", "u16", "u16 u16 u16", _bitop3, takes_line=True)

# ---- packed ----------------------------------------------------------------------------------------------


def _packed(kind: str, compute: Compute, count: int) -> Compute:
    def run(*values: int, line: Any, lane: int) -> int:
        halves = []
        for select, default, negate in (("op_sel", 0, "neg_lo"), ("op_sel_hi", 1, "neg_hi")):
            chosen, signs = line.list_of(select, default, count), line.list_of(negate, 0, count)
            sources = [values[k] >> 16 * chosen[k] & 65535 ^ 0x8000 * signs[k] for k in range(count)]
            sources += [values[count] >> (0 if select == "op_sel" else 16) & 65535] if len(values) > count else []
            result = compute(*(_signed(x, kind) for x in sources))
            if kind == "f16" and "clamp" in line.modifiers:
                result = 0 if F16.is_nan(result) else nf.extreme(F16, "min", nf.extreme(F16, "max", result, 0), 0x3C00)
            halves.append(_fit(result, kind, "clamp" in line.modifiers))
        return _pack16(*halves)

    return run


def _pk(name: str, kind: str, count: int, compute: Compute, accumulates: bool = False) -> None:
    op(
        name,
        "u32",
        "pk " * count,
        _packed(kind, compute, count),
        takes_line=True,
        saturates=False,
        accumulates=accumulates,
    )


_pk("v_pk_add_f16", "f16", 2, lambda a, b: nf.add(F16, a, b))
_pk("v_pk_mul_f16", "f16", 2, lambda a, b: nf.multiply(F16, a, b))
_pk("v_pk_fma_f16", "f16", 3, lambda a, b, c: nf.fused(F16, a, b, c))
_pk("v_pk_fmac_f16", "f16", 2, lambda a, b, c: nf.fused(F16, a, b, c), accumulates=True)
_pk("v_pk_min_f16", "f16", 2, lambda a, b: nf.extreme(F16, "min", a, b))
_pk("v_pk_max_f16", "f16", 2, lambda a, b: nf.extreme(F16, "max", a, b))
for _n in ("min", "max"):
    _pk(
        f"v_pk_{_n}imum3_f16",
        "f16",
        3,
        lambda a, b, c, n=_n: nf.extreme_or_nan(F16, n, nf.extreme_or_nan(F16, n, a, b), c),
    )
for _t in ("u16", "i16"):
    _pk(f"v_pk_add_{_t}", _t, 2, lambda a, b: a + b)
    _pk(f"v_pk_sub_{_t}", _t, 2, lambda a, b: a - b)
    _pk(f"v_pk_min_{_t}", _t, 2, min)
    _pk(f"v_pk_max_{_t}", _t, 2, max)
    _pk(f"v_pk_mad_{_t}", _t, 3, lambda a, b, c: a * b + c)
_pk("v_pk_mul_lo_u16", "u16", 2, lambda a, b: a * b & 65535)
_pk("v_pk_lshlrev_b16", "u16", 2, lambda a, b: b << (a & 15) & 65535)
_pk("v_pk_lshrrev_b16", "u16", 2, lambda a, b: b >> (a & 15))
_pk("v_pk_ashrrev_i16", "i16", 2, lambda a, b: b >> (a & 15))


def _single_pair(compute: Compute, count: int) -> Compute:
    def run(*values: int, line: Any, lane: int) -> int:
        results = []
        for select, default, negate in (("op_sel", 0, "neg_lo"), ("op_sel_hi", 1, "neg_hi")):
            chosen, signs = line.list_of(select, default, count), line.list_of(negate, 0, count)
            results.append(
                compute(*(values[k] >> 32 * chosen[k] & 0xFFFFFFFF ^ F32.sign * signs[k] for k in range(count)))
            )
        return results[0] | results[1] << 32

    return run


op("v_pk_add_f32", "u64", "u64 u64", _single_pair(lambda a, b: nf.add(F32, a, b), 2), takes_line=True)
op("v_pk_mul_f32", "u64", "u64 u64", _single_pair(lambda a, b: nf.multiply(F32, a, b), 2), takes_line=True)
op("v_pk_fma_f32", "u64", "u64 u64 u64", _single_pair(lambda a, b, c: nf.fused(F32, a, b, c), 3), takes_line=True)


op(
    "v_pk_mov_b32",
    "u64",
    "u64 u64",
    lambda a, b, line, lane: _moved_pair(a, b, line.list_of("op_sel", 0, 2)),
    takes_line=True,
)


def _moved_pair(a: int, b: int, select: list[int]) -> int:
    return a >> 32 * select[0] & 0xFFFFFFFF | (b >> 32 * select[1] & 0xFFFFFFFF) << 32


def _mixed(*values: int, line: Any, lane: int) -> int:
    halves, upper = line.list_of("op_sel_hi", 0, 3), line.list_of("op_sel", 0, 3)
    sources = []
    for k in range(3):
        value = nf.convert(F16, F32, values[k] >> 16 * upper[k] & 65535) if halves[k] else values[k]
        text = line.operands[1 + k]
        if "|" in text:
            value &= ~F32.sign
        sources.append(value ^ F32.sign if text.startswith("-") else value)
    return nf.fused(F32, *sources)


op("v_fma_mix_f32", "f32", "mix mix mix", _mixed, takes_line=True)
for _n in ("lo", "hi"):
    op(
        f"v_fma_mix{_n}_f16",
        "f16",
        "mix mix mix",
        lambda *v, line, lane: nf.convert(F32, F16, _mixed(*v, line=line, lane=lane)),
        takes_line=True,
    )


def _dot(bits: int, signed: bool) -> Compute:
    def run(a: int, b: int, c: int) -> int:
        total = c
        for k in range(32 // bits):
            x, y = (_element(v, k, bits, signed) for v in (a, b))
            total += x * y
        return total

    return run


def _element(value: int, k: int, bits: int, signed: bool) -> int:
    part = value >> bits * k & (1 << bits) - 1
    return _sign_extended(part, bits) if signed else part


for _n, _bitcount in (("2", 16), ("4", 8), ("8", 4)):
    for _s in ("i", "u"):
        op(f"v_dot{_n}_{_s}32_{_s}{_bitcount}", f"{_s}32", f"u32 u32 {_s}32", _dot(_bitcount, _s == "i"))
    op(f"v_dot{_n}c_i32_i{_bitcount}", "i32", "u32 u32", _dot(_bitcount, True), accumulates=True)


# ---- bfloat16 and 8-bit floats -------------------------------------------------------------------------------------


class Target:
    """The target whose 8-bit formats are in use."""

    current = "gfx942"


@dataclass(frozen=True)
class Float8:
    exponent_bits: int
    fraction_bits: int
    bias: int
    fnuz: bool

    @property
    def largest(self) -> int:
        if self.fnuz:
            return 0x7F
        return 0x7B if self.fraction_bits == 2 else 0x7E

    def value(self, byte: int) -> Fraction:
        exponent, fraction = (
            byte >> self.fraction_bits & (1 << self.exponent_bits) - 1,
            byte & (1 << self.fraction_bits) - 1,
        )
        if exponent:
            magnitude = Fraction(fraction + (1 << self.fraction_bits)) * Fraction(2) ** (exponent - 1)
        else:
            magnitude = Fraction(fraction)
        return magnitude * Fraction(2) ** (1 - self.bias - self.fraction_bits) * (-1 if byte >> 7 else 1)

    def to_single(self, byte: int) -> int:
        low = byte & 0x7F
        if self.fnuz and byte == 0x80:
            return F32.nan
        if not self.fnuz and low > self.largest:
            infinite = self.fraction_bits == 2 and low == 0x7C
            return (byte >> 7 << 31) | (F32.infinity if infinite else F32.nan)
        return F32.round(self.value(byte), zero_sign=byte >> 7)

    def from_single(self, pattern: int) -> int:
        sign = pattern >> 31 << 7
        special = 0x80 if self.fnuz else sign | (0x7C if self.fraction_bits == 2 else 0x7F)
        if F32.is_nan(pattern):
            return 0x80 if self.fnuz else sign | 0x7F
        if F32.is_infinite(pattern):
            return special
        wanted = abs(F32.value(pattern))
        candidates = range(self.largest + 1)
        best = min(candidates, key=lambda byte: (abs(self.value(byte) - wanted), byte & 1))
        limit = self.value(self.largest) + (self.value(self.largest) - self.value(self.largest - 1)) / 2
        if wanted > limit or (wanted == limit and self.largest & 1):
            return special
        return 0 if self.fnuz and best == 0 else sign | best


_FLOAT8 = {
    ("gfx942", "fp8"): Float8(4, 3, 8, True),
    ("gfx942", "bf8"): Float8(5, 2, 16, True),
    ("gfx950", "fp8"): Float8(4, 3, 7, False),
    ("gfx950", "bf8"): Float8(5, 2, 15, False),
}
for _f in ("fp8", "bf8"):

    def _unpack(word: int, line: Any, lane: int, kind: str = _f) -> int:
        select = line.list_of("op_sel", 0, 2) if line.encoding != "sdwa" else [0, 0]
        return _FLOAT8[Target.current, kind].to_single(word >> 16 * select[0] + 8 * select[1] & 255)

    def _unpack_two(word: int, line: Any, lane: int, kind: str = _f) -> int:
        word >>= 16 * line.list_of("op_sel", 0, 2)[0] if line.encoding != "sdwa" else 0
        format8 = _FLOAT8[Target.current, kind]
        return format8.to_single(word & 255) | format8.to_single(word >> 8 & 255) << 32

    def _pack_two(a: int, b: int, old: int, line: Any, lane: int, kind: str = _f) -> int:
        format8 = _FLOAT8[Target.current, kind]
        pair = format8.from_single(a) | format8.from_single(b) << 8
        return old & 0xFFFF | pair << 16 if line.list_of("op_sel", 0, 3)[2] else old & 0xFFFF0000 | pair

    op(f"v_cvt_f32_{_f}", "f32", "u32", _unpack, takes_line=True)
    op(f"v_cvt_pk_f32_{_f}", "u64", "u32", _unpack_two, takes_line=True)
    op(f"v_cvt_pk_{_f}_f32", "u32", "f32 f32", _pack_two, takes_line=True, accumulates=True)


def _to_bf16(a: int) -> int:
    if F32.is_nan(a):
        return a >> 16 | 0x40
    return a + 0x7FFF + (a >> 16 & 1) >> 16


op("v_cvt_pk_bf16_f32", "u32", "f32 f32", lambda a, b: _pack16(_to_bf16(a), _to_bf16(b)))
op("v_cvt_f32_bf16", "f32", "u16", lambda a: a << 16)


def _stochastic16(fraction_bits: int) -> Compute:
    """v_cvt_sr_f16_f32 and bf16: the seed's highest bits below the last bit kept; op_sel[3] chooses the half."""
    small = SmallFormat(15 - fraction_bits, fraction_bits, 15 if fraction_bits == 10 else 127, "ieee")

    def run(a: int, seed: int, old: int, line: Any, lane: int) -> int:
        half = narrow(small, F32, a, 0, seed)
        if F32.is_nan(a):
            half = a >> 31 << 15 | small.largest + 1 | small_quiet(a, fraction_bits)
        return old & 0xFFFF | half << 16 if line.list_of("op_sel", 0, 3)[2] else old & 0xFFFF0000 | half

    return run


def small_quiet(a: int, fraction_bits: int) -> int:
    """The highest bits of a single's NaN, quiet."""
    return a >> 23 - fraction_bits & (1 << fraction_bits) - 1 | 1 << fraction_bits - 1


op("v_cvt_sr_f16_f32", "u32", "f32 u32", _stochastic16(10), takes_line=True, accumulates=True)
op("v_cvt_sr_bf16_f32", "u32", "f32 u32", _stochastic16(7), takes_line=True, accumulates=True)

# ---- functions of about one unit in the last place -------------------------------------------------------------


def _flushed(f: Format, pattern: int) -> int:
    return pattern if f is not F32 or pattern >> f.fraction_bits & f.top else pattern & f.sign


def _to_double(f: Format, pattern: int) -> float:
    if f.is_nan(pattern):
        return math.nan
    if f.is_infinite(pattern):
        return -math.inf if f.is_negative(pattern) else math.inf
    return -0.0 if pattern == f.sign else float(f.value(pattern))


def _from_double(f: Format, value: float) -> int:
    if math.isnan(value):
        return f.nan
    sign = f.sign if math.copysign(1, value) < 0 else 0
    return sign | f.infinity if math.isinf(value) else f.round(Fraction(value), zero_sign=int(sign != 0))


def _inverse(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else 1 / x


def _root(x: float) -> float:
    return math.nan if x < 0 else math.sqrt(x)


def _power(x: float) -> float:
    return math.inf if x > 2000 else 2**x


def _logarithm(x: float) -> float:
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else math.log2(x)


def _turns(phase: float, beyond: float) -> Callable[[float], float]:
    """The sine of (x + phase) turns, exact where it is 0, 1 or -1."""

    def run(x: float) -> float:
        if math.isinf(x):
            return math.nan
        if abs(x) > 256:
            return beyond
        quarters = 4 * (x + phase)
        if quarters == math.floor(quarters):
            return (0.0, 1.0, 0.0, -1.0)[int(quarters) % 4]
        return math.sin(2 * math.pi * (math.fmod(x, 1) + phase))

    return run


def _estimate(name: str, t: str, function: Callable[[float], float]) -> None:
    f = FORMATS[t]

    def run(a: int) -> int:
        x = _to_double(f, _flushed(f, a))
        return f.nan if math.isnan(x) else _flushed(f, _from_double(f, function(x)))

    op(f"v_{name}_{t}", t, t, run)


for _t in ("f32", "f16"):
    _estimate("rcp", _t, _inverse)
    _estimate("sqrt", _t, _root)
    _estimate("rsq", _t, lambda x: _inverse(_root(x)) if not x < 0 else math.nan)
    _estimate("exp", _t, _power)
    _estimate("log", _t, _logarithm)
    _estimate("sin", _t, _turns(0.0, 0.0))
    _estimate("cos", _t, _turns(0.25, 1.0))
_estimate("rcp_iflag", "f32", _inverse)
_estimate("exp_legacy", "f32", _power)
_estimate("log_legacy", "f32", _logarithm)
_estimate("rcp", "f64", _inverse)
_estimate("sqrt", "f64", _root)
_estimate("rsq", "f64", lambda x: _inverse(_root(x)) if not x < 0 else math.nan)


def _dot_halves(a: int, b: int, c: int, widen: Callable[[int], int]) -> int:
    low, high = (nf.multiply(F32, widen(a >> s & 65535), widen(b >> s & 65535)) for s in (0, 16))
    return nf.add(F32, high, nf.add(F32, low, c))


op("v_dot2_f32_f16", "f32", "u32 u32 f32", lambda a, b, c: _dot_halves(a, b, c, lambda x: nf.convert(F16, F32, x)))
op("v_dot2c_f32_bf16", "f32", "u32 u32", lambda a, b, c: _dot_halves(a, b, c, lambda x: x << 16), accumulates=True)
op(
    "v_dot2c_f32_f16",
    "f32",
    "u32 u32",
    lambda a, b, c: _dot_halves(a, b, c, lambda x: nf.convert(F16, F32, x)),
    accumulates=True,
)


def _dot_bfloats(a: int, b: int, c: int) -> int:
    """CDNA4 ISA, V_DOT2_F32_BF16: the addend comes last."""
    low, high = (nf.multiply(F32, (a >> s & 65535) << 16, (b >> s & 65535) << 16) for s in (0, 16))
    return nf.add(F32, nf.add(F32, low, high), c)


op("v_dot2_f32_bf16", "f32", "u32 u32 f32", _dot_bfloats)


def COMPARES(predicate: str, kind: str, a: int, b: int) -> int:
    """The result of v_cmp_<predicate>_<kind> for one lane."""
    if predicate == "class":
        return b >> _class_of(FORMATS[kind], a) & 1
    if kind in FORMATS:
        order = nf.compare(FORMATS[kind], a, b)
        accepted = {
            "f": "",
            "lt": "lt",
            "eq": "eq",
            "le": "lt eq",
            "gt": "gt",
            "lg": "lt gt",
            "ge": "gt eq",
            "o": "lt eq gt",
            "u": "unordered",
            "nge": "lt unordered",
            "nlg": "eq unordered",
            "ngt": "lt eq unordered",
            "nle": "gt unordered",
            "neq": "lt gt unordered",
            "nlt": "gt eq unordered",
            "tru": "lt eq gt unordered",
        }[predicate]
        return int(order in accepted.split())
    x, y = _signed(a, kind), _signed(b, kind)
    return int(
        {"f": False, "lt": x < y, "eq": x == y, "le": x <= y, "gt": x > y, "ne": x != y, "ge": x >= y, "t": True}[
            predicate
        ]
    )


def _class_of(f: Format, a: int) -> int:
    negative = f.is_negative(a)
    if f.is_nan(a):
        return 1 if a >> (f.fraction_bits - 1) & 1 else 0
    if f.is_infinite(a):
        return 2 if negative else 9
    if f.is_zero(a):
        return 5 if negative else 6
    if a >> f.fraction_bits & f.top:
        return 3 if negative else 8
    return 4 if negative else 7


def _two_over_pi(bits: int) -> int:
    """Its first binary digits, by Machin's formula."""
    one = 1 << bits + 64

    def arctangent(inverse: int) -> int:
        total, term, k = 0, one // inverse, 0
        while term:
            total += term // (2 * k + 1) * (-1) ** k
            term //= inverse * inverse
            k += 1
        return total

    pi = 4 * (4 * arctangent(5) - arctangent(239))
    return (2 * one << bits) // pi


_DIGITS = 1201
_TWO_OVER_PI = _two_over_pi(_DIGITS)


def _segment(a: int, number: int) -> int:
    """53 digits of 2/pi (CDNA4 ISA, V_TRIG_PREOP_F64): those that matter for an argument of this size."""
    exponent = a >> 52 & 0x7FF
    shift = (number & 31) * 53 + max(0, exponent - 1077)
    digits = _TWO_OVER_PI >> _DIGITS - 53 - shift & (1 << 53) - 1
    return F64.round(digits * Fraction(2) ** (-53 - shift + (128 if exponent >= 1968 else 0)))


op("v_trig_preop_f64", "f64", "f64 u32", _segment)
