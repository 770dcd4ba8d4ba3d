"""Runs instructions one by one on the same registers and gives what each left in the registers that it writes."""

from __future__ import annotations

import random
import re
import struct
from dataclasses import dataclass, field

from kernel_workshop import KernelSource, Workshop

LANES = 64
Registers = dict[str, list[int]]
"""Patterns of 64 lanes by the name of the register: v4, a7."""

_HEAD = """
v_lshlrev_b32 v127, 2, v0
s_mov_b64 s[90:91], s[0:1]
s_add_u32 s92, s0, {memory_offset}
s_addc_u32 s93, s1, 0
"""
_LOAD = """
global_load_dword v126, v127, s[90:91]
s_add_u32 s90, s90, 256
s_addc_u32 s91, s91, 0
{move}
"""
_STORE = """
{move}
global_store_dword v127, v{register}, s[2:3]
s_add_u32 s2, s2, 256
s_addc_u32 s3, s3, 0
"""


@dataclass
class Step:
    """``lines`` run under ``exec``, on the start values of the registers ``restored``; then ``outputs`` are kept. All
    that they write must be among the outputs."""

    lines: str
    outputs: list[str]
    restored: list[str] = field(default_factory=list)
    exec: int = (1 << LANES) - 1


@dataclass
class Program:
    """``registers``: start values. ``sgprs``: of SGPRs from s4 on, by number. ``memory``: what s[92:93] points to.
    v126, v127 and s90 up are in use. LDS begins as a copy of the registers and the memory."""

    registers: Registers
    steps: list[Step]
    sgprs: dict[int, int] = field(default_factory=dict)
    lds_bytes: int = 0
    memory: bytes = b""
    mode: str = ""

    @property
    def body(self) -> str:
        text = _HEAD.format(memory_offset=256 * len(self.registers))
        text += "".join(self._load(register) for register in self.registers) + self.mode
        offsets = {register: 256 * k for k, register in enumerate(self.registers)}
        for step in self.steps:
            for register in step.restored:
                text += f"s_add_u32 s90, s0, {offsets[register]}\ns_addc_u32 s91, s1, 0\n" + self._load(register)
            text += f"s_mov_b32 exec_lo, {step.exec & 0xFFFFFFFF:#x}\ns_mov_b32 exec_hi, {step.exec >> 32:#x}\n"
            text += f"{step.lines}\ns_nop 7\ns_mov_b64 exec, -1\n" + "".join(map(self._store, step.outputs))
        return text

    def _load(self, register: str) -> str:
        write = "v_accvgpr_write_b32" if register[0] == "a" else "v_mov_b32"
        return _LOAD.format(move=f"{write} {register}, v126")

    def _store(self, register: str) -> str:
        if register[0] == "a":
            return _STORE.format(move=f"v_accvgpr_read_b32 v126, {register}", register=126)
        if register[0] == "s":
            return _STORE.format(move=f"v_mov_b32 v126, {register}", register=126)
        return _STORE.format(move="", register=register[1:])

    @property
    def data(self) -> bytes:
        words = [self.sgprs.get(k, 0) for k in range(128)]
        for values in self.registers.values():
            words += values
        return struct.pack(f"<{len(words)}I", *words) + self.memory

    @property
    def output_bytes(self) -> int:
        return 256 * sum(len(step.outputs) for step in self.steps)


@dataclass
class Outcome:
    """What a program left: the outputs of each step, and the memories."""

    steps: list[Registers]
    lds: bytes
    memory: bytes


def run_programs(workshop: Workshop, name: str, target: str, programs: list[Program]) -> list[list[Registers]]:
    """Outputs of each step of each program."""
    return [outcome.steps for outcome in run_with_memory(workshop, name, target, programs)]


def run_with_memory(workshop: Workshop, name: str, target: str, programs: list[Program]) -> list[Outcome]:
    units = [f"{name}_{target}_{k}" for k in range(len(programs))]
    kernels = [KernelSource(unit, program.body) for unit, program in zip(units, programs, strict=True)]
    image = workshop.assemble(f"{name}_{target}", target, kernels)
    for unit in units:
        problems = workshop.translate(image, target, unit, unit)
        assert not problems, problems[:5]
    workshop.compile(units)
    runs = [(unit, p.data, p.output_bytes, p.lds_bytes) for unit, p in zip(units, programs, strict=True)]
    return [_read(program, output) for program, output in zip(programs, workshop.run(runs), strict=True)]


def _read(program: Program, output: bytes) -> Outcome:
    results, at = [], 0
    for step in program.steps:
        registers = {}
        for register in step.outputs:
            registers[register] = list(struct.unpack_from("<64I", output, at))
            at += 256
        results.append(registers)
    lds = output[at : at + program.lds_bytes]
    return Outcome(results, lds, output[at + program.lds_bytes + 256 * len(program.registers) :])


def names(text: str) -> list[str]:
    """The registers of an operand: ``v[2:3]`` is v2 and v3."""
    match = re.fullmatch(r"([vas])\[(\d+):(\d+)\]", text)
    if match is None:
        return [text]
    return [f"{match[1]}{k}" for k in range(int(match[2]), int(match[3]) + 1)]


def random_registers(chance: random.Random, *operands: str) -> Registers:
    return {name: [chance.getrandbits(32) for _ in range(LANES)] for text in operands for name in names(text)}
