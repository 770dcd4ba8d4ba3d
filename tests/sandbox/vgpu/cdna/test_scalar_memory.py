"""Scalar loads, stores and atomics, of plain memory, scratch and buffers (CDNA4 ISA, section 8.2). None heeds EXEC."""

from __future__ import annotations

import random
import re
import struct
from dataclasses import dataclass

import pytest
from buffer_model import Descriptor
from kernel_workshop import Workshop
from memory_model import atomic_result
from register_program import Program, Step, run_with_memory

_ATOMICS = ["swap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"]
_RAW, _RECORDS = Descriptor(records=0x104), Descriptor(stride=16, records=8)
_SIZES = {"s[92:93]": None, "s[8:11]": 0x104, "s[12:15]": 16 * 8}
"""Bytes of memory behind a base."""
_SCALARS = {16: 3, 17: 0x26, 18: 0xF8}
_M0 = 0x40
_EQUAL = [
    "s_store_dwordx4 s[40:43], s[92:93], 0x60",
    "s_atomic_cmpswap s[40:41], s[92:93], 0x60 glc",
    "s_atomic_cmpswap_x2 s[40:43], s[92:93], 0x68 glc",
]
"""With the same value in all registers: the comparison holds."""


@dataclass
class _Operation:
    """One instruction, taken apart: ``registers`` is how many it has from s40 on; ``at`` a byte of the memory."""

    text: str
    what: str
    registers: int
    base: str
    at: int

    @classmethod
    def parse(cls, text: str) -> _Operation:
        match = re.fullmatch(r"s_(?:buffer_|scratch_)?(\w+) (\S+), (\S+), (\S+)(?: offset:(\w+))?( glc)?", text)
        assert match, text
        registers = 1 if "[" not in match[2] else 1 + int(match[2][:-1].split(":")[1]) - 40
        unit = 64 if "scratch" in text else 1
        offset = match[4]
        if offset == "m0":
            at = _M0 * unit
        elif offset.startswith("s"):
            at = _SCALARS[int(offset[1:])] * unit
        else:
            at = int(offset, 0)
        return cls(text, match[1], registers, match[3], (at + int(match[5] or "0", 0)) & ~3)

    def execute(self, memory: bytearray, registers: list[int]) -> None:
        """``registers``: s40 up."""
        limit = _SIZES[self.base] or len(memory)
        if self.what.startswith("load"):
            for k in range(self.registers):
                at = self.at + 4 * k
                registers[k] = struct.unpack_from("<I", memory, at)[0] if at + 4 <= limit else 0
        elif self.what.startswith("store"):
            for k in range(self.registers):
                if self.at + 4 * k + 4 <= limit:
                    struct.pack_into("<I", memory, self.at + 4 * k, registers[k])
        else:
            self._atomic(memory, registers, limit)

    def _atomic(self, memory: bytearray, registers: list[int], limit: int) -> None:
        bits = 64 if self.what.endswith("_x2") else 32
        old = 0
        if self.at + bits // 8 <= limit:
            old = int.from_bytes(memory[self.at : self.at + bits // 8], "little")
            data = sum(register << 32 * k for k, register in enumerate(registers[: self.registers]))
            new = atomic_result(self.what.removeprefix("atomic_").removesuffix("_x2"), old, data, bits)
            memory[self.at : self.at + bits // 8] = new.to_bytes(bits // 8, "little")
        if "glc" in self.text:
            for k in range(bits // 32):
                registers[k] = old >> 32 * k & 0xFFFFFFFF


def _lines() -> list[str]:
    lines = []
    for count in (1, 2, 4, 8, 16):
        name, data = ("dword", "s40") if count == 1 else (f"dwordx{count}", f"s[40:{39 + count}]")
        lines += [f"s_load_{name} {data}, s[92:93], {offset}" for offset in ("0x15", "s17", "s17 offset:0x40")]
        lines += [f"s_buffer_load_{name} {data}, s[8:11], {offset}" for offset in ("0x20", "s18", "0x400")]
        lines.append(f"s_buffer_load_{name} {data}, s[12:15], 0x74")
        if count <= 4:
            lines += [f"s_store_{name} {data}, s[92:93], {offset}" for offset in ("0x33", "m0")]
            lines += [f"s_buffer_store_{name} {data}, s[8:11], {offset}" for offset in ("0xfc", "m0", "0x400")]
            lines.append(f"s_buffer_store_{name} {data}, s[12:15], 0x7c")
            lines += [f"s_scratch_{way}_{name} {data}, s[92:93], 0x50" for way in ("store", "load")]
            lines.append(f"s_scratch_load_{name} {data}, s[92:93], s16")
    for op in _ATOMICS:
        lines += [f"s_atomic_{op} s40, s[92:93], 0x10", f"s_atomic_{op} s40, s[92:93], m0 glc"]
        lines += [f"s_atomic_{op}_x2 s[40:41], s[92:93], 0x20 glc", f"s_buffer_atomic_{op} s40, s[8:11], 0x100 glc"]
        lines += [
            f"s_buffer_atomic_{op}_x2 s[40:41], s[8:11], 0x48 glc",
            f"s_buffer_atomic_{op} s40, s[12:15], 0x80 glc",
        ]
    lines += ["s_atomic_cmpswap s[40:41], s[92:93], 0x10 glc", "s_atomic_cmpswap_x2 s[40:43], s[92:93], 0x18 glc"]
    lines += _EQUAL
    lines += [
        "s_buffer_atomic_cmpswap s[40:41], s[8:11], 0x10",
        "s_buffer_atomic_cmpswap_x2 s[40:43], s[8:11], 0x400 glc",
    ]
    return lines


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_scalar_memory(workshop: Workshop, target: str) -> None:
    chance = random.Random(4)
    sgprs = {8 + k: word for k, word in enumerate([*_RAW.words, *_RECORDS.words])} | _SCALARS
    code = f"s_mov_b32 m0, {_M0}\n"
    for first in (8, 12):
        code += f"s_add_u32 s{first}, s{first}, s92\ns_addc_u32 s{first + 1}, s{first + 1}, s93\n"
    memory = bytearray(chance.randbytes(4096 + 1024))
    steps, starts = [], []
    for line in _lines():
        starts.append([chance.getrandbits(32) if line not in _EQUAL else 7 for _ in range(16)])
        moves = "".join(f"s_mov_b32 s{40 + k}, {value:#x}\n" for k, value in enumerate(starts[-1]))
        count = _Operation.parse(line).registers
        steps.append(Step(moves + line, [f"s{40 + k}" for k in range(count)], exec=0))
    program = Program({}, steps, sgprs, memory=bytes(memory), mode=code)
    (outcome,) = run_with_memory(workshop, "scalar_memory", target, [program])
    for line, registers, result in zip(_lines(), starts, outcome.steps, strict=True):
        operation = _Operation.parse(line)
        operation.execute(memory, registers)
        got = [result[f"s{40 + k}"][0] for k in range(operation.registers)]
        assert got == registers[: operation.registers], line
    assert outcome.memory == memory
