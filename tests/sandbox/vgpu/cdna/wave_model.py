"""An interpreter of single CDNA instructions, written from the ISA documents and independent of the translator.

It knows registers, operand and output modifiers, EXEC, SDWA and DPP; what an instruction computes for one lane is in
``operations.py``.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from number_formats import F32, FORMATS, extreme, multiply
from operations import COMPARES, KEEPS_HALF, OPERATIONS, Operation
from scalar_operations import SCALAR

LANES = 64
_MASK64 = (1 << 64) - 1
_INVERSE_TWO_PI = {16: 0x3118, 32: 0x3E22F983, 64: 0x3FC45F306DC9C882}
_WIDTH = {"f16": 16, "f32": 32, "f64": 64, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64, "i24": 32}
_PACK = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


@dataclass
class Wave:
    """Registers as unsigned integers; a VGPR is a list of 64."""

    v: dict[int, list[int]]
    s: list[int]
    vcc: int
    exec: int
    scc: int
    m0: int = 0
    flush_single: bool = False
    ieee: bool = True
    touched: set[int] = field(default_factory=set)

    def scalar(self, text: str, bits: int, number: str = "") -> int:
        """An operand that is the same in all lanes; ``number`` is its type if it matters for constants."""
        named = {"vcc": self.vcc, "exec": self.exec, "m0": self.m0, "scc": self.scc, "src_scc": self.scc}
        named |= {"vcc_lo": self.vcc & 0xFFFFFFFF, "vcc_hi": self.vcc >> 32}
        named |= {"exec_lo": self.exec & 0xFFFFFFFF, "exec_hi": self.exec >> 32}
        if text in named:
            return named[text]
        if match := re.fullmatch(r"s(\d+)", text):
            return self.s[int(match[1])]
        if match := re.fullmatch(r"s\[(\d+):(\d+)\]", text):
            return self.s[int(match[1])] | self.s[int(match[1]) + 1] << 32
        if re.fullmatch(r"-?\d+", text):
            return int(text) & ((1 << bits) - 1)
        if re.fullmatch(r"0x[0-9a-f]+", text):
            literal = int(text, 16)
            return literal << 32 if number == "f64" else literal & ((1 << bits) - 1)
        if text.startswith("0.159"):
            return _INVERSE_TWO_PI[bits]
        pack, unpack = _PACK[bits]
        return int(struct.unpack(unpack, struct.pack(pack, float(text)))[0])

    def set_scalar(self, text: str, value: int) -> None:
        if text in ("vcc", "exec"):
            setattr(self, text, value & _MASK64)
        elif match := re.fullmatch(r"(vcc|exec)_(lo|hi)", text):
            old, shift = getattr(self, match[1]), 32 if match[2] == "hi" else 0
            setattr(self, match[1], old & ~(0xFFFFFFFF << shift) | (value & 0xFFFFFFFF) << shift)
        elif text == "m0":
            self.m0 = value & 0xFFFFFFFF
        elif match := re.fullmatch(r"s(\d+)", text):
            self.s[int(match[1])] = value & 0xFFFFFFFF
        elif match := re.fullmatch(r"s\[(\d+):(\d+)\]", text):
            for offset in range(int(match[2]) - int(match[1]) + 1):
                self.s[int(match[1]) + offset] = value >> 32 * offset & 0xFFFFFFFF
        else:
            raise AssertionError(f"scalar destination {text}")


@dataclass(frozen=True)
class Line:
    """An instruction's text, taken apart."""

    mnemonic: str
    encoding: str
    operands: list[str]
    modifiers: dict[str, str]

    @staticmethod
    def parse(text: str) -> Line:
        mnemonic, _, rest = text.partition(" ")
        parts = re.split(r",\s*(?![^\[]*\])", rest)
        *operands, last = [part.strip() for part in parts]
        words = last.split()
        modifiers = {name: value or "1" for name, _, value in (word.partition(":") for word in words[1:])}
        base = re.sub(r"_(e32|e64|sdwa|dpp)$", "", mnemonic)
        encoding = mnemonic[len(base) + 1 :]
        return Line(base, encoding, [*operands, *words[:1]], modifiers)

    def list_of(self, name: str, default: int, count: int) -> list[int]:
        given = [int(x) for x in self.modifiers[name].strip("[]").split(",")] if name in self.modifiers else []
        return given + [default] * (count - len(given))


def execute(wave: Wave, text: str) -> None:
    """One instruction; ``touched`` gets the VGPRs that it may write."""
    line = Line.parse(text)
    if line.mnemonic in ("v_nop", "v_clrexcp"):
        return
    if line.mnemonic in SCALAR:
        SCALAR[line.mnemonic](wave, line.operands)
        return
    if (match := re.fullmatch(r"v_cmp(x?)_(\w+)_(\w\d\d)", line.mnemonic)) is not None:
        _compare(wave, line, bool(match[1]), match[2], match[3])
        return
    _vector(wave, line, OPERATIONS[line.mnemonic])


