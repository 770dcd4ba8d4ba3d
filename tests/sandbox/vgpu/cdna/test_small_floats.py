"""Conversions to and from floats of 4, 6 and 8 bits, scaled, stochastic and saturating, against exact fractions."""

from __future__ import annotations

import random
import re

import pytest
from kernel_workshop import Workshop
from number_formats import F32
from register_program import LANES, Program, Registers, Step, names, run_programs
from small_float_model import FNUZ, FORMATS, WIDE, narrow, next_seed, pack, unpack, widen

_SOURCE, _SECOND, _SEED, _SCALE, _RESULT = 2, 36, 70, 71, 72
_MASK = 0xF0F0_FFFF_0F0F_3333


def _register(first: int, count: int) -> str:
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


class Conversion:
    """One mnemonic taken apart. ``half``: OPSEL, as the document numbers its bits."""

    def __init__(self, mnemonic: str, select: int = 0, scale: str = f"v{_SCALE}") -> None:
        self.mnemonic, self.select, self.scale = mnemonic, select, scale
        match = re.fullmatch(r"v_cvt_(scalef32_)?(sr_)?(pk_|pk32_|2xpk16_)?([fbp]+\d+)_([fbp]+\d+)", mnemonic)
        assert match is not None, mnemonic
        self.scaled, self.stochastic = bool(match[1]), bool(match[2])
        self.count = {"pk_": 2, "pk32_": 32, "2xpk16_": 32, None: 1}[match[3]]
        self.narrows = match[4] in FORMATS
        self.small, self.wide = (match[4], match[5]) if self.narrows else (match[5], match[4])
        self.two_sources = match[3] == "2xpk16_" or (match[3] == "pk_" and match[5] == "f32" and not match[2])

    @property
    def wide_registers(self) -> int:
        per_register = 1 if self.wide == "f32" else 2
        return max(1, self.count // (2 if self.two_sources else 1) // per_register)

    @property
    def width(self) -> int:
        return FORMATS[self.small].bits * self.count

    @property
    def outputs(self) -> int:
        return max(1, self.width // 32) if self.narrows else self.wide_registers

    @property
    def text(self) -> str:
        inputs = self.wide_registers if self.narrows else max(1, self.width // 32)
        operands = [_register(_RESULT, self.outputs), _register(_SOURCE, inputs)]
        operands += [_register(_SECOND, inputs)] if self.two_sources else []
        operands += [f"v{_SEED}"] if self.stochastic else []
        operands += [self.scale] if self.scaled else []
        return f"{self.mnemonic} {', '.join(operands)}{self._op_sel(len(operands) - 1)}"

    def _op_sel(self, sources: int) -> str:
        bits = [self.select >> k & 1 for k in range(4)]
        if not self.select:
            return ""
        if self.narrows and self.width == 16:
            bits = [*bits[:sources], bits[3]]
        elif not self.narrows:
            bits = [*bits[:sources], bits[3]] if bits[3] else bits[: sources + 1]
        return f" op_sel:[{','.join(map(str, bits))}]"

    def expected(self, start: Registers, lane: int, target: str, saturates: bool) -> list[int]:
        """Registers of the result in one lane."""
        formats = FNUZ if target == "gfx942" else FORMATS
        small, wide = formats[self.small], WIDE[self.wide]
        scale = self._scale(start, lane)
        old = [start[f"v{_RESULT + k}"][lane] for k in range(self.outputs)]
        if not self.narrows:
            return self._widened(start, lane, old, [small, wide, scale])
        seed: int | None = start[f"v{_SEED}"][lane] if self.stochastic else None
        elements = []
        for pattern in self._wide_elements(start, lane):
            elements.append(narrow(small, wide, pattern, scale, seed, saturates and small.bits == 8))
            seed = next_seed(seed) if seed is not None else None
        return _placed(elements, small.bits, old, self.select)

    def _scale(self, start: Registers, lane: int) -> int | None:
        if not self.scaled:
            return 0
        pattern = (
            start[self.scale][lane] if self.scale in start else {"2.0": 0x40000000, "-0.5": 0xBF000000}[self.scale]
        )
        exponent = pattern >> 23 & 255
        return None if exponent == 255 else exponent - 127

    def _wide_elements(self, start: Registers, lane: int) -> list[int]:
        sources = []
        for first in (_SOURCE, _SECOND) if self.two_sources else (_SOURCE,):
            words = [start[f"v{first + k}"][lane] for k in range(self.wide_registers)]
            bits = WIDE[self.wide].bits
            sources.append(unpack(words, bits, self.count // (2 if self.two_sources else 1)))
        return [element for turn in zip(*sources, strict=True) for element in turn]

    def _widened(self, start: Registers, lane: int, old: list[int], how: list) -> list[int]:  # type: ignore[type-arg]
        words = [start[f"v{_SOURCE + k}"][lane] for k in range(max(1, self.width // 32))]
        shift = {8: 8 * (self.select & 3), 16: 16 * (self.select & 1)}.get(self.width, 0)
        elements = unpack([words[0] >> shift, *words[1:]], FORMATS[self.small].bits, self.count)
        results = [widen(how[0], how[1], element, how[2]) for element in elements]
        if self.wide == "f32":
            return results
        if self.count == 1:
            return [old[0] & 0xFFFF | results[0] << 16 if self.select & 8 else old[0] & 0xFFFF0000 | results[0]]
        return pack(results, 16)


def _placed(elements: list[int], bits: int, old: list[int], select: int) -> list[int]:
    width = bits * len(elements)
    if width > 16:
        return pack(elements, bits)
    shift = 8 * (select >> 2) if width == 8 else 16 * (select >> 3)
    mask = (1 << width) - 1 << shift
    return [old[0] & ~mask | pack(elements, bits)[0] << shift]


def _conversions(target: str) -> list[Conversion]:
    found = [Conversion(f"v_cvt_pk_{small}_f32", select) for small in FNUZ for select in (0, 8)]
    found += [Conversion(f"v_cvt_sr_{small}_f32", select) for small in FNUZ for select in (0, 4, 8, 12)]
    if target == "gfx942":
        return found
    for wide in WIDE:
        for small in ("fp8", "bf8"):
            found += [Conversion(f"v_cvt_scalef32_pk_{small}_{wide}", select) for select in (0, 8)]
            found += [Conversion(f"v_cvt_scalef32_sr_{small}_{wide}", select) for select in (0, 4, 12)]
            found += [Conversion(f"v_cvt_scalef32_pk_{wide}_{small}", select) for select in (0, 1)]
            if wide != "bf16":
                found += [Conversion(f"v_cvt_scalef32_{wide}_{small}", select) for select in (0, 1, 2, 3)]
        found += [Conversion(f"v_cvt_scalef32_pk_fp4_{wide}", select) for select in (0, 4, 8, 12)]
        found += [Conversion(f"v_cvt_scalef32_sr_pk_fp4_{wide}", select) for select in (0, 8)]
        found += [Conversion(f"v_cvt_scalef32_pk_{wide}_fp4", select) for select in (0, 1, 2, 3)]
        for small in ("fp6", "bf6"):
            found += [Conversion(f"v_cvt_scalef32_sr_pk32_{small}_{wide}")]
            found += [Conversion(f"v_cvt_scalef32_pk32_{wide}_{small}")]
            if wide != "f32":
                found += [Conversion(f"v_cvt_scalef32_pk32_{small}_{wide}")]
            else:
                found += [Conversion(f"v_cvt_scalef32_2xpk16_{small}_f32")]
    found += [Conversion("v_cvt_scalef32_pk_fp8_f32", 0, "2.0"), Conversion("v_cvt_scalef32_pk_f32_fp4", 0, "-0.5")]
    return [*found, Conversion("v_cvt_scalef32_f16_fp8", 9), Conversion("v_cvt_scalef32_f16_bf8", 8)]


def _pattern(chance: random.Random) -> int:
    """Singles near the ranges of the small formats, specials, and anything."""
    kind = chance.randrange(8)
    if kind == 0:
        return chance.choice([0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FA00001, 1, 0x007FFFFF, 0x80012345])
    if kind == 1:
        return chance.getrandbits(32)
    fraction = chance.choice([0, 0x400000, 0x600000, 0x200000, 0x100000, 0x7FFFFF, chance.getrandbits(23)])
    return chance.getrandbits(1) << 31 | 127 + chance.randrange(-20, 20) << 23 | fraction


def _start(chance: random.Random) -> Registers:
    registers = {}
    for k in range(_SOURCE, _SEED):
        packed = k % 3 == 0
        registers[f"v{k}"] = [_halves(chance) if packed else _pattern(chance) for _ in range(LANES)]
    registers[f"v{_SEED}"] = [chance.choice([0, 0xFFFFFFFF, chance.getrandbits(32)]) for _ in range(LANES)]
    exponents = [0, 1, 100, 120, 126, 127, 127, 128, 130, 150, 254, 255]
    registers[f"v{_SCALE}"] = [
        chance.choice(exponents) << 23 | chance.getrandbits(1) << 31 | chance.getrandbits(23) for _ in range(LANES)
    ]
    registers |= {f"v{_RESULT + k}": [chance.getrandbits(32) for _ in range(LANES)] for k in range(32)}
    return registers


def _halves(chance: random.Random) -> int:
    def half() -> int:
        fraction = chance.choice([0, 0x200, 0x300, 0x3FF, chance.getrandbits(10)])
        return chance.getrandbits(1) << 15 | chance.choice([0, 1, 5, 12, 15, 16, 18, 22, 30, 31]) << 10 | fraction

    return half() | half() << 16


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("target", "saturates"), [("gfx942", False), ("gfx942", True), ("gfx950", False), ("gfx950", True)]
)
def test_conversions_match_exact_fractions(workshop: Workshop, target: str, saturates: bool) -> None:
    conversions = _conversions(target)
    if saturates:
        conversions = [c for c in conversions if c.small in FNUZ and c.narrows]
    start = _start(random.Random(11))
    steps = []
    for conversion in conversions:
        outputs = names(_register(_RESULT, conversion.outputs))
        steps.append(Step(conversion.text, outputs, outputs, _MASK))
    mode = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n" if saturates else ""
    (results,) = run_programs(workshop, f"small{int(saturates)}", target, [Program(start, steps, mode=mode)])
    problems = []
    for conversion, result in zip(conversions, results, strict=True):
        problems += _differences(conversion, start, result, target, saturates)
    assert not problems, "\n".join(problems[:30])


def _differences(
    conversion: Conversion, start: Registers, result: Registers, target: str, saturates: bool
) -> list[str]:
    for lane in range(LANES):
        old = [start[f"v{_RESULT + k}"][lane] for k in range(conversion.outputs)]
        want = conversion.expected(start, lane, target, saturates) if _MASK >> lane & 1 else old
        got = [values[lane] for values in result.values()]
        if got != want and not _both_nan(conversion, got, want):
            sources = [hex(start[f"v{_SOURCE + k}"][lane]) for k in range(3)]
            scale = hex(start[f"v{_SCALE}"][lane])
            return [f"{conversion.text}: lane {lane}: {_hex(got)} instead of {_hex(want)}: {sources} scale {scale}"]
    return []


def _both_nan(conversion: Conversion, got: list[int], want: list[int]) -> bool:
    """Payloads of singles are not specified."""
    if conversion.narrows or conversion.wide != "f32":
        return False
    return all(a == b or (F32.is_nan(a) and F32.is_nan(b)) for a, b in zip(got, want, strict=True))


def _hex(values: list[int]) -> list[str]:
    return [hex(value) for value in values]
