"""MODE: denormals flushed, and rounding modes that the translator knows or does not know."""

from __future__ import annotations

import pytest
from instruction_batch import Case, check_batch, read_cases
from kernel_workshop import Workshop

_ROUNDED = [
    "v_{op}_f32 v0, v10, v11",
    "v_{op}_f16 v0, v30, v31",
    "v_pk_{op}_f16 v0, v30, v31",
]
_SINGLE_FORMS = [
    "v_fma_f32 v0, v10, v11, v12",
    "v_fma_f64 v[0:1], v[14:15], v[16:17], v[18:19]",
    "v_fma_f16 v0, v30, v31, v32",
    "v_add_f64 v[0:1], v[14:15], -v[16:17]",
    "v_mul_f64 v[0:1], v[14:15], v[16:17]",
    "v_cvt_f32_f64 v0, v[14:15]",
    "v_cvt_f16_f32 v0, v10",
    "v_cvt_f32_i32 v0, v20",
    "v_cvt_f32_u32 v0, v20",
]


@pytest.mark.toolchain
def test_flushed_singles_match_the_model(workshop: Workshop) -> None:
    cases = [case for case in read_cases("float_single.s") if "ldexp" not in case.text and "frexp" not in case.text]
    problems = check_batch(workshop, "flush", "gfx942", cases, seeds=[4, 5], denormals=0)
    assert not problems, "\n".join(problems[:20])


@pytest.mark.toolchain
@pytest.mark.parametrize("ieee", [0, 1])
def test_output_modifiers_need_flushed_results_and_no_ieee_mode(workshop: Workshop, ieee: int) -> None:
    forms = [
        "v_add_f32 v0, v10, v11",
        "v_fma_f32 v0, -v10, v11, v12",
        "v_max_f32 v0, v10, v11",
        "v_cvt_f32_i32 v0, v20",
    ]
    cases = [Case(f"{form} {modifier}") for form in forms for modifier in ("mul:2", "mul:4", "div:2", "clamp mul:4")]
    cases = [Case(case.text.replace("_f32 v0", "_f32_e64 v0").replace("_i32 v0", "_i32_e64 v0")) for case in cases]
    cases = [Case(case.text.replace("fma_f32_e64", "fma_f32")) for case in cases]
    problems = check_batch(workshop, f"omod{ieee}", "gfx942", cases, seeds=[8], denormals=0, ieee=ieee)
    assert not problems, "\n".join(problems[:20])


@pytest.mark.toolchain
@pytest.mark.parametrize("hidden", [False, True], ids=["constant", "computed"])
def test_rounding_modes_match_the_model(workshop: Workshop, hidden: bool) -> None:
    texts = [text.format(op=op) for text in _ROUNDED for op in ("add", "mul")] + _SINGLE_FORMS
    cases = [Case(text, rounding=mode, hidden=hidden) for mode in range(4) for text in texts]
    problems = check_batch(workshop, f"rounding{int(hidden)}", "gfx942", cases, seeds=[6, 7])
    assert not problems, "\n".join(problems[:20])
