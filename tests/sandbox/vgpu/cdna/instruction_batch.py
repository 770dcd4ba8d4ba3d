"""Runs many single instructions in one kernel and holds each against the model."""

from __future__ import annotations

import itertools
import random
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from kernel_workshop import KernelSource, Workshop
from number_formats import F16, F32, F64, FORMATS, NEAREST, Format, Ieee, Rounding
from operations import OPERATIONS, Target
from wave_model import LANES, Line, Wave, execute

CASES = Path(__file__).parent / "cases"
LINES_PER_KERNEL = 60
_RECORD = 1280
_SOURCES = range(10, 34)
_INITIAL = range(40, 44)

_KERNEL_HEAD = """
v_lshlrev_b32 v9, 2, v0
s_mov_b64 s[60:61], s[0:1]
"""
_LOAD = """
global_load_dword v{register}, v9, s[60:61]
s_add_u32 s60, s60, 256
s_addc_u32 s61, s61, 0
"""
_CASE = """
v_mov_b32 v0, v40
v_mov_b32 v1, v41
v_mov_b32 v2, v42
v_mov_b32 v3, v43
s_mov_b64 s[20:21], s[24:25]
s_mov_b64 s[22:23], s[26:27]
s_mov_b64 vcc, s[6:7]
s_mov_b32 m0, s33
s_cmp_eq_u32 s8, 1
s_mov_b64 exec, s[4:5]
{line}
s_mov_b64 s[30:31], exec
s_cselect_b32 s32, 1, 0
s_mov_b64 s[28:29], vcc
s_mov_b64 exec, -1
s_store_dwordx4 s[20:23], s[2:3], 0x0
s_store_dwordx4 s[28:31], s[2:3], 0x10
s_store_dword s32, s[2:3], 0x20
global_store_dword v9, v0, s[2:3] offset:256
global_store_dword v9, v1, s[2:3] offset:512
global_store_dword v9, v2, s[2:3] offset:768
global_store_dword v9, v3, s[2:3] offset:1024
s_add_u32 s2, s2, 1280
s_addc_u32 s3, s3, 0
"""


@dataclass(frozen=True)
class Case:
    """One instruction. ``ulps``: how far float results may be off. ``rounding``: the mode that it runs in, set by an
    instruction with a constant or, if ``hidden``, by one whose value the translator does not know."""

    text: str
    ulps: int = 0
    rounding: int = NEAREST
    hidden: bool = False

    @property
    def lines(self) -> str:
        if self.rounding == NEAREST and not self.hidden:
            return self.text
        field = "hwreg(HW_REG_MODE, 0, 4)"
        if self.hidden:
            return f"s_setreg_b32 {field}, s{35 + self.rounding}\n{self.text}\ns_setreg_b32 {field}, s35"
        both = self.rounding * 5
        return f"s_setreg_imm32_b32 {field}, {both}\n{self.text}\ns_setreg_imm32_b32 {field}, 0"


def read_cases(name: str) -> list[Case]:
    """A file of instructions: ``{a,b}`` stands for each of its parts, ``;`` begins a remark (or ``ulps=1``)."""
    cases = []
    for line in (CASES / name).read_text().splitlines():
        text, _, remark = line.partition(";")
        if text.strip():
            ulps = int(remark.split("ulps=")[1]) if "ulps=" in remark else 0
            cases += [Case(one, ulps) for one in _expand(text.strip())]
    return cases


def expand_case(text: str) -> list[Case]:
    return [Case(one) for one in _expand(text)]


