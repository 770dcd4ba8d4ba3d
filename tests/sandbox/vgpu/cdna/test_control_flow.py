"""Loops, calls, recursion, indirect and long jumps, through the whole translator."""

from __future__ import annotations

import struct

import pytest
from kernel_workshop import KernelSource, Workshop

_STORE = """
v_lshlrev_b32 v9, 2, v0
v_mov_b32 v1, s20
global_store_dword v9, v1, s[2:3]
"""

_LOOP = """
s_mov_b32 s20, 0
s_mov_b32 s21, 5000
again:
s_add_u32 s20, s20, s21
s_sub_u32 s21, s21, 1
s_cmp_lg_u32 s21, 0
s_cbranch_scc1 again
"""

_DIVERGENT_LOOP = """
v_mov_b32 v2, 0
v_mov_b32 v3, v0
s_mov_b64 s[10:11], exec
around:
v_cmp_gt_u32 vcc, v3, v2
s_and_b64 exec, exec, vcc
v_add_u32 v2, 1, v2
s_cbranch_execnz around
s_mov_b64 exec, s[10:11]
v_lshlrev_b32 v9, 2, v0
global_store_dword v9, v2, s[2:3]
"""

_CALL = """
s_getpc_b64 s[10:11]
s_add_u32 s10, s10, double@rel32@lo+4
s_addc_u32 s11, s11, double@rel32@hi+12
s_mov_b32 s20, 21
s_swappc_b64 s[30:31], s[10:11]
"""

_FACTORIAL = """
s_getpc_b64 s[10:11]
s_add_u32 s10, s10, factorial@rel32@lo+4
s_addc_u32 s11, s11, factorial@rel32@hi+12
s_mov_b32 m0, 0
s_mov_b32 s20, 1
s_mov_b32 s21, 10
s_swappc_b64 s[30:31], s[10:11]
"""

_INDIRECT = """
s_getpc_b64 s[10:11]
s_add_u32 s10, s10, double@rel32@lo+4
s_addc_u32 s11, s11, double@rel32@hi+12
s_getpc_b64 s[12:13]
s_add_u32 s12, s12, triple@rel32@lo+4
s_addc_u32 s13, s13, triple@rel32@hi+12
s_cmp_eq_u32 s8, 0
s_cselect_b32 s10, s10, s12
s_cselect_b32 s11, s11, s13
s_mov_b32 s20, 21
s_swappc_b64 s[30:31], s[10:11]
"""

_LONG_JUMP = """
s_mov_b32 s20, 1
s_getpc_b64 s[10:11]
base:
s_add_u32 s10, s10, over-base
s_addc_u32 s11, s11, 0
s_setpc_b64 s[10:11]
s_mov_b32 s20, 2
over:
"""

_FUNCTIONS = """
.text
.p2align 8
.type double,@function
double:
s_lshl_b32 s20, s20, 1
s_setpc_b64 s[30:31]
.Ldouble:
.size double, .Ldouble-double
.type triple,@function
triple:
s_mul_i32 s20, s20, 3
s_setpc_b64 s[30:31]
.Ltriple:
.size triple, .Ltriple-triple
.type factorial,@function
factorial:
s_cmp_lt_u32 s21, 2
s_cbranch_scc1 1f
s_mul_i32 s20, s20, s21
s_sub_u32 s21, s21, 1
v_writelane_b32 v40, s30, m0
s_add_u32 m0, m0, 1
v_writelane_b32 v40, s31, m0
s_add_u32 m0, m0, 1
s_getpc_b64 s[10:11]
s_add_u32 s10, s10, factorial@rel32@lo+4
s_addc_u32 s11, s11, factorial@rel32@hi+12
s_swappc_b64 s[30:31], s[10:11]
s_sub_u32 m0, m0, 1
v_readlane_b32 s31, v40, m0
s_sub_u32 m0, m0, 1
v_readlane_b32 s30, v40, m0
1:
s_setpc_b64 s[30:31]
.Lfactorial:
.size factorial, .Lfactorial-factorial
"""


def _run(workshop: Workshop, name: str, body: str, sgprs: dict[int, int] | None = None) -> tuple[int, ...]:
    source = KernelSource(name, body)
    image = workshop.assemble(name, "gfx942", [source], extra=_FUNCTIONS)
    assert workshop.translate(image, "gfx942", name, name) == []
    workshop.compile([name])
    words = [0] * 128
    for register, value in (sgprs or {}).items():
        words[register] = value
    (output,) = workshop.run([(name, struct.pack("<128I", *words), 256, 0)])
    return struct.unpack("<64I", output[:256])


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("name", "body", "sgprs", "expected"),
    [
        ("loop", _LOOP, {}, 5000 * 5001 // 2),
        ("call", _CALL, {}, 42),
        ("recursion", _FACTORIAL, {}, 3628800),
        ("indirect_first", _INDIRECT, {8: 0}, 42),
        ("indirect_second", _INDIRECT, {8: 1}, 63),
        ("long_jump", _LONG_JUMP, {}, 1),
    ],
)
def test_scalar_control_flow(workshop: Workshop, name: str, body: str, sgprs: dict[int, int], expected: int) -> None:
    assert _run(workshop, name, body + _STORE, sgprs) == (expected,) * 64


