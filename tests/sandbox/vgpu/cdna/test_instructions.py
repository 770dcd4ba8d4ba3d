"""Each instruction, in its encodings and with its modifiers, against an independent model."""

from __future__ import annotations

import pytest
from instruction_batch import CASES, check_batch, expand_case, read_cases
from kernel_workshop import Workshop

_FILES = sorted(path.name for path in CASES.glob("*.s"))
_ONLY = {"gfx950.s": ("gfx950",), "compare_exec.s": ("gfx942",), "rare.s": ("gfx942",)}
_PAIRS = [(name, target) for name in _FILES for target in _ONLY.get(name, ("gfx942", "gfx950"))]


@pytest.mark.toolchain
@pytest.mark.parametrize(("name", "target"), _PAIRS)
def test_instructions_match_the_model(workshop: Workshop, name: str, target: str) -> None:
    stem = name.removesuffix(".s")
    problems = check_batch(workshop, stem, target, read_cases(name), seeds=[1, 2, 3])
    assert not problems, "\n".join(problems[:40])


_NAN_FORMS = [
    "v_{min,max}_f32_e32 v0, v10, v11",
    "v_{min,max}_f32_e64 v0, -v10, |v11|",
    "v_max_f32_e32 v0, v10, v10",
    "v_{min3,max3,med3,div_fixup}_f32 v0, v10, v11, v12",
    "v_{min,max}_f64 v[0:1], v[14:15], v[16:17]",
    "v_div_fixup_f64 v[0:1], v[14:15], v[16:17], v[18:19]",
    "v_{min,max}_f16_e32 v0, v30, v31",
    "v_{min3,max3,med3,div_fixup}_f16 v0, v30, v31, v32",
    "v_pk_{min,max}_f16 v0, v30, v31",
    "v_pack_b32_f16 v0, -v30, |v31|",
    "v_cndmask_b32_e64 v0, -v10, |v11|, s[16:17]",
]
_NAN_FORMS_OF_GFX950 = [
    "v_{minimum3,maximum3}_f32 v0, v10, v11, v12",
    "v_pk_{minimum3,maximum3}_f16 v0, v30, v31, v32",
]


@pytest.mark.toolchain
@pytest.mark.parametrize("ieee", [0, 1])
def test_nans_keep_their_payload(workshop: Workshop, ieee: int) -> None:
    """Where the documents say which operand's NaN the result is, and whether it is quiet."""
    cases = [case for form in _NAN_FORMS + _NAN_FORMS_OF_GFX950 for case in expand_case(form)]
    problems = check_batch(workshop, f"nans{ieee}", "gfx950", cases, [21, 22], ieee=ieee, payloads=True)
    assert not problems, "\n".join(problems[:30])
