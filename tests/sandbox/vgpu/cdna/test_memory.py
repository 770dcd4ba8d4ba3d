"""Loads, stores and atomics of all memories, and the lane permutations of the LDS hardware."""

from __future__ import annotations

import pytest
from instruction_batch import read_cases
from kernel_workshop import Workshop
from memory_batch import check_memory


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("name", ["global", "lds", "lds_rest", "atomics", "atomics_rest"])
def test_memory_matches_the_model(workshop: Workshop, name: str, target: str) -> None:
    problems = check_memory(workshop, name, target, read_cases(f"memory/{name}.s"), seeds=[1, 2])
    assert not problems, "\n".join(problems[:30])
