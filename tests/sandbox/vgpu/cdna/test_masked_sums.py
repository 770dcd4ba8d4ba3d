"""v_mqsad_u32_u8, whose operands no other instruction has."""

from __future__ import annotations

import random

import pytest
from kernel_workshop import Workshop
from register_program import LANES, Program, Step, names, random_registers, run_programs


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_four_masked_sums_of_differences(workshop: Workshop, target: str) -> None:
    """Bytes of the reference that are 0 do not count (CDNA4 ISA, V_MQSAD_U32_U8). Sums wrap, or saturate with clamp."""
    chance = random.Random(16)
    start = random_registers(chance, "v[4:5]", "v6", "v[8:11]", "v[40:43]")
    start["v6"] = [word & chance.choice((0xFFFFFFFF, 0xFF00FF00, 0xFF, 0)) for word in start["v6"]]
    start["v8"] = [chance.choice((0, 0xFFFFFFFF, word)) for word in start["v8"]]
    outputs = names("v[40:43]")
    steps = [
        Step(f"v_mqsad_u32_u8 v[40:43], v[4:5], v6, v[8:11]{clamp}", outputs, outputs, chance.getrandbits(64))
        for clamp in ("", " clamp")
    ]
    (results,) = run_programs(workshop, "sums", target, [Program(start, steps)])
    for step, result in zip(steps, results, strict=True):
        for lane in range(LANES):
            window = start["v4"][lane] | start["v5"][lane] << 32
            reference = start["v6"][lane].to_bytes(4, "little")
            for k, name in enumerate(outputs):
                seen = (window >> 8 * k & 0xFFFFFFFF).to_bytes(4, "little")
                total = start[f"v{8 + k}"][lane]
                total += sum(abs(a - b) for a, b in zip(seen, reference, strict=True) if b)
                total = min(total, 0xFFFFFFFF) if "clamp" in step.lines else total & 0xFFFFFFFF
                want = total if step.exec >> lane & 1 else start[name][lane]
                assert result[name][lane] == want, (step.lines, name, lane)
