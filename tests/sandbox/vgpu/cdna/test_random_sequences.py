"""Random sequences of valid instructions: whatever they compute, translator, compiler and host survive them."""

from __future__ import annotations

import random
import re

import pytest
from instruction_batch import CASES, read_cases
from kernel_workshop import KernelSource, Workshop
from register_program import Program, Step, names, random_registers, run_with_memory

_ONLY = {"gfx950.s": "gfx950", "compare_exec.s": "gfx942", "rare.s": "gfx942"}
_CONSTANTS = ["0", "-16", "64", "1.0", "-4.0", "src_vccz", "src_execz", "src_scc"]
_QUIET = [
    *("s_sleep 1", "s_setprio 2", "s_wakeup", "s_incperflevel 1", "s_decperflevel 1", "s_ttracedata", "s_icache_inv"),
    *("s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol", "s_memtime s[20:21]", "buffer_inv sc1"),
    *(
        "s_memrealtime s[20:21]",
        "buffer_wbl2 sc1",
        "s_nop 7",
        "s_waitcnt 0",
        "s_cbranch_cdbguser 0",
        "s_cbranch_cdbgsys 0",
    ),
]
"""Instructions that wait, tell debuggers or drop caches."""
_LDS_BYTES = 4096
_LINES = 400


def _templates(target: str) -> list[str]:
    """Instructions that touch no memory but LDS, which is bounded."""
    files = [path.name for path in sorted(CASES.glob("*.s")) if _ONLY.get(path.name, target) == target]
    lines = [case.text for name in [*files, "memory/lds.s", "memory/lds_rest.s"] for case in read_cases(name)]
    return sorted({*lines, *_QUIET} - {line for line in lines if "exec" in line.split()[1:2]})


def _vary(line: str, chance: random.Random) -> str:
    """With other registers; some sources become constants."""
    mnemonic, _, operands = line.partition(" ")
    is_scalar = mnemonic.startswith("s_")

    def register(match: re.Match[str]) -> str:
        kind, first, last = match[1], int(match[2] or match[4]), int(match[3] or match[4])
        count = last - first + 1
        alignment = 1 if count == 1 else 2 if kind == "v" or count == 2 else 4
        limit = 120 if kind == "v" else 80
        start = chance.randrange(4 if kind == "s" else 0, limit - count) // alignment * alignment
        return f"{kind}{start}" if count == 1 else f"{kind}[{start}:{start + count - 1}]"

    parts = [re.sub(r"\b([vs])(?:\[(\d+):(\d+)\]|(\d+)\b)", register, part) for part in operands.split(",")]
    if is_scalar and len(parts) > 1 and re.fullmatch(r"\s*s\d+", parts[-1]) and chance.random() < 0.3:
        parts[-1] = " " + chance.choice([*_CONSTANTS, f"{chance.getrandbits(32):#x}"])
    return f"{mnemonic} {','.join(parts)}".strip()


def _glue(number: str, chance: random.Random) -> str:
    """Between instructions: other lanes, another M0, and branches that go on with the next line or the one after."""
    kind = chance.randrange(24)
    if kind == 0:
        return f"s_mov_b32 exec_lo, {chance.getrandbits(32):#x}\ns_mov_b32 exec_hi, {chance.getrandbits(32):#x}\n"
    if kind == 1:
        return f"s_mov_b32 m0, {chance.getrandbits(12):#x}\n"
    if kind == 2:
        return f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {chance.getrandbits(8)}\n"
    if kind < 6:
        condition = chance.choice(["scc0", "scc1", "vccz", "vccnz", "execz", "execnz"])
        return f"s_cbranch_{condition} skip{number}\nv_mov_b32 v{chance.randrange(100)}, 1\nskip{number}:\n"
    return ""


def _sequence(target: str, seed: int, count: int) -> str:
    chance = random.Random(seed)
    templates = _templates(target)
    lines = [_glue(f"{seed}_{k}", chance) + _vary(chance.choice(templates), chance) for k in range(count)]
    return "\n".join(lines) + "\n"


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_random_sequences_run(workshop: Workshop, target: str) -> None:
    start = random_registers(random.Random(1), "v[4:67]")
    programs = []
    for seed in (1, 2):
        steps = [Step(_sequence(target, seed, _LINES), names("v[0:3]"))]
        programs.append(Program(start, steps, {k: 0x01234567 * k & 0xFFFFFFFF for k in range(4, 88)}, _LDS_BYTES))
    outcomes = run_with_memory(workshop, "random_sequences", target, programs)
    assert len(outcomes) == len(programs)


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_all_forms_translate(workshop: Workshop, target: str) -> None:
    """Each form with three choices of registers; none may be left out loudly."""
    chance = random.Random(2)
    lines = [_vary(line, chance) for line in _templates(target) for _ in range(3)]
    name = f"all_forms_{target}"
    image = workshop.assemble(name, target, [KernelSource(name, "\n".join(lines))])
    assert workshop.translate(image, target, name, name) == []
