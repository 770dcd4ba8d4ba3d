"""Scalar instructions of the tests' model: each changes a wave, given the texts of its operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SCALAR: dict[str, Callable[[Any, list[str]], None]] = {}


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _op(
    name: str, bits: int, compute: Callable[..., int], scc: str = "", sources: int = 2, source_bits: int = 0
) -> None:
    """``scc``: '' unchanged, 'nonzero' of the result; other rules have their own functions."""

    def run(wave: Any, operands: list[str]) -> None:
        values = [wave.scalar(text, source_bits or bits) for text in operands[1 : 1 + sources]]
        result = compute(*values) & ((1 << bits) - 1)
        wave.set_scalar(operands[0], result)
        if scc:
            wave.scc = int(result != 0)

    SCALAR[name] = run


def _mixed_op(name: str, bits: int, compute: Callable[..., int], widths: tuple[int, ...], scc: bool) -> None:
    """Sources of different widths."""

    def run(wave: Any, operands: list[str]) -> None:
        values = [wave.scalar(text, width) for text, width in zip(operands[1:], widths, strict=True)]
        result = compute(*values) & ((1 << bits) - 1)
        wave.set_scalar(operands[0], result)
        if scc:
            wave.scc = int(result != 0)

    SCALAR[name] = run


def _sum(name: str, compute: Callable[[int, int, int], int], flag: Callable[[int, int, int], bool]) -> None:
    """``compute`` and ``flag`` take S0, S1 and SCC."""

    def run(wave: Any, operands: list[str]) -> None:
        a, b = (wave.scalar(text, 32) for text in operands[1:3])
        carry = wave.scc
        wave.set_scalar(operands[0], compute(a, b, carry))
        wave.scc = int(flag(a, b, carry))

    SCALAR[name] = run


def _overflows(value: int) -> bool:
    return not -(1 << 31) <= value < 1 << 31


for _b in (32, 64):
    _op(f"s_mov_b{_b}", _b, lambda a: a, sources=1)
    _op(f"s_not_b{_b}", _b, lambda a: ~a, "nonzero", 1)
    _op(f"s_and_b{_b}", _b, lambda a, b: a & b, "nonzero")
    _op(f"s_or_b{_b}", _b, lambda a, b: a | b, "nonzero")
    _op(f"s_xor_b{_b}", _b, lambda a, b: a ^ b, "nonzero")
    _op(f"s_andn2_b{_b}", _b, lambda a, b: a & ~b, "nonzero")
    _op(f"s_orn2_b{_b}", _b, lambda a, b: a | ~b, "nonzero")
    _op(f"s_nand_b{_b}", _b, lambda a, b: ~(a & b), "nonzero")
    _op(f"s_nor_b{_b}", _b, lambda a, b: ~(a | b), "nonzero")
    _op(f"s_xnor_b{_b}", _b, lambda a, b: ~(a ^ b), "nonzero")
    _op(f"s_brev_b{_b}", _b, lambda a, n=_b: int(f"{a:0{n}b}"[::-1], 2), sources=1)
    _mixed_op(f"s_lshl_b{_b}", _b, lambda a, s, n=_b: a << (s & n - 1), (_b, 32), True)
    _mixed_op(f"s_lshr_b{_b}", _b, lambda a, s, n=_b: a >> (s & n - 1), (_b, 32), True)
    _mixed_op(f"s_ashr_i{_b}", _b, lambda a, s, n=_b: _signed(a, n) >> (s & n - 1), (_b, 32), True)
    _mixed_op(f"s_bfm_b{_b}", _b, lambda w, o, n=_b: (1 << (w & n - 1)) - 1 << (o & n - 1), (32, 32), False)
    _mixed_op(f"s_bcnt1_i32_b{_b}", 32, lambda a: a.bit_count(), (_b,), True)
    _mixed_op(f"s_bcnt0_i32_b{_b}", 32, lambda a, n=_b: n - a.bit_count(), (_b,), True)
    _mixed_op(f"s_ff1_i32_b{_b}", 32, lambda a: (a & -a).bit_length() - 1 if a else -1, (_b,), False)
    _mixed_op(f"s_ff0_i32_b{_b}", 32, lambda a, n=_b: _lowest(~a & (1 << n) - 1), (_b,), False)
    _mixed_op(f"s_flbit_i32_b{_b}", 32, lambda a, n=_b: n - a.bit_length() if a else -1, (_b,), False)
    _mixed_op(f"s_bfe_u{_b}", _b, lambda a, c, n=_b: a >> (c & n - 1) & (1 << (c >> 16 & 127)) - 1, (_b, 32), True)
    _mixed_op(f"s_bfe_i{_b}", _b, lambda a, c, n=_b: _field(a, c, n), (_b, 32), True)
    _op(f"s_wqm_b{_b}", _b, lambda a, n=_b: sum(15 << 4 * k for k in range(n // 4) if a >> 4 * k & 15), "nonzero", 1)
    _op(f"s_quadmask_b{_b}", _b, lambda a, n=_b: sum(1 << k for k in range(n // 4) if a >> 4 * k & 15), "nonzero", 1)


def _lowest(a: int) -> int:
    return (a & -a).bit_length() - 1 if a else -1


def _field(a: int, control: int, bits: int) -> int:
    offset, width = control & bits - 1, control >> 16 & 127
    value = _signed(a, bits) >> offset & (1 << width) - 1
    return value - (1 << width) if width and value >> (width - 1) else value


def _leading(a: int, bits: int) -> int:
    sign = a >> (bits - 1)
    for k in range(1, bits):
        if a >> (bits - 1 - k) & 1 != sign:
            return k
    return -1


_mixed_op("s_flbit_i32", 32, lambda a: _leading(a, 32), (32,), False)
_mixed_op("s_flbit_i32_i64", 32, lambda a: _leading(a, 64), (64,), False)
_op("s_sext_i32_i8", 32, lambda a: _signed(a, 8), sources=1)
_op("s_sext_i32_i16", 32, lambda a: _signed(a, 16), sources=1)
_op("s_abs_i32", 32, lambda a: abs(_signed(a, 32)), "nonzero", 1)
_op("s_absdiff_i32", 32, lambda a, b: abs(_signed(_signed(a, 32) - _signed(b, 32), 32)), "nonzero")
_op("s_mul_i32", 32, lambda a, b: a * b)
_op("s_mul_hi_u32", 32, lambda a, b: a * b >> 32)
_op("s_mul_hi_i32", 32, lambda a, b: _signed(a, 32) * _signed(b, 32) >> 32)
_op("s_pack_ll_b32_b16", 32, lambda a, b: a & 0xFFFF | b << 16)
_op("s_pack_lh_b32_b16", 32, lambda a, b: a & 0xFFFF | b & 0xFFFF0000)
_op("s_pack_hh_b32_b16", 32, lambda a, b: a >> 16 | b & 0xFFFF0000)
_mixed_op("s_bitreplicate_b64_b32", 64, lambda a: sum(3 << 2 * k for k in range(32) if a >> k & 1), (32,), False)
_sum("s_add_u32", lambda a, b, c: a + b, lambda a, b, c: a + b > 0xFFFFFFFF)
_sum("s_sub_u32", lambda a, b, c: a - b, lambda a, b, c: a < b)
_sum("s_add_i32", lambda a, b, c: a + b, lambda a, b, c: _overflows(_signed(a, 32) + _signed(b, 32)))
_sum("s_sub_i32", lambda a, b, c: a - b, lambda a, b, c: _overflows(_signed(a, 32) - _signed(b, 32)))
_sum("s_addc_u32", lambda a, b, c: a + b + c, lambda a, b, c: a + b + c > 0xFFFFFFFF)
_sum("s_subb_u32", lambda a, b, c: a - b - c, lambda a, b, c: a < b + c)
_sum("s_min_u32", lambda a, b, c: min(a, b), lambda a, b, c: a < b)
_sum("s_max_u32", lambda a, b, c: max(a, b), lambda a, b, c: a > b)
_sum("s_min_i32", lambda a, b, c: min(_signed(a, 32), _signed(b, 32)), lambda a, b, c: _signed(a, 32) < _signed(b, 32))
_sum("s_max_i32", lambda a, b, c: max(_signed(a, 32), _signed(b, 32)), lambda a, b, c: _signed(a, 32) > _signed(b, 32))
for _k in range(1, 5):
    _sum(
        f"s_lshl{_k}_add_u32",
        lambda a, b, c, k=_k: (a << k) + b,
        lambda a, b, c, k=_k: (a << k) + b > 0xFFFFFFFF,
    )

_ORDER: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}


def _compare(name: str, bits: int, is_signed: bool, order: Callable[[int, int], bool], immediate: bool) -> None:
    def run(wave: Any, operands: list[str]) -> None:
        a = wave.scalar(operands[0], bits)
        b = int(operands[1], 0) if immediate else wave.scalar(operands[1], bits)
        if is_signed:
            a, b = _signed(a, bits), _signed(b, 16 if immediate else bits)
        wave.scc = int(order(a, b))

    SCALAR[name] = run


for _n, _order in _ORDER.items():
    for _s in ("i", "u"):
        _compare(f"s_cmp_{_n}_{_s}32", 32, _s == "i", _order, immediate=False)
        _compare(f"s_cmpk_{_n}_{_s}32", 32, _s == "i", _order, immediate=True)
    _compare(f"s_cmp_{_n}_u64", 64, False, _order, immediate=False)


def _scalar(name: str) -> Callable[[Callable[[Any, list[str]], None]], Callable[[Any, list[str]], None]]:
    def register(function: Callable[[Any, list[str]], None]) -> Callable[[Any, list[str]], None]:
        SCALAR[name] = function
        return function

    return register


def _saveexec(name: str, compute: Callable[[int, int], int], new: bool = False) -> None:
    def run(wave: Any, operands: list[str]) -> None:
        source, old = wave.scalar(operands[1], 64), wave.exec
        wave.exec = compute(source, old) & (1 << 64) - 1
        wave.set_scalar(operands[0], wave.exec if new else old)
        wave.scc = int(wave.exec != 0)

    SCALAR[name] = run


_saveexec("s_and_saveexec_b64", lambda a, e: a & e)
_saveexec("s_or_saveexec_b64", lambda a, e: a | e)
_saveexec("s_xor_saveexec_b64", lambda a, e: a ^ e)
_saveexec("s_andn2_saveexec_b64", lambda a, e: a & ~e)
_saveexec("s_orn2_saveexec_b64", lambda a, e: a | ~e)
_saveexec("s_nand_saveexec_b64", lambda a, e: ~(a & e))
_saveexec("s_nor_saveexec_b64", lambda a, e: ~(a | e))
_saveexec("s_xnor_saveexec_b64", lambda a, e: ~(a ^ e))
_saveexec("s_andn1_saveexec_b64", lambda a, e: ~a & e)
_saveexec("s_orn1_saveexec_b64", lambda a, e: ~a | e)
_saveexec("s_andn1_wrexec_b64", lambda a, e: ~a & e, new=True)
_saveexec("s_andn2_wrexec_b64", lambda a, e: a & ~e, new=True)


def _move_if(name: str, bits: int, immediate: bool) -> None:
    def run(wave: Any, operands: list[str]) -> None:
        value = _signed(int(operands[1], 0), 16) if immediate else wave.scalar(operands[1], bits)
        if wave.scc:
            wave.set_scalar(operands[0], value)

    SCALAR[name] = run


_move_if("s_cmov_b32", 32, immediate=False)
_move_if("s_cmov_b64", 64, immediate=False)
_move_if("s_cmovk_i32", 32, immediate=True)
for _b in (32, 64):

    def _select(wave: Any, operands: list[str], bits: int = _b) -> None:
        wave.set_scalar(operands[0], wave.scalar(operands[1 if wave.scc else 2], bits))

    def _bit_one(wave: Any, operands: list[str], bits: int = _b) -> None:
        wave.scc = wave.scalar(operands[0], bits) >> (wave.scalar(operands[1], 32) & bits - 1) & 1

    def _bit_zero(wave: Any, operands: list[str], bits: int = _b) -> None:
        wave.scc = 1 - (wave.scalar(operands[0], bits) >> (wave.scalar(operands[1], 32) & bits - 1) & 1)

    def _set_bit(wave: Any, operands: list[str], bits: int = _b) -> None:
        wave.set_scalar(operands[0], wave.scalar(operands[0], bits) | 1 << (wave.scalar(operands[1], 32) & bits - 1))

    def _clear_bit(wave: Any, operands: list[str], bits: int = _b) -> None:
        wave.set_scalar(operands[0], wave.scalar(operands[0], bits) & ~(1 << (wave.scalar(operands[1], 32) & bits - 1)))

    SCALAR[f"s_cselect_b{_b}"] = _select
    SCALAR[f"s_bitcmp1_b{_b}"] = _bit_one
    SCALAR[f"s_bitcmp0_b{_b}"] = _bit_zero
    SCALAR[f"s_bitset1_b{_b}"] = _set_bit
    SCALAR[f"s_bitset0_b{_b}"] = _clear_bit


@_scalar("s_movk_i32")
def _movk(wave: Any, operands: list[str]) -> None:
    wave.set_scalar(operands[0], _signed(int(operands[1], 0), 16))


@_scalar("s_addk_i32")
def _addk(wave: Any, operands: list[str]) -> None:
    total = _signed(wave.scalar(operands[0], 32), 32) + _signed(int(operands[1], 0), 16)
    wave.set_scalar(operands[0], total)
    wave.scc = int(_overflows(total))


@_scalar("s_mulk_i32")
def _mulk(wave: Any, operands: list[str]) -> None:
    wave.set_scalar(operands[0], wave.scalar(operands[0], 32) * _signed(int(operands[1], 0), 16))


@_scalar("v_readfirstlane_b32")
def _read_first(wave: Any, operands: list[str]) -> None:
    lane = (wave.exec & -wave.exec).bit_length() - 1 if wave.exec else 0
    wave.set_scalar(operands[0], wave.v[int(operands[1][1:])][lane])


@_scalar("v_readlane_b32")
def _read_lane(wave: Any, operands: list[str]) -> None:
    wave.set_scalar(operands[0], wave.v[int(operands[1][1:])][wave.scalar(operands[2], 32) & 63])


@_scalar("v_writelane_b32")
def _write_lane(wave: Any, operands: list[str]) -> None:
    wave.touched.add(int(operands[0][1:]))
    wave.v[int(operands[0][1:])][wave.scalar(operands[2], 32) & 63] = wave.scalar(operands[1], 32)


@_scalar("v_swap_b32")
def _swap(wave: Any, operands: list[str]) -> None:
    a, b = (int(text[1:]) for text in operands)
    wave.touched |= {a, b}
    for lane in range(64):
        if wave.exec >> lane & 1:
            wave.v[a][lane], wave.v[b][lane] = wave.v[b][lane], wave.v[a][lane]
