"""Loads of global and scratch memory that go to LDS: one slot a lane behind M0 (CDNA4 ISA, sections 9.1.9 and 10.4)."""

from __future__ import annotations

import random
import re

import pytest
from kernel_workshop import Workshop
from register_program import LANES, Program, Step, random_registers, run_with_memory

_LDS_BYTES = 4096
_SIZES = {"ubyte": 1, "sbyte": -1, "ushort": 2, "sshort": -2, "dword": 4, "dwordx3": 12, "dwordx4": 16}
_ADDRESS = "v_mov_b32 v10, s93\nv_add_co_u32 v8, vcc, s92, v4\nv_addc_co_u32 v9, vcc, 0, v10, vcc\n"


def _lines(target: str) -> list[tuple[int, str]]:
    """M0 and an instruction. v4: byte offsets, v5: word offsets, v[8:9]: v4 behind the memory's address."""
    lines = [
        (0x40 * k, f"global_load_lds_{size} v[8:9], off offset:{12 * k}")
        for k, size in enumerate(["ubyte", "sbyte", "ushort", "sshort", "dword"])
    ]
    lines += [(0x12, "global_load_lds_dword v5, s[92:93] offset:16"), (0xFE0, "global_load_lds_dword v5, s[92:93]")]
    lines += [(0x80 * k, f"scratch_load_lds_{size} v7, off offset:{k}") for k, size in enumerate(list(_SIZES)[:4])]
    lines += [(0x204, "scratch_load_lds_dword off, s28 offset:4"), (0x40010, "scratch_load_lds_dword v7, off offset:4")]
    if target == "gfx950":
        lines += [(0x10 * k, f"global_load_lds_dwordx{k} v5, s[92:93] offset:{8 * k}") for k in (3, 4)]
    return lines


def _value(memory: bytes, at: int, size: int) -> bytes:
    """Small ones are extended to a word."""
    value = int.from_bytes(memory[at : at + abs(size)], "little", signed=size < 0)
    length = max(4, size)
    return (value & (1 << 8 * length) - 1).to_bytes(length, "little")


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_loads_to_lds(workshop: Workshop, target: str) -> None:
    chance = random.Random(12)
    start = random_registers(chance, "v6", "v11")
    start |= {"v4": [2 * chance.randrange(1000) for _ in range(LANES)]}
    start |= {"v5": [4 * chance.randrange(500) for _ in range(LANES)], "v7": [4 * (k % 3) for k in range(LANES)]}
    steps = [Step(f"scratch_store_dword off, v{register}, off offset:{at}\n", []) for at, register in ((0, 6), (4, 11))]
    steps += [
        Step(f"scratch_store_dword off, v{register}, off offset:{at}\n", []) for at, register in ((8, 4), (12, 6))
    ]
    for m0, line in _lines(target):
        steps.append(Step(f"s_mov_b32 m0, {m0:#x}\n{_ADDRESS}{line}", [], exec=chance.getrandbits(64)))
    memory = chance.randbytes(4096)
    program = Program(start, steps, {28: 8}, _LDS_BYTES, memory)
    lds = bytearray(program.data[512 : 512 + _LDS_BYTES])
    (outcome,) = run_with_memory(workshop, "loads_to_lds", target, [program])
    for step, (m0, line) in zip(steps[4:], _lines(target), strict=True):
        match = re.match(r"(\w+)_load_lds_(\w+) (\S+), (\S+)(?: offset:(\d+))?", line)
        assert match
        size, offset = _SIZES[match[2]], int(match[5] or 0)
        for lane in range(LANES):
            if not step.exec >> lane & 1:
                continue
            if match[1] == "global":
                value = _value(memory, offset + start["v5" if match[3] == "v5" else "v4"][lane], size)
            else:
                words = [start[register][lane] for register in ("v6", "v11", "v4", "v6")]
                scratch = b"".join(word.to_bytes(4, "little") for word in words)
                value = _value(scratch, offset + (start["v7"][lane] if match[3] == "v7" else 8), size)
            at = (m0 & 0x3FFFC) + offset + (16 if size > 4 else 4) * lane
            if at + len(value) <= _LDS_BYTES:
                lds[at : at + len(value)] = value
    assert outcome.lds == lds
    assert outcome.memory == memory
