"""Typed buffer loads and stores: formats, component selectors, halves, ranges (CDNA4 ISA, sections 9.1.2 and 9.1.4)."""

from __future__ import annotations

import random
import re
import struct
from dataclasses import replace
from fractions import Fraction

import pytest
from buffer_model import Descriptor
from kernel_workshop import Workshop
from number_formats import F16, F32, convert
from register_program import LANES, Program, Registers, Step, names, random_registers, run_with_memory

_COMPONENTS = {
    "8": [8], "16": [16], "8_8": [8, 8], "32": [32], "16_16": [16, 16], "10_11_11": [11, 11, 10],
    "2_10_10_10": [10, 10, 10, 2], "8_8_8_8": [8, 8, 8, 8], "32_32": [32, 32], "16_16_16_16": [16, 16, 16, 16],
    "32_32_32": [32, 32, 32], "32_32_32_32": [32, 32, 32, 32],
}  # fmt: skip
"""Bits of X, Y, Z and W, which lie from the lowest bit up."""
_CODES = {"8": 1, "16": 2, "8_8": 3, "32": 4, "16_16": 5, "10_11_11": 6, "2_10_10_10": 9, "8_8_8_8": 10, "32_32": 11}
_CODES |= {"16_16_16_16": 12, "32_32_32": 13, "32_32_32_32": 14}
_NUMBERS = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "", "FLOAT"]
_RECORDS = 40
_SUFFIX = {1: "x", 2: "xy", 3: "xyz", 4: "xyzw"}


def _formats() -> list[tuple[str, str]]:
    """Data format and number format."""
    small = [(d, n) for d in ("8", "8_8", "16_16", "2_10_10_10", "8_8_8_8") for n in _NUMBERS[:6] if n]
    wide = [(d, n) for d in ("32", "32_32", "32_32_32", "32_32_32_32") for n in ("UINT", "SINT", "FLOAT")]
    return [*small, *wide, ("16", "FLOAT"), ("16_16_16_16", "FLOAT"), ("10_11_11", "FLOAT"), ("16_16_16_16", "UNORM")]


def _decode(bits: int, width: int, number: str) -> int:
    """A register's 32 bits."""
    signed = bits - (1 << width) if bits >> width - 1 else bits
    if number == "UINT":
        return bits
    if number == "SINT":
        return signed & 0xFFFFFFFF
    if number == "FLOAT":
        if width == 32:
            return bits
        return convert(F16, F32, bits << (15 - width) if width < 16 else bits)
    value = {
        "UNORM": Fraction(bits, (1 << width) - 1),
        "SNORM": max(Fraction(-1), Fraction(signed, max(1, (1 << width - 1) - 1))),
        "USCALED": Fraction(bits),
        "SSCALED": Fraction(signed),
    }[number]
    return F32.round(value)