def _expand(text: str) -> list[str]:
    parts = re.split(r"\{([^}]*)\}", text)
    choices = [part.split(",") if k % 2 else [part] for k, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


# ---- inputs ----------------------------------------------------------------------------------------------


def _float_edges(f: Format) -> list[int]:
    one = f.bias << f.fraction_bits
    positive = [
        0,
        1,
        (1 << f.fraction_bits) - 1,
        1 << f.fraction_bits,
        one - 1,
        one,
        one + 1,
        f.infinity - 1,
        f.infinity,
    ]
    positive += [f.nan, one + (1 << f.fraction_bits), one - (1 << f.fraction_bits)]
    return [pattern | sign for pattern in positive for sign in (0, f.sign)]


def _nans(f: Format) -> list[int]:
    """Of both signs, quiet and signalling."""
    payload = f.infinity | 0x155 & (1 << f.fraction_bits - 1) - 1
    return [pattern | sign for pattern in (payload, f.quiet(payload), f.infinity + 1, f.nan) for sign in (0, f.sign)]


def _floats(f: Format, chance: random.Random, payloads: bool = False) -> list[int]:
    """Edges, patterns of any size, and values of everyday size. ``payloads``: more NaNs, and all kinds of them."""
    edges = _float_edges(f) + (3 * _nans(f) if payloads else [])
    values = []
    for lane in range(LANES):
        kind = chance.randrange(3)
        if kind == 0:
            values.append(chance.choice(edges))
        elif kind == 1:
            pattern = chance.getrandbits(f.bits)
            values.append(f.nan if f.is_nan(pattern) and not payloads else pattern)
        else:
            exponent = f.bias + chance.randrange(-3, 7)
            values.append(
                chance.getrandbits(1) << (f.bits - 1)
                | exponent << f.fraction_bits
                | chance.getrandbits(f.fraction_bits)
            )
        del lane
    return values


def _integers(bits: int, chance: random.Random) -> list[int]:
    edges = [0, 1, 2, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF]
    return [chance.choice(edges) if chance.random() < 0.5 else chance.getrandbits(bits) for _ in range(LANES)]


def make_wave(seed: int, payloads: bool = False) -> Wave:
    """Registers as the kernels expect them; see the comments for what each is meant for."""
    chance = random.Random(seed)
    v: dict[int, list[int]] = {}
    for register in (10, 11, 12):  # singles
        v[register] = _floats(F32, chance, payloads)
    for register in (14, 16, 18):  # doubles
        _set_pair(v, register, _floats(F64, chance, payloads))
    for register in (13, 20, 21, 22):  # integers
        v[register] = _integers(32, chance)
    for register in (24, 26, 28):  # 64-bit integers
        _set_pair(v, register, _integers(64, chance))
    for register in (30, 31, 32):  # packed halves
        low, high = _floats(F16, chance, payloads), _floats(F16, chance, payloads)
        v[register] = [a | b << 16 for a, b in zip(low, high, strict=True)]
    v[23] = [chance.choice([0, 1, 5, 31, 32, 63, 64, 0xFFFFFFFF, 17]) for _ in range(LANES)]  # shift amounts
    v[33] = [
        chance.choice([0, 1, 12, 255, 0xFFFFFFF0, 0xFFFFFFFF, 3, 200, 0xFFFFFE00]) for _ in range(LANES)
    ]  # exponents
    for register in _INITIAL:
        v[register] = [chance.getrandbits(32) for _ in range(LANES)]
    s = [chance.getrandbits(32) for _ in range(128)]
    s[10], s[11] = _floats(F32, chance)[:2]
    double = _floats(F64, chance)[0]
    s[12], s[13] = double & 0xFFFFFFFF, double >> 32
    s[14], s[15] = _integers(32, chance)[:2]
    s[18] = _floats(F16, chance)[0] | _floats(F16, chance)[1] << 16
    s[19] = chance.choice([0, 1, 7, 31, 40])
    s[33] = chance.randrange(4)
    s[35:39] = [mode * 5 for mode in range(4)]
    mask = chance.choice(
        [(1 << 64) - 1, chance.getrandbits(64), chance.getrandbits(64) & chance.getrandbits(64), 0xFFFF]
    )
    s[4], s[5] = mask & 0xFFFFFFFF, mask >> 32
    s[8] = chance.getrandbits(1)
    return Wave(v, s, s[6] | s[7] << 32, mask, s[8], m0=s[33])


def _set_pair(v: dict[int, list[int]], register: int, values: list[int]) -> None:
    v[register] = [value & 0xFFFFFFFF for value in values]
    v[register + 1] = [value >> 32 for value in values]


def _encode(wave: Wave) -> bytes:
    words = [*wave.s, *itertools.chain.from_iterable(wave.v[r] for r in [*_SOURCES, *_INITIAL])]
    return struct.pack(f"<{len(words)}I", *words)


# ---- running and comparing -------------------------------------------------------------------------------


def kernel_of(name: str, cases: list[Case], denormals: int = 3, ieee: int = 1) -> KernelSource:
    head = _KERNEL_HEAD + "".join(_LOAD.format(register=r) for r in [*_SOURCES, *_INITIAL])
    return KernelSource(name, head + "".join(_CASE.format(line=case.lines) for case in cases), denormals, ieee)


def check_batch(
    workshop: Workshop,
    name: str,
    target: str,
    cases: list[Case],
    seeds: list[int],
    denormals: int = 3,
    ieee: int = 1,
    payloads: bool = False,
) -> list[str]:
    """What differs from the model, in sentences. ``payloads``: inputs have NaNs of all kinds, and those of results must
    be alike to the bit."""
    chunks = [cases[k : k + LINES_PER_KERNEL] for k in range(0, len(cases), LINES_PER_KERNEL)]
    units = [f"{name}_{target}_{k}" for k in range(len(chunks))]
    kernels = [kernel_of(unit, chunk, denormals, ieee) for unit, chunk in zip(units, chunks, strict=True)]
    image = workshop.assemble(f"{name}_{target}", target, kernels)
    problems: list[str] = []
    for unit in units:
        problems += workshop.translate(image, target, unit, unit)
    if problems:
        return problems
    workshop.compile(units)
    Target.current = target
    runs = [
        (unit, chunk, make_wave(seed, payloads)) for seed in seeds for unit, chunk in zip(units, chunks, strict=True)
    ]
    outputs = workshop.run([(unit, _encode(wave), _RECORD * len(chunk), 0) for unit, chunk, wave in runs])
    for (_, chunk, wave), output in zip(runs, outputs, strict=True):
        for position, case in enumerate(chunk):
            record = output[_RECORD * position : _RECORD * (position + 1)]
            problems += _differences(case, wave, record, denormals == 0, bool(ieee), payloads)
    return problems


def _differences(case: Case, start: Wave, record: bytes, flush_single: bool, ieee: bool, payloads: bool) -> list[str]:
    wave = Wave(
        {r: list(values) for r, values in start.v.items()}, list(start.s), start.vcc, start.exec, start.scc, start.m0
    )
    for register, initial in zip(range(4), _INITIAL, strict=True):
        wave.v[register] = list(start.v[initial])
    wave.s[20:24] = start.s[24:28]
    wave.flush_single, wave.ieee = flush_single, ieee
    Rounding.current, Ieee.current = case.rounding, ieee
    try:
        execute(wave, case.text)
    finally:
        Rounding.current, Ieee.current = NEAREST, True
    words = struct.unpack("<320I", record)
    expected = {"s20": wave.s[20], "s21": wave.s[21], "s22": wave.s[22], "s23": wave.s[23]}
    expected |= {"vcc_lo": wave.vcc & 0xFFFFFFFF, "vcc_hi": wave.vcc >> 32}
    expected |= {"exec_lo": wave.exec & 0xFFFFFFFF, "exec_hi": wave.exec >> 32, "scc": wave.scc}
    for (name, value), got in zip(expected.items(), words, strict=False):
        if value != got:
            return [f"{case.text}: {name} is {got:#x} instead of {value:#x} (exec {start.exec:#x})"]
    kind = _result_kind(case)
    for lane in range(LANES):
        got = [words[64 * (1 + r) + lane] for r in range(4)]
        want = [wave.v[r][lane] for r in range(4)]
        if want != got if payloads else not _agree(kind, want, got, case.ulps):
            sources = {r: hex(start.v[r][lane]) for r in _SOURCES if f"v{r}" in case.text or f"v[{r}:" in case.text}
            return [
                f"{case.text}: lane {lane} is {[hex(x) for x in got]} instead of {[hex(x) for x in want]}, {sources}"
            ]
    return []


def _result_kind(case: Case) -> str:
    line = Line.parse(case.text)
    operation = OPERATIONS.get(line.mnemonic)
    if operation is None:
        return ""
    if (operation.sources and operation.sources[0] == "pk") or line.mnemonic in (
        "v_cvt_pkrtz_f16_f32",
        "v_cvt_pk_f16_f32",
        "v_cvt_sr_f16_f32",
    ):
        return "f16"
    pairs = ("v_pk_add_f32", "v_pk_mul_f32", "v_pk_fma_f32", "v_cvt_pk_f32_fp8", "v_cvt_pk_f32_bf8")
    return "pk32" if line.mnemonic in pairs else operation.results[0]


def _agree(kind: str, want: list[int], got: list[int], ulps: int) -> bool:
    if want == got:
        return True
    if kind == "f64":
        return want[2:] == got[2:] and _close(F64, want[0] | want[1] << 32, got[0] | got[1] << 32, ulps)
    if kind == "pk32":
        return want[2:] == got[2:] and all(_close(F32, want[k], got[k], ulps) for k in range(2))
    if kind == "f16":
        halves = [(a >> s & 65535, b >> s & 65535) for a, b in zip(want[:1], got[:1], strict=True) for s in (0, 16)]
        return want[1:] == got[1:] and all(_close(F16, a, b, ulps) for a, b in halves)
    return kind in FORMATS and want[1:] == got[1:] and _close(FORMATS[kind], want[0], got[0], ulps)


def _close(f: Format, want: int, got: int, ulps: int) -> bool:
    """NaNs are alike; else within ``ulps`` of the same sign."""
    if f.is_nan(want) and f.is_nan(got):
        return True
    return want == got or (abs(want - got) <= ulps and not f.is_nan(want) and not f.is_nan(got))
