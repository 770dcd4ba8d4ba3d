"""Kernels for a whole warp: which are done so, in which order their blocks stand, what is computed once."""

from __future__ import annotations

import re

import pytest

from sandbox.vgpu.ptx.module_writer import WrittenModule, write_module
from sandbox.vgpu.ptx.parser import parse_module
from sandbox.vgpu.ptx.program import Program
from sandbox.vgpu.ptx.semantics import SEMANTICS
from sandbox.vgpu.ptx.vector.forms import FORMS
from sandbox.vgpu.ptx.vector.ordering import order_blocks

HEADER = ".version 9.5\n.target sm_90\n.address_size 64\n"


def written(text: str) -> WrittenModule:
    return write_module(Program([parse_module(HEADER + text)]), SEMANTICS, FORMS)


def test_every_form_has_semantics() -> None:
    named = {*FORMS.plain, *FORMS.control, *FORMS.meetings, *FORMS.refused}
    assert named <= set(SEMANTICS)
    assert len(named) == sum(len(part) for part in (FORMS.plain, FORMS.control, FORMS.meetings, FORMS.refused))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (".func f() { call f, (); ret; } .entry k() { call f, (); ret; }", "recursion"),
        (
            ".entry k(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; "
            "t: .callprototype _ (); call %rd1, (), t; ret; }",
            "calls through pointers",
        ),
        (
            ".entry k() { .reg .b32 %r<9>; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]; ret; }",
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
        ),
        (".entry k() { .local .b8 a[400000]; ret; }", "much local memory"),
    ],
)
def test_what_cannot_be_done_for_warps_is_done_thread_by_thread(text: str, reason: str) -> None:
    module = written(text)
    assert module.notes == (f"k runs thread by thread: {reason}",)
    assert "void f0_lanes(" not in module.text
    assert re.search(r'\{"k",f\d+(_block)?,0,', module.text)


def test_calls_are_inlined_and_functions_left_out() -> None:
    module = written(
        ".func g() { .reg .b32 %r<3>; add.s32 %r1, %r2, 7; ret; } .func f() { call g, (); call g, (); ret; } "
        ".entry k() { call f, (); bar.sync 0; ret; }"
    )
    assert module.notes == ()
    assert module.text.count("+((V4)((u32)(7ul)))") == 2
    assert "u8*result,u8**args)" not in module.text.split("struct f0_frame")[1]


def test_only_kernels_that_wait_for_other_warps_need_fibres() -> None:
    text = written(".entry alone() { ret; } .entry waits() { bar.sync 0; ret; }").text
    rows = re.findall(r'\{"(\w+)",0,f\d+_warp,(.*?)\}', text)
    assert [(name, fields.split(",")[-2]) for name, fields in rows] == [("alone", "1"), ("waits", "0")]


def test_values_of_the_whole_block_are_computed_once() -> None:
    text = written(
        ".entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; "
        "mul.wide.u32 %rd2, %r1, 64; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, %tid.x; st.global.u32 [%rd3], %r2; ret; }"
    ).text
    body = text.split("void f0_lanes(")[1].split("begin_warp")[0]
    assert "t->ctaid[0]" in body
    assert "tid[0]" not in body


@pytest.mark.parametrize(
    ("successors", "order"),
    [
        ([[1, 2], [3], [3], []], [0, 1, 2, 3]),
        ([[1], [3, 2], [1], []], [0, 1, 2, 3]),  # a loop whose exit stands behind it
        ([[2], [], [3, 1], [2]], [0, 2, 3, 1]),  # the exit stands in front of the loop
        ([[1], [2, 4], [3, 2], [1], []], [0, 1, 2, 3, 4]),  # a loop in a loop
        ([[1, 2], [2], [1, 3], []], [0, 1, 2, 3]),  # a loop with two entries
        ([[], [0]], [0]),  # what cannot be reached is left out
    ],
)
def test_loops_stand_together_before_what_follows_them(successors: list[list[int]], order: list[int]) -> None:
    assert order_blocks(successors) == order


def test_order_of_many_blocks_takes_no_recursion_for_each() -> None:
    count = 5000
    assert order_blocks([[i + 1] for i in range(count)] + [[]]) == list(range(count + 1))