def _element(memory: bytes, at: int, data_format: str, number: str) -> list[int]:
    """All four components, the missing ones as 0."""
    widths = _COMPONENTS[data_format]
    whole = int.from_bytes(memory[at : at + sum(widths) // 8], "little")
    components = []
    for width in widths:
        components.append(_decode(whole & (1 << width) - 1, width, number))
        whole >>= width
    return components + [0] * (4 - len(components))


def _descriptors() -> dict[str, Descriptor]:
    base = Descriptor(stride=20, records=_RECORDS)
    return {
        "s[4:7]": base,
        "s[8:11]": replace(base, data_format=10, number_format=0, selectors=(6, 5, 4, 1)),
        "s[12:15]": replace(base, data_format=5, number_format=7, selectors=(5, 0, 1, 4)),
    }


_SELECTED = {"s[8:11]": ("8_8_8_8", "UNORM", (6, 5, 4, 1)), "s[12:15]": ("16_16", "FLOAT", (5, 0, 1, 4))}


def _program(lines: list[str], memory: bytes, start: Registers, chance: random.Random) -> Program:
    sgprs, code = {}, ""
    for text, descriptor in _descriptors().items():
        first = int(text[2:].split(":")[0])
        sgprs |= {first + k: word for k, word in enumerate(descriptor.words)}
        code += f"s_add_u32 s{first}, s{first}, s92\ns_addc_u32 s{first + 1}, s{first + 1}, s93\n"
    steps = []
    for line in lines:
        data = names(line.split()[1].rstrip(","))
        outputs = data if "load" in line else []
        steps.append(Step(line, outputs, outputs, chance.getrandbits(64)))
    return Program(start, steps, sgprs, memory=memory, mode=code)


def _format_text(data_format: str, number: str) -> str:
    return f"format:[BUF_DATA_FORMAT_{data_format},BUF_NUM_FORMAT_{number}]"


def _start(chance: random.Random) -> Registers:
    start = random_registers(chance, "v[40:43]")
    start["v4"] = [chance.randrange(_RECORDS + 8) for _ in range(LANES)]
    return start


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_typed_loads(workshop: Workshop, target: str) -> None:
    chance = random.Random(13)
    start, memory = (
        _start(chance),
        bytes(byte & (0xBF, 0xBF, 0xB7, 0xBF)[k % 4] for k, byte in enumerate(chance.randbytes(20 * 64))),
    )
    lines = []
    for k, (data_format, number) in enumerate(_formats()):
        count = 1 + k % 4
        data = "v40" if count == 1 else f"v[40:{39 + count}]"
        form = _format_text(data_format, number)
        lines.append(f"tbuffer_load_format_{_SUFFIX[count]} {data}, v4, s[4:7], 0 {form} idxen offset:4")
    for count in (1, 2, 3, 4):
        halves = "v40" if count < 3 else "v[40:41]"
        whole = "v40" if count == 1 else f"v[40:{39 + count}]"
        form = _format_text("16_16_16_16", "FLOAT")
        lines.append(f"tbuffer_load_format_d16_{_SUFFIX[count]} {halves}, v4, s[4:7], 0 {form} idxen")
        for descriptor in _SELECTED:
            lines.append(f"buffer_load_format_{_SUFFIX[count]} {whole}, v4, {descriptor}, 0 idxen offset:8")
            lines.append(f"buffer_load_format_d16_{_SUFFIX[count]} {halves}, v4, {descriptor}, 0 idxen")
    lines.append("buffer_load_format_d16_hi_x v40, v4, s[8:11], 0 idxen")
    program = _program(lines, memory, start, chance)
    (outcome,) = run_with_memory(workshop, "typed_loads", target, [program])
    for step, result in zip(program.steps, outcome.steps, strict=True):
        wanted = {name: list(start[name]) for name in step.outputs}
        for lane in range(LANES):
            if step.exec >> lane & 1:
                _load(step.lines, memory, start, lane, wanted)
        for name, values in wanted.items():
            assert result[name] == values, (step.lines, name, _different(result[name], values))


def _different(a: list[int], b: list[int]) -> list[tuple[int, str, str]]:
    return [(k, f"{x:#x}", f"{y:#x}") for k, (x, y) in enumerate(zip(a, b, strict=True)) if x != y][:4]


def _load(line: str, memory: bytes, start: Registers, lane: int, wanted: Registers) -> None:
    count = len(re.findall(r"_(x\w*) ", line)[0].split("_")[-1])
    offset = int((re.findall(r"offset:(\d+)", line) or ["0"])[0])
    if line.startswith("tbuffer"):
        data_format, number = re.findall(r"FORMAT_([0-9_]+),BUF_NUM_FORMAT_(\w+)", line)[0]
        selectors: tuple[int, ...] = (4, 5, 6, 7)
    else:
        data_format, number, selectors = _SELECTED[re.findall(r"s\[\d+:\d+\]", line)[0]]
    index = start["v4"][lane]
    components = [0, 0, 0, 0]
    if index < _RECORDS:
        components = _element(memory, 20 * index + offset, data_format, number)
    one = 1 if number in ("UINT", "SINT") else 0x3F800000
    values = [{0: 0, 1: one}.get(s, components[s - 4] if s >= 4 else 0) for s in selectors[:count]]
    if "d16" not in line:
        for name, value in zip(wanted, values, strict=True):
            wanted[name][lane] = value
        return
    for k, value in enumerate(values):
        name, high = list(wanted)[k // 2], k % 2 or "_hi" in line
        half = convert(F32, F16, value)
        wanted[name][lane] = half << 16 | (wanted[name][lane] if k % 2 else 0) if high else half


def _halves(words: list[int], line: str) -> list[int]:
    """As singles; as many as the instruction stores."""
    halves = [word >> shift & 0xFFFF for word in words for shift in (0, 16)]
    count = len(re.findall(r"_(x\w*) ", line)[0].split("_")[-1])
    return [convert(F16, F32, half) for half in (halves[1:] if "_hi_" in line else halves)[:count]]


def _encode(value: int, width: int, number: str) -> int:
    largest, half = (1 << width) - 1, (1 << width - 1) - 1
    if number in ("UINT", "SINT") or (number == "FLOAT" and width == 32):
        return value & largest
    if number == "FLOAT":
        return convert(F32, F16, value)
    x = F32.value(value & 0x7FFFFFFF) * (-1 if value >> 31 else 1)
    if number == "UNORM":
        return round(min(max(x * largest, Fraction(0)), Fraction(largest)))
    if number == "SNORM":
        return round(min(max(x * half, Fraction(-half)), Fraction(half))) & largest
    if number == "USCALED":
        return round(min(max(x, Fraction(0)), Fraction(largest)))
    return round(min(max(x, Fraction(-half - 1)), Fraction(half))) & largest


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_typed_stores(workshop: Workshop, target: str) -> None:
    chance = random.Random(14)
    start, memory = _start(chance), bytearray(chance.randbytes(20 * 64))
    start["v4"] = random.Random(15).sample(range(_RECORDS + 24), LANES)
    for name in names("v[40:43]"):
        start[name] = [
            F32.round(Fraction(chance.randrange(-5000, 5000), chance.choice((1, 64, 4096)))) for _ in range(LANES)
        ]
    lines = []
    for data_format, number in _formats():
        if data_format == "10_11_11":
            continue
        count = len(_COMPONENTS[data_format])
        data = "v40" if count == 1 else f"v[40:{39 + count}]"
        form = _format_text(data_format, number)
        lines.append(f"tbuffer_store_format_{_SUFFIX[count]} {data}, v4, s[4:7], 0 {form} idxen offset:4")
    for count in (1, 2, 3, 4):
        halves, form = (
            "v40" if count < 3 else "v[40:41]",
            _format_text(["16", "16_16", "32_32_32", "8_8_8_8"][count - 1], "FLOAT" if count < 4 else "SNORM"),
        )
        lines.append(f"tbuffer_store_format_d16_{_SUFFIX[count]} {halves}, v4, s[4:7], 0 {form} idxen")
    for count in (1, 2, 3, 4):
        halves = "v40" if count < 3 else "v[40:41]"
        lines.append(f"buffer_store_format_d16_{_SUFFIX[count]} {halves}, v4, s[8:11], 0 idxen offset:16")
    lines.append("buffer_store_format_d16_hi_x v40, v4, s[8:11], 0 idxen offset:13")
    lines.append("buffer_store_format_xyzw v[40:43], v4, s[8:11], 0 idxen")
    lines.append("buffer_store_format_x v41, v4, s[8:11], 0 idxen offset:12")
    program = _program(lines, bytes(memory), start, chance)
    (outcome,) = run_with_memory(workshop, "typed_stores", target, [program])
    for step in program.steps:
        line = step.lines
        offset = int((re.findall(r"offset:(\d+)", line) or ["0"])[0])
        data_format, number = (re.findall(r"FORMAT_([0-9_]+),BUF_NUM_FORMAT_(\w+)", line) or [("8_8_8_8", "UNORM")])[0]
        registers = names(line.split()[1].rstrip(","))
        for lane in range(LANES):
            index = start["v4"][lane]
            if not step.exec >> lane & 1 or index >= _RECORDS:
                continue
            whole, at = 0, 0
            values = [start[name][lane] for name in registers]
            if "d16" in line:
                values = _halves(values, line)
            for value, width in zip(values, _COMPONENTS[data_format], strict=False):
                whole |= _encode(value, width, number) << at
                at += width
            place = 20 * index + offset
            memory[place : place + at // 8] = whole.to_bytes(at // 8, "little")
    different = [k for k, (a, b) in enumerate(zip(outcome.memory, memory, strict=True)) if a != b]
    assert not different, (different[:8], struct.unpack_from("<5I", outcome.memory, different[0] // 20 * 20))
