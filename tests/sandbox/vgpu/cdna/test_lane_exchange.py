"""Swaps of lanes between registers, and reads of LDS that transpose (gfx950)."""

from __future__ import annotations

import random

import pytest
from kernel_workshop import Workshop
from register_program import LANES, Program, Registers, Step, names, random_registers, run_programs, run_with_memory

_ALL = (1 << LANES) - 1


def _swapped(start: Registers, rows: int) -> dict[str, list[tuple[str, int]]]:
    """Register and lane from which each lane of v4 and v5 gets its value (CDNA4 ISA, V_PERMLANE16_SWAP_B32)."""
    sources = {name: [(name, lane) for lane in range(LANES)] for name in ("v4", "v5")}
    for first in range(0, LANES, 2 * rows):
        for lane in range(first, first + rows):
            sources["v5"][lane], sources["v4"][lane + rows] = sources["v4"][lane + rows], sources["v5"][lane]
    return sources


@pytest.mark.toolchain
def test_swaps_of_lanes(workshop: Workshop) -> None:
    chance = random.Random(10)
    start = random_registers(chance, "v4", "v5")
    steps, wanted = [], []
    for rows, modifier in [
        (rows, m) for rows in (16, 32) for m in ("", " bound_ctrl:1", " fi:1", " bound_ctrl:1 fi:1")
    ]:
        for mask in (_ALL, chance.getrandbits(64)):
            line = f"v_permlane{rows}_swap_b32_e64 v4, v5{modifier}"
            steps.append(Step(line, ["v4", "v5"], ["v4", "v5"], mask))
            wanted.append((rows, modifier))
    (results,) = run_programs(workshop, "swaps", "gfx950", [Program(start, steps)])
    for step, (rows, modifier), result in zip(steps, wanted, results, strict=True):
        for register, places in _swapped(start, rows).items():
            for lane, (source, source_lane) in enumerate(places):
                want = start[source][source_lane]
                if not step.exec >> source_lane & 1 and "fi" not in modifier:
                    want = 0 if "bound" in modifier else start[register][lane]
                if not step.exec >> lane & 1:
                    want = start[register][lane]
                assert result[register][lane] == want, (step.lines, register, lane)


_TRANSPOSING = [("b64_tr_b16", 16, 4), ("b64_tr_b8", 8, 8), ("b96_tr_b6", 6, 16), ("b64_tr_b4", 4, 16)]
"""Bits of an element and elements of a lane (CDNA4 ISA, "MFMA Transpose Load from LDS")."""


@pytest.mark.toolchain
@pytest.mark.parametrize("offset", [0, 8])
def test_transposing_reads(workshop: Workshop, offset: int) -> None:
    chance = random.Random(11)
    rows = list(range(2 * LANES))
    chance.shuffle(rows)
    start = random_registers(chance, *(f"v{k}" for k in range(8, 20)))
    start["v4"] = [16 * rows[lane] for lane in range(LANES)]
    steps = []
    for name, bits, count in _TRANSPOSING:
        outputs = names(f"v[40:{39 + bits * count // 32}]")
        steps.append(Step(f"ds_read_{name} v[40:{39 + len(outputs)}], v4 offset:{offset}", outputs))
    program = Program(start, steps, lds_bytes=2560)
    (outcome,) = run_with_memory(workshop, f"transposing{offset}", "gfx950", [program])
    for (_, bits, count), step, result in zip(_TRANSPOSING, steps, outcome.steps, strict=True):
        lanes_a_row, mask = 16 // count, (1 << bits) - 1
        read = [
            int.from_bytes(outcome.lds[at + offset : at + offset + bits * count // 8], "little") for at in start["v4"]
        ]
        for lane in range(LANES):
            column = lane % 16
            got = sum(result[register][lane] << 32 * k for k, register in enumerate(step.outputs))
            for row in range(count):
                source = lane // 16 * 16 + row * lanes_a_row + column // count
                want = read[source] >> column % count * bits & mask
                assert got >> row * bits & mask == want, (step.lines, lane, row)