# ---- vector instructions ---------------------------------------------------------------------------------


def _vector(wave: Wave, line: Line, operation: Operation) -> None:
    results = operation.results
    first = len(results) + (1 if operation.carry_out else 0)
    masks = 0
    enabled = [lane for lane in range(LANES) if _is_enabled(wave, line, line.operands[first], lane)]
    writes = []
    for lane in enabled:
        sources = []
        for position, kind in enumerate(operation.sources):
            sources.append(_source(wave, line, position, line.operands[first + position], kind, lane))
        if operation.accumulates:
            sources.append(_register(wave, line.operands[0], operation.results[0], lane))
        if operation.carry_in:
            place = line.operands[first + len(operation.sources)] if operation.carry_in == "operand" else "vcc"
            sources.append(wave.scalar(place, 64) >> lane & 1)
        value, carry = operation.run(sources, "clamp" in line.modifiers, line, lane)
        masks |= carry << lane
        writes.append((lane, value))
    for lane, value in writes:
        _write(wave, line, operation, lane, value)
    if operation.carry_out:
        wave.set_scalar(line.operands[len(results)], masks)


def _compare(wave: Wave, line: Line, to_exec: bool, predicate: str, kind: str) -> None:
    bits = 0
    for lane in range(LANES):
        if not wave.exec >> lane & 1:
            continue
        kinds = [kind, "u32" if predicate == "class" else kind]
        a, b = (_source(wave, line, k, line.operands[1 + k], kinds[k], lane) for k in range(2))
        bits |= COMPARES(predicate, kind, a, b) << lane
    wave.set_scalar(line.operands[0], bits)
    if to_exec:
        wave.exec = bits


def _register(wave: Wave, text: str, kind: str, lane: int) -> int:
    if match := re.fullmatch(r"[va](\d+)", text):
        return wave.v[int(match[1])][lane] & ((1 << _WIDTH.get(kind, 32)) - 1)
    match = re.fullmatch(r"[va]\[(\d+):(\d+)\]", text)
    assert match is not None, text
    return wave.v[int(match[1])][lane] | wave.v[int(match[1]) + 1][lane] << 32


def _source(wave: Wave, line: Line, position: int, text: str, kind: str, lane: int) -> int:
    negate = absolute = sign_extend = False
    if text.startswith("sext("):
        sign_extend, text = True, text[5:-1]
    if text.startswith("-") and not text[1].isdigit():
        negate, text = True, text[1:]
    if text.startswith("|"):
        absolute, text = True, text[1:-1]
    width = _WIDTH.get(kind, 32)
    if kind in ("pk", "mix"):  # packed operands are taken apart by the operation
        raw = _raw(wave, line, position, text, 32, "u32", lane)
        if re.fullmatch(r"-?\d+\.\d+", text):
            raw = wave.scalar(text, 16)
        return raw
    raw = _raw(wave, line, position, text, width, kind, lane)
    if line.encoding == "sdwa" and position < 2:
        raw = _selected(raw, line.modifiers.get(f"src{position}_sel", "DWORD"), sign_extend)
    elif width == 16 and line.list_of("op_sel", 0, 4)[position]:
        raw >>= 16
    raw &= (1 << width) - 1
    sign = 1 << (width - 1)
    if absolute:
        raw &= ~sign
    raw = raw ^ sign if negate else raw
    return flushed(raw) if kind == "f32" and wave.flush_single else raw


def flushed(pattern: int) -> int:
    """A denormal single as zero of its sign."""
    return pattern if pattern & 0x7F800000 else pattern & 0x80000000


def _raw(wave: Wave, line: Line, position: int, text: str, width: int, kind: str, lane: int) -> int:
    if text[0] in "va" and text[:3] != "vcc":
        source = lane
        if line.encoding == "dpp" and position == 0:
            found = dpp_source(line, lane)
            if found is None or not wave.exec >> found & 1:
                return 0
            source = found
        if "[" in text:
            return _register(wave, text, kind, source)
        match = re.fullmatch(r"[va](\d+)", text)
        assert match is not None, text
        return wave.v[int(match[1])][source]
    if width == 16 and re.fullmatch(r"s\d+", text):
        return wave.scalar(text, 32)
    return wave.scalar(text, width, kind)


def _selected(raw: int, selector: str, sign_extend: bool) -> int:
    if selector == "DWORD":
        return raw
    unit, number = selector.split("_")
    width = 8 if unit == "BYTE" else 16
    part = raw >> int(number) * width & ((1 << width) - 1)
    if sign_extend and part >> (width - 1):
        part -= 1 << width
    return part & 0xFFFFFFFF


