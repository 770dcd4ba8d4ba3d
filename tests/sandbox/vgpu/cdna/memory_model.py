"""Memory instructions of the tests' model. Addresses are offsets into one region; LDS and scratch are apart.

Registers: v36 holds byte offsets (a different one in each lane), v37 offsets that lanes share; v[38:39] and v[48:49]
are the same as addresses in the region, v[34:35] in LDS and v[44:45] in scratch as flat addresses; s[62:63] is the
region's address.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import number_formats as nf
from number_formats import F16, F32, F64
from wave_model import LANES, Line, Wave

SCRATCH_BYTES = 4096
_OFFSETS = {
    "v[38:39]": (36, "region"),
    "v[48:49]": (37, "region"),
    "v[34:35]": (36, "lds"),
    "v[44:45]": (36, "scratch"),
}
_SIZES = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "dword": 4, "dwordx2": 8}
_SIZES |= {"dwordx3": 12, "dwordx4": 16, "u8": 1, "i8": 1, "b8": 1, "u16": 2, "i16": 2, "b16": 2, "b32": 4, "b64": 8}
_SIZES |= {"b96": 12, "b128": 16}


@dataclass
class Memories:
    region: bytearray
    lds: bytearray
    scratch: list[bytearray]

    def read(self, space: str, lane: int, at: int, size: int) -> int:
        memory = self._of(space, lane)
        if space == "lds" and at + size > len(memory):
            return 0
        return int.from_bytes(memory[at : at + size], "little")

    def write(self, space: str, lane: int, at: int, size: int, value: int) -> None:
        memory = self._of(space, lane)
        if space == "lds" and at + size > len(memory):
            return
        memory[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def _of(self, space: str, lane: int) -> bytearray:
        return {"region": self.region, "lds": self.lds}.get(space) or self.scratch[lane]


def execute_memory(wave: Wave, memories: Memories, text: str) -> None:
    line = Line.parse(text)
    if line.mnemonic.startswith("ds_"):
        _lds(wave, memories, line)
    else:
        _flat(wave, memories, line)


# ---- global, flat, scratch -------------------------------------------------------------------------------


def _flat(wave: Wave, memories: Memories, line: Line) -> None:
    space, rest = line.mnemonic.split("_", 1)
    operation, _, what = rest.partition("_")
    offset = int(line.modifiers.get("offset", "0"), 0)
    operands = list(line.operands)
    destination = operands.pop(0) if operation == "load" or "sc0" in line.modifiers else ""
    address, rest_operands = operands[0], operands[1:]
    scalar = operands[-1]
    for lane in _storing(wave) if operation == "store" else _active(wave):
        where, at = _place(wave, space, address, scalar, lane)
        at += offset
        if operation == "load":
            _load(wave, destination, what, memories.read(where, lane, at, _SIZES[what.split("_")[0]]), lane)
        elif operation == "store":
            size = _SIZES[what.split("_")[0]]
            memories.write(where, lane, at, size, _data(wave, rest_operands[0], what, lane))
        else:
            _atomic(wave, memories, where, at, what, [rest_operands[0]], destination, lane)


def _place(wave: Wave, space: str, address: str, scalar: str, lane: int) -> tuple[str, int]:
    if address in _OFFSETS:
        register, where = _OFFSETS[address]
        return where, wave.v[register][lane]
    at = wave.v[int(address[1:])][lane] if address != "off" else 0
    if space == "scratch":
        return "scratch", at + (wave.scalar(scalar, 32) if scalar != "off" else 0)
    assert scalar == "s[62:63]", scalar
    return "region", at


def _load(wave: Wave, destination: str, what: str, value: int, lane: int) -> None:
    first = int(re.findall(r"\d+", destination)[0])
    size = _SIZES[what.split("_")[0]]
    if what[0] in "si" and size < 4 and not what.startswith("short") and value >> (8 * size - 1):
        value -= 1 << 8 * size
    if "d16" in what:
        wave.v[first][lane] = (value & 0xFFFF) << (16 if what.endswith("_hi") else 0)  # the rest is 0 with ECC
        return
    for k in range(max(1, size // 4)):
        wave.v[first + k][lane] = value >> 32 * k & 0xFFFFFFFF


def _data(wave: Wave, operand: str, what: str, lane: int) -> int:
    first = int(re.findall(r"\d+", operand)[0])
    value = sum(wave.v[first + k][lane] << 32 * k for k in range(4) if first + k in wave.v)
    return value >> 16 if what.endswith("d16_hi") else value


# ---- atomics ---------------------------------------------------------------------------------------------


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _halves(compute: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda old, x, bits: compute(old & 65535, x & 65535) | compute(old >> 16, x >> 16) << 16


def _add_bf16(a: int, b: int) -> int:
    total = nf.add(F32, a << 16, b << 16)
    if F32.is_nan(total):
        return 0x7FC0
    return (total + 0x7FFF + (total >> 16 & 1)) >> 16


_ATOMICS: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda old, x, bits: old + x,
    "sub": lambda old, x, bits: old - x,
    "rsub": lambda old, x, bits: x - old,
    "and": lambda old, x, bits: old & x,
    "or": lambda old, x, bits: old | x,
    "xor": lambda old, x, bits: old ^ x,
    "smin": lambda old, x, bits: min(old, x, key=lambda v: _signed(v, bits)),
    "smax": lambda old, x, bits: max(old, x, key=lambda v: _signed(v, bits)),
    "umin": lambda old, x, bits: min(old, x),
    "umax": lambda old, x, bits: max(old, x),
    "inc": lambda old, x, bits: 0 if old >= x else old + 1,
    "dec": lambda old, x, bits: x if old == 0 or old > x else old - 1,
    "swap": lambda old, x, bits: x,
    "wrxchg": lambda old, x, bits: x,
    "add_f32": lambda old, x, bits: nf.add(F32, old, x),
    "add_f64": lambda old, x, bits: nf.add(F64, old, x),
    "min_f32": lambda old, x, bits: nf.extreme(F32, "min", old, x),
    "max_f32": lambda old, x, bits: nf.extreme(F32, "max", old, x),
    "min_f64": lambda old, x, bits: nf.extreme(F64, "min", old, x),
    "max_f64": lambda old, x, bits: nf.extreme(F64, "max", old, x),
    "pk_add_f16": _halves(lambda a, b: nf.add(F16, a, b)),
    "pk_add_bf16": _halves(_add_bf16),
}


def atomic_result(name: str, old: int, data: int, bits: int) -> int:
    """What is in memory after an atomic of the vector memory. ``data``: of cmpswap also what it compares, above."""
    mask = (1 << bits) - 1
    if name == "cmpswap":
        return data & mask if old == data >> bits & mask else old
    return _ATOMICS[name](old, data & mask, bits) & mask


def _atomic(
    wave: Wave, memories: Memories, space: str, at: int, what: str, data: list[str], destination: str, lane: int
) -> None:
    name = what.removesuffix("_x2")
    bits = 64 if what.endswith("_x2") or name.endswith("f64") else 32
    old = memories.read(space, lane, at, bits // 8)
    first = int(re.findall(r"\d+", data[0])[0])
    x = _register(wave, first, bits, lane)
    if name == "cmpswap":
        x |= _register(wave, first + bits // 32, bits, lane) << bits
    memories.write(space, lane, at, bits // 8, atomic_result(name, old, x, bits))
    if destination:
        _store_result(wave, destination, old, bits, lane)


def _register(wave: Wave, first: int, bits: int, lane: int) -> int:
    return sum(wave.v[first + k][lane] << 32 * k for k in range(bits // 32))


def _store_result(wave: Wave, destination: str, value: int, bits: int, lane: int) -> None:
    first = int(re.findall(r"\d+", destination)[0])
    for k in range(bits // 32):
        wave.v[first + k][lane] = value >> 32 * k & 0xFFFFFFFF


# ---- LDS -------------------------------------------------------------------------------------------------


def _active(wave: Wave) -> list[int]:
    return [lane for lane in range(LANES) if wave.exec >> lane & 1]


def _storing(wave: Wave) -> list[int]:
    """Of 16 lanes that write to one place, the first one's value stays; of such groups, the last one's."""
    return sorted(_active(wave), key=lambda lane: (lane // 16, -lane))


def _lds(wave: Wave, memories: Memories, line: Line) -> None:
    name, operands = line.mnemonic[3:], line.operands
    if name in _SPECIAL:
        _SPECIAL[name](wave, memories, line)
        return
    offset = int(line.modifiers.get("offset", "0"), 0)
    if match := re.fullmatch(r"(read|write)2(st64)?_b(32|64)", name):
        _two(wave, memories, line, match[1], int(match[3]), 64 if match[2] else 1)
    elif name.startswith("read_"):
        for lane in _active(wave):
            at = wave.v[int(operands[1][1:])][lane] + offset
            what = name[5:]
            _load(wave, operands[0], what, memories.read("lds", lane, at, _SIZES[what.split("_")[0]]), lane)
    elif name.startswith("write_"):
        for lane in _storing(wave):
            what = name[6:]
            at = wave.v[int(operands[0][1:])][lane] + offset
            memories.write("lds", lane, at, _SIZES[what.split("_")[0]], _data(wave, operands[1], what, lane))
    else:
        _lds_atomic(wave, memories, line, offset)


def _two(wave: Wave, memories: Memories, line: Line, what: str, bits: int, stride: int) -> None:
    size = bits // 8
    offsets = [int(line.modifiers.get(f"offset{k}", "0"), 0) * size * stride for k in range(2)]
    for lane in _active(wave) if what == "read" else _storing(wave):
        if what == "read":
            at = wave.v[int(line.operands[1][1:])][lane]
            values = [memories.read("lds", lane, at + offset, size) for offset in offsets]
            _store_result(wave, line.operands[0], values[0] | values[1] << bits, 2 * bits, lane)
        else:
            at = wave.v[int(line.operands[0][1:])][lane]
            for k in range(2):
                first = int(re.findall(r"\d+", line.operands[1 + k])[0])
                memories.write("lds", lane, at + offsets[k], size, _register(wave, first, bits, lane))


def _lds_atomic(wave: Wave, memories: Memories, line: Line, offset: int) -> None:
    match = re.fullmatch(r"(pk_add|\w+?)_(rtn_)?(\w+)", line.mnemonic[3:])
    assert match is not None, line.mnemonic
    op, returns, kind = match[1], bool(match[2]), match[3]
    bits = 64 if kind.endswith("64") else 32
    operands = line.operands[1:] if returns else line.operands
    if op in ("min", "max") and kind[0] in "iu":
        op = ("s" if kind[0] == "i" else "u") + op
    elif kind[0] == "f" or op == "pk_add":
        op = f"{op}_{kind}"
    for lane in _active(wave):
        at = wave.v[int(operands[0][1:])][lane] + offset
        old = memories.read("lds", lane, at, bits // 8)
        values = [_register(wave, int(re.findall(r"\d+", text)[0]), bits, lane) for text in operands[1:]]
        if op.startswith("cmpst"):
            equal = old == values[0]
            if kind[0] == "f":
                equal = nf.compare(F32 if bits == 32 else F64, old, values[0]) == "eq"
            new = values[1] if equal else old
        elif op == "mskor":
            new = old & ~values[0] | values[1]
        else:
            new = _ATOMICS[op](old, values[0], bits)
        memories.write("lds", lane, at, bits // 8, new)
        if returns:
            _store_result(wave, line.operands[0], old, bits, lane)


def _bpermute(wave: Wave, memories: Memories, line: Line) -> None:
    offset = int(line.modifiers.get("offset", "0"), 0)
    addresses, data = (wave.v[int(text[1:])] for text in line.operands[1:3])
    results = {}
    for lane in _active(wave):
        source = addresses[lane] + offset >> 2 & 63
        results[lane] = data[source] if wave.exec >> source & 1 else 0
    for lane, value in results.items():
        wave.v[int(line.operands[0][1:])][lane] = value


def _permute(wave: Wave, memories: Memories, line: Line) -> None:
    offset = int(line.modifiers.get("offset", "0"), 0)
    addresses, data = (wave.v[int(text[1:])] for text in line.operands[1:3])
    pushed = [0] * LANES
    for lane in _active(wave):
        pushed[addresses[lane] + offset >> 2 & 63] = data[lane]
    for lane in _active(wave):
        wave.v[int(line.operands[0][1:])][lane] = pushed[lane]


def _swizzle(wave: Wave, memories: Memories, line: Line) -> None:
    pattern = int(line.modifiers["offset"], 0)
    data = list(wave.v[int(line.operands[1][1:])])
    for lane in _active(wave):
        if pattern >= 0xC000:
            source = _fft_or_rotation(pattern, lane)
        elif pattern & 0x8000:
            source = lane & ~3 | pattern >> 2 * (lane & 3) & 3
        else:
            source = lane & 32 | ((lane & pattern & 31) | pattern >> 5 & 31) ^ pattern >> 10 & 31
        wave.v[int(line.operands[0][1:])][lane] = data[source] if wave.exec >> source & 1 else 0


_FFT = {
    0x00: "1 11 9 19 5 15 d 1d 3 13 b 1b 7 17 f 1f 2 12 a 1a 6 16 e 1e 4 14 c 1c 8 18 10 20",
    0x10: "1 9 5 d 3 b 7 f 2 a 6 e 4 c 8 10 11 19 15 1d 13 1b 17 1f 12 1a 16 1e 14 1c 18 20",
}
"""Results for the inputs 1 to 20 (CDNA4 ISA, DS_SWIZZLE_B32)."""


def _fft_or_rotation(pattern: int, lane: int) -> int:
    group, place, mask = lane & 32, lane & 31, pattern & 31
    if pattern < 0xE000:
        amount = pattern >> 5 & 31
        turned = place - amount if pattern >> 10 & 1 else place + amount
        return group | turned & 31 & ~mask | place & mask
    if mask in _FFT:
        return group | int(_FFT[mask].split()[place], 16) - 1
    free = [bit for bit in range(5) if not mask >> bit & 1]
    reverse = sum((place >> bit & 1) << 4 - bit for bit in range(5))
    return group | reverse >> 5 - len(free) | place & mask


def _wrap(wave: Wave, memories: Memories, line: Line) -> None:
    offset = int(line.modifiers.get("offset", "0"), 0)
    destination, address, minus, plus = (int(text[1:]) for text in line.operands)
    for lane in _active(wave):
        at = wave.v[address][lane] + offset
        old, by = memories.read("lds", lane, at, 4), wave.v[minus][lane]
        memories.write("lds", lane, at, 4, old - by if old >= by else old + wave.v[plus][lane])
        wave.v[destination][lane] = old


def _exchange_two(wave: Wave, memories: Memories, line: Line) -> None:
    bits = 64 if line.mnemonic.endswith("b64") else 32
    size = bits // 8 * (64 if "st64" in line.mnemonic else 1)
    offsets = [int(line.modifiers[f"offset{k}"], 0) * size for k in range(2)]
    for lane in _active(wave):
        places = [wave.v[int(line.operands[1][1:])][lane] + offset for offset in offsets]
        old = [memories.read("lds", lane, at, bits // 8) for at in places]
        for at, operand in zip(places, line.operands[2:], strict=True):
            first = int(re.findall(r"\d+", operand)[0])
            memories.write("lds", lane, at, bits // 8, _register(wave, first, bits, lane))
        _store_result(wave, line.operands[0], old[0] | old[1] << bits, 2 * bits, lane)


def _by_lane(wave: Wave, memories: Memories, line: Line) -> None:
    register = int(line.operands[0][1:])
    for lane in _active(wave):
        at = int(line.modifiers["offset"], 0) + (wave.m0 & 0xFFFF) + 4 * lane
        if line.mnemonic.startswith("ds_write"):
            memories.write("lds", lane, at, 4, wave.v[register][lane])
        else:
            wave.v[register][lane] = memories.read("lds", lane, at, 4)


def _exchange_on_condition(wave: Wave, memories: Memories, line: Line) -> None:
    first = int(re.findall(r"\d+", line.operands[2])[0])
    for lane in _active(wave):
        at = wave.v[int(line.operands[1][1:])][lane] + int(line.modifiers["offset"], 0) & 0xFFF8
        old = 0
        for k in range(2):
            old |= memories.read("lds", lane, at + 4 * k, 4) << 32 * k
            data = wave.v[first + k][lane]
            if data >> 31:
                memories.write("lds", lane, at + 4 * k, 4, data & 0x7FFFFFFF)
        _store_result(wave, line.operands[0], old, 64, lane)


def _count(wave: Wave, memories: Memories, line: Line) -> None:
    at = (wave.m0 & 0xFFFF) + int(line.modifiers.get("offset", "0"), 0)
    old = memories.read("lds", 0, at, 4)
    ones = wave.exec.bit_count()
    memories.write("lds", 0, at, 4, old + ones if line.mnemonic == "ds_append" else old - ones)
    for lane in _active(wave):
        wave.v[int(line.operands[0][1:])][lane] = old


_SPECIAL: dict[str, Callable[[Wave, Memories, Line], None]] = {
    "bpermute_b32": _bpermute,
    "permute_b32": _permute,
    "swizzle_b32": _swizzle,
    "wrap_rtn_b32": _wrap,
    "wrxchg2_rtn_b32": _exchange_two,
    "wrxchg2_rtn_b64": _exchange_two,
    "wrxchg2st64_rtn_b32": _exchange_two,
    "wrxchg2st64_rtn_b64": _exchange_two,
    "write_addtid_b32": _by_lane,
    "read_addtid_b32": _by_lane,
    "condxchg32_rtn_b64": _exchange_on_condition,
    "nop": lambda wave, memories, line: None,
    "append": _count,
    "consume": _count,
}


def words_of(memory: Any) -> tuple[int, ...]:
    return struct.unpack(f"<{len(memory) // 4}I", memory)
