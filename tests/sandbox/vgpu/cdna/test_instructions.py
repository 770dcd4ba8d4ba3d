"""Each instruction, in its encodings and with its modifiers, against an independent model."""

from __future__ import annotations

import pytest
from instruction_batch import CASES, check_batch, read_cases
from kernel_workshop import Workshop

_FILES = sorted(path.name for path in CASES.glob("*.s"))
_ONLY = {"gfx950.s": ("gfx950",)}
_PAIRS = [(name, target) for name in _FILES for target in _ONLY.get(name, ("gfx942", "gfx950"))]


@pytest.mark.toolchain
@pytest.mark.parametrize(("name", "target"), _PAIRS)
def test_instructions_match_the_model(workshop: Workshop, name: str, target: str) -> None:
    stem = name.removesuffix(".s")
    problems = check_batch(workshop, stem, target, read_cases(name), seeds=[1, 2, 3])
    assert not problems, "\n".join(problems[:40])