def dpp_source(line: Line, lane: int) -> int | None:
    """The lane that ``lane`` reads, or None."""
    m, place, row = line.modifiers, lane % 16, lane // 16
    if "quad_perm" in m:
        return lane // 4 * 4 + int(m["quad_perm"].strip("[]").split(",")[lane % 4])
    if "row_shl" in m:
        return lane + int(m["row_shl"]) if place + int(m["row_shl"]) <= 15 else None
    if "row_shr" in m:
        return lane - int(m["row_shr"]) if place >= int(m["row_shr"]) else None
    if "row_ror" in m:
        return 16 * row + (place + 16 - int(m["row_ror"])) % 16
    if "row_mirror" in m:
        return 16 * row + 15 - place
    if "row_half_mirror" in m:
        return lane ^ 7
    if "row_newbcast" in m:
        return 16 * row + int(m["row_newbcast"])
    if "row_bcast" in m:
        if m["row_bcast"] == "15":
            return 16 * row - 1 if row else None
        return 31 if row >= 2 else None
    if "wave_shl" in m:
        return lane + 1 if lane < 63 else None
    if "wave_shr" in m:
        return lane - 1 if lane else None
    if "wave_rol" in m:
        return (lane + 1) % 64
    assert "wave_ror" in m, line
    return (lane + 63) % 64


def _is_enabled(wave: Wave, line: Line, source: str, lane: int) -> bool:
    if not wave.exec >> lane & 1:
        return False
    if line.encoding != "dpp":
        return True
    rows, banks = int(line.modifiers.get("row_mask", "0xf"), 0), int(line.modifiers.get("bank_mask", "0xf"), 0)
    if not rows >> lane // 16 & 1 or not banks >> lane % 16 // 4 & 1:
        return False
    found = dpp_source(line, lane)
    return "bound_ctrl" in line.modifiers or (found is not None and bool(wave.exec >> found & 1))


def _write(wave: Wave, line: Line, operation: Operation, lane: int, values: list[int]) -> None:
    for text, kind, value in zip(line.operands, operation.results, values, strict=False):
        width = _WIDTH.get(kind, 32)
        if kind == "f32" and wave.flush_single:
            value = flushed(value)
        if kind == "f32" and wave.flush_single and not wave.ieee:
            value = _modified(line, value)
        if kind in FORMATS and "clamp" in line.modifiers:
            value = _clamped(kind, value)
        if re.match(r"v_pk_\w+_f32", line.mnemonic) and "clamp" in line.modifiers:
            value = _clamped("f32", value & 0xFFFFFFFF) | _clamped("f32", value >> 32) << 32
        match = re.match(r"[va]\[?(\d+)", text)
        assert match is not None, text
        register = int(match[1])
        wave.touched.add(register)
        if width == 64:
            wave.v[register][lane], wave.v[register + 1][lane] = value & 0xFFFFFFFF, value >> 32
            wave.touched.add(register + 1)
            continue
        old = wave.v[register][lane]
        if line.encoding == "sdwa":
            value = _placed(line, value & ((1 << width) - 1), old)
        elif width == 16:
            value &= 0xFFFF
            if line.list_of("op_sel", 0, 4)[len(operation.sources)] or line.mnemonic == "v_fma_mixhi_f16":
                value = old & 0xFFFF | value << 16
            elif line.mnemonic in KEEPS_HALF:
                value |= old & 0xFFFF0000
        wave.v[register][lane] = value


def _modified(line: Line, value: int) -> int:
    """The output modifier: times 2 or 4, or halved."""
    factors = {("mul", "2"): 0x40000000, ("mul", "4"): 0x40800000, ("div", "2"): 0x3F000000}
    for (name, amount), factor in factors.items():
        if line.modifiers.get(name) == amount:
            value = multiply(F32, value, factor)
    return value


def _clamped(kind: str, value: int) -> int:
    f = FORMATS[kind]
    if f.is_nan(value):
        return 0
    one = f.bias << f.fraction_bits
    return extreme(f, "min", extreme(f, "max", value, 0), one)


def _placed(line: Line, value: int, old: int) -> int:
    selector = line.modifiers.get("dst_sel", "DWORD")
    if selector == "DWORD":
        return value
    unit, number = selector.split("_")
    width = 8 if unit == "BYTE" else 16
    shift = int(number) * width
    mask = (1 << width) - 1
    part = value & mask
    unused = line.modifiers.get("dst_unused", "UNUSED_PAD")
    if unused == "UNUSED_PRESERVE":
        return old & ~(mask << shift) | part << shift
    if unused == "UNUSED_SEXT" and part >> (width - 1):
        return (part - (1 << width) << shift) & 0xFFFFFFFF
    return part << shift
