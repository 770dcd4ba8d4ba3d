"""Loops over strips of 16 lanes: what goes into one, what splits them, and what is left out."""

from __future__ import annotations

import re

import pytest

from sandbox.vgpu.cdna.lane_lines import Kind, narrow, parse
from sandbox.vgpu.cdna.narrowing import NarrowFunction, narrow_function

HEAD = ["b0:", "  %exec = load i64, ptr %r.exec", "  %on = bitcast i64 %exec to <64 x i1>"]
ADDRESSES = ["  %v1 = load <64 x i32>, ptr %r.v1", "  %s = load i64, ptr %r.s2"]


def rewrite(*lines: str, shares: bool = False) -> NarrowFunction:
    return narrow_function([*HEAD, *ADDRESSES, *lines, "  ret i32 0"], shares, "")


def loops(function: NarrowFunction) -> list[str]:
    """The text of each loop."""
    return re.findall(r"^strip\.\d+:\n(.*?)^after", "\n".join(function.lines) + "\n", re.MULTILINE | re.DOTALL)


def load(result: str, space: str = "global") -> str:
    kind = "base" if space == "global" else "lds"
    return f"  {result} = lanes.load {kind} b32 %on; %v1; {'%s' if kind == 'base' else '0'}"


def store(value: str, space: str = "global") -> str:
    kind = "base" if space == "global" else "lds"
    return f"  lanes.store {kind} b32 %on; %v1; {'%s' if kind == 'base' else '0'}; {value}"


@pytest.mark.parametrize(
    ("lines", "accesses"),
    [
        ([load("%a"), load("%b")], [2]),
        ([load("%a"), store("%a")], [1, 1]),
        ([store("%v1"), load("%a")], [1, 1]),
        ([store("%v1"), store("%v1")], [1, 1]),
        ([load("%a"), store("%a", "lds")], [2]),
        ([load("%a", "lds"), store("%a", "lds")], [1, 1]),
        ([load("%a"), store("%a", "lds"), load("%b", "lds"), load("%c")], [2, 2]),
    ],
)
def test_no_lane_sees_memory_in_another_order(lines: list[str], accesses: list[int]) -> None:
    assert [loop.count("@w2w.lanes.") for loop in loops(rewrite(*lines))] == accesses


def test_calls_split_loops_and_see_whole_vectors() -> None:
    function = rewrite(
        "  %a = add <64 x i32> %v1, splat (i32 1)",
        "  store <64 x i32> %a, ptr %tmp0, align 64",
        "  call void @w2w_helper(ptr %tmp0)",
        "  %b = load <64 x i32>, ptr %tmp0, align 64",
        "  store <64 x i32> %b, ptr %tmp1, align 64",
        "  call void @w2w_helper(ptr %tmp1)",
    )
    text = "\n".join(function.lines)
    first, second = loops(function)
    assert "%a = add <16 x i32> %v1.1, splat (i32 1)" in first
    assert "%b" in second
    assert text.index("after.1:") < text.index("@w2w_helper(ptr %tmp0)") < text.index("before.2:")


def test_a_compare_and_what_it_selects_share_a_loop() -> None:
    (loop,) = loops(
        rewrite(
            "  %less = icmp slt <64 x i32> %v1, zeroinitializer",
            "  %bits = bitcast <64 x i1> %less to i64",
            "  %vcc = and i64 %bits, %exec",
            "  %chosen = bitcast i64 %vcc to <64 x i1>",
            "  %a = select <64 x i1> %chosen, <64 x i32> %v1, <64 x i32> zeroinitializer",
            "  store i64 %vcc, ptr %r.vcc",
            store("%a"),
        )
    )
    assert "and <16 x i1>" in loop
    assert "select <16 x i1>" in loop


def test_a_scalar_that_needs_a_mask_comes_behind_the_loop_and_ends_it_before_its_readers() -> None:
    function = rewrite(
        "  %less = icmp slt <64 x i32> %v1, zeroinitializer",
        "  %bits = bitcast <64 x i1> %less to i64",
        "  %count = call i64 @llvm.ctpop.i64(i64 %bits)",
        "  %narrow = trunc i64 %count to i32",
        "  %first = insertelement <64 x i32> poison, i32 %narrow, i32 0",
        "  %all = shufflevector <64 x i32> %first, <64 x i32> poison, <64 x i32> zeroinitializer",
        store("%all"),
    )
    text = "\n".join(function.lines)
    assert len(loops(function)) == 2
    assert text.index("after.1:") < text.index("@llvm.ctpop") < text.index("before.2:")


def test_registers_that_nobody_reads_are_not_stored() -> None:
    lines = ["  %a = add <64 x i32> %v1, %v1", "  store <64 x i32> %a, ptr %r.v7"]
    assert not loops(rewrite(*lines))
    assert rewrite(*lines).live == set()
    assert "%r.v7" in loops(rewrite(*lines, shares=True))[0]


def test_a_register_written_in_some_lanes_lives_on_before() -> None:
    function = narrow_function(
        [
            *HEAD,
            "  %old = load <64 x i32>, ptr %r.v7",
            "  %new = select <64 x i1> %on, <64 x i32> zeroinitializer, <64 x i32> %old",
            "  store <64 x i32> %new, ptr %r.v7",
            "  br label %b1",
            "b1:",
            "  %v7 = load <64 x i32>, ptr %r.v7",
            "  store <64 x i32> %v7, ptr %tmp0, align 64",
            "  ret i32 0",
        ],
        False,
        "",
    )
    assert function.live == {"v7"}


def test_the_place_of_each_access_is_noted_in_the_loop() -> None:
    (loop,) = loops(rewrite("  lanes.place 8", load("%a"), "  lanes.place 16", load("%b")))
    assert re.findall(r"store i64 (\d+), ptr %place|(%[ab]) = call", loop) == [
        ("8", ""),
        ("", "%a"),
        ("16", ""),
        ("", "%b"),
    ]


ROW = ", ".join(f"i32 {lane - lane % 16 + (lane + 1) % 16}" for lane in range(64))
WAVE = ", ".join(f"i32 {(lane + 1) % 64}" for lane in range(64))


def test_moves_within_rows_stay_in_the_loop_and_others_do_not() -> None:
    text = "  %m = shufflevector <64 x i32> %v1, <64 x i32> zeroinitializer, <64 x i32> <{}>"
    assert parse(text.format(ROW)).kind is Kind.LANES
    assert parse(text.format(WAVE)).kind is Kind.WHOLE
    assert narrow(text.format(ROW)).endswith("<16 x i32> <" + ", ".join(f"i32 {(k + 1) % 16}" for k in range(16)) + ">")