@pytest.mark.toolchain
def test_lanes_leave_a_loop_one_by_one(workshop: Workshop) -> None:
    assert _run(workshop, "divergent_loop", _DIVERGENT_LOOP) == tuple(range(64))


@pytest.mark.toolchain
def test_gpr_index_mode(workshop: Workshop) -> None:
    body = """
    v_mov_b32 v10, 100
    v_mov_b32 v11, 111
    v_mov_b32 v12, 122
    s_mov_b32 s10, 2
    s_set_gpr_idx_on s10, gpr_idx(SRC0)
    v_mov_b32 v1, v10
    s_set_gpr_idx_off
    s_mov_b32 s10, 1
    s_set_gpr_idx_on s10, gpr_idx(DST)
    v_mov_b32 v11, v1
    s_set_gpr_idx_off
    v_add_u32 v1, v1, v12
    v_lshlrev_b32 v9, 2, v0
    global_store_dword v9, v1, s[2:3]
    """
    assert _run(workshop, "gpr_index", body) == (244,) * 64


_RELATIVE_MOVES = """
s_mov_b32 s10, 1
s_mov_b32 s11, 2
s_mov_b32 s12, 3
s_mov_b32 s13, 4
s_mov_b32 m0, 2
s_movrels_b32 s20, s10
s_movrels_b64 s[22:23], s[10:11]
s_movreld_b32 s24, s13
s_movreld_b64 s[26:27], s[10:11]
s_lshl_b32 s20, s20, 4
s_or_b32 s20, s20, s22
s_lshl_b32 s20, s20, 4
s_or_b32 s20, s20, s23
s_lshl_b32 s20, s20, 4
s_or_b32 s20, s20, s26
s_lshl_b32 s20, s20, 4
s_or_b32 s20, s20, s28
s_lshl_b32 s20, s20, 4
s_or_b32 s20, s20, s29
"""

_SKIPPED = """
s_mov_b32 s20, 7
v_mov_b32 v1, s20
s_mov_b32 s10, 2
s_setvskip s10, 1
v_mov_b32 v1, 5
global_store_dword v0, v1, s[4:5]
ds_write_b32 v0, v1
s_mov_b32 s20, 8
s_setvskip s10, 0
v_add_u32 v1, s20, v1
v_readfirstlane_b32 s20, v1
"""


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("name", "body", "expected"), [("relative_moves", _RELATIVE_MOVES, 0x334412), ("skipped", _SKIPPED, 15)]
)
def test_modes_of_registers_and_units(workshop: Workshop, name: str, body: str, expected: int) -> None:
    """``skipped``: what the vector units do not see would fault."""
    assert _run(workshop, name, body + _STORE) == (expected,) * 64


_FORK = """
v_mov_b32 v1, 0
s_mov_b64 s[40:41], s[2:3]
s_mov_b64 s[42:43], exec
v_cmp_gt_u32 s[44:45], {limit}, v0
s_getreg_b32 s46, hwreg(HW_REG_MODE, 29, 3)
{fork}
{inner}
v_add_u32 v1, 2, v1
s_branch joined
taken:
v_add_u32 v1, 1, v1
joined:
s_cbranch_join s46
s_mov_b64 exec, s[42:43]
v_add_u32 v1, 16, v1
v_lshlrev_b32 v9, 2, v0
global_store_dword v9, v1, s[40:41]
"""
_IMMEDIATE_FORK = "s_cbranch_i_fork s[44:45], taken"
_FORK_BY_REGISTER = """
s_getpc_b64 s[48:49]
s_add_u32 s48, s48, taken@rel32@lo+4
s_addc_u32 s49, s49, taken@rel32@hi+12
s_cbranch_g_fork s[44:45], s[48:49]
"""
_INNER_FORK = """
v_cmp_gt_u32 s[50:51], 60, v0
s_getreg_b32 s52, hwreg(HW_REG_MODE, 29, 3)
s_cbranch_i_fork s[50:51], inner_taken
v_add_u32 v1, 0x100, v1
s_branch inner_joined
inner_taken:
v_add_u32 v1, 0x200, v1
inner_joined:
s_cbranch_join s52
s_not_b64 s[54:55], s[44:45]
s_mov_b64 exec, s[54:55]
"""


@pytest.mark.toolchain
@pytest.mark.parametrize("limit", [0, 20, 50, 64])
@pytest.mark.parametrize("fork", [_IMMEDIATE_FORK, _FORK_BY_REGISTER])
def test_forks_and_joins(workshop: Workshop, fork: str, limit: int) -> None:
    name = f"fork{limit}_{len(fork)}"
    assert _run(workshop, name, _FORK.format(limit=limit, fork=fork, inner="")) == tuple(
        17 if lane < limit else 18 for lane in range(64)
    )


@pytest.mark.toolchain
def test_nested_forks(workshop: Workshop) -> None:
    body = _FORK.format(limit=20, fork=_IMMEDIATE_FORK, inner=_INNER_FORK)
    wanted = [17 if lane < 20 else 18 + (0x200 if lane < 60 else 0x100) for lane in range(64)]
    assert _run(workshop, "nested_forks", body) == tuple(wanted)
