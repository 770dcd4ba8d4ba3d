"""From PTX text to C text: tables, unknown instructions, shared memory, linked modules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sandbox.vgpu.ptx import instruction_table
from sandbox.vgpu.ptx.instruction_table import TableError, find_row, instruction_rows, special_registers
from sandbox.vgpu.ptx.module_writer import write_module
from sandbox.vgpu.ptx.parser import parse_module
from sandbox.vgpu.ptx.program import Program
from sandbox.vgpu.ptx.reachability import CallGraph
from sandbox.vgpu.ptx.semantics import SEMANTICS
from sandbox.vgpu.ptx.shared_layout import SharedLayout
from sandbox.vgpu.ptx.syntax import Instruction

HEADER = ".version 9.5\n.target sm_90\n.address_size 64\n"


def program(*texts: str) -> Program:
    return Program([parse_module(HEADER + text) for text in texts])


def written(*texts: str) -> str:
    return write_module(program(*texts), SEMANTICS).text


def instruction(text: str) -> Instruction:
    opcode, *modifiers = text.split(".")
    return Instruction(opcode, tuple(modifiers), [], None, 1)


def test_tables_are_consistent() -> None:
    assert len(instruction_rows()) > 150
    assert "tid.x" in special_registers()
    assert {row.semantics for rows in instruction_rows().values() for row in rows} == set(SEMANTICS)


@pytest.mark.parametrize(
    "content",
    ["add\tadd_integer\ts32\n", "add\tx\ts32\t\nadd\ty\ts32\t\n", "add\tx\ts32\t@nowhere\n"],
)
def test_a_broken_table_is_refused(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "instructions.tsv").write_text(content)
    (tmp_path / "modifier_sets.tsv").write_text("space\tglobal shared\n")
    monkeypatch.setattr(instruction_table, "TABLES", tmp_path)
    for table in (instruction_rows, instruction_table.modifier_sets):
        table.cache_clear()
    try:
        with pytest.raises(TableError):
            instruction_rows()
    finally:
        monkeypatch.undo()
        for table in (instruction_rows, instruction_table.modifier_sets):
            table.cache_clear()


@pytest.mark.parametrize(
    ("text", "semantics"),
    [
        ("add.s32", "add_integer"),
        ("add.rn.ftz.f32", "add_float"),
        ("add.cc.u32", "add_carry"),
        ("cp.async.bulk.commit_group", "ignore"),
        ("mad.lo.cc.u32", "multiply_add_carry"),
        ("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.s32", "load"),
        ("max.s16x2.relu", "maximum_integer"),
        ("add.s32.surprise", None),
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", None),
        ("tex.2d.v4.f32.f32", None),
    ],
)
def test_rows_accept_only_what_they_name(text: str, semantics: str | None) -> None:
    row = find_row(instruction(text))
    assert (row.semantics if row else None) == semantics


def test_an_unknown_instruction_becomes_a_report() -> None:
    text = written(".entry k() { .reg .b32 %r<3>; wgmma.fence.sync.aligned; add.s32 %r1; ret; }")
    assert text.count("w2w_unsupported(t,(sites") == 2
    assert '"wgmma.fence.sync.aligned",4,' in text


def test_kernels_pay_only_for_the_shared_memory_that_they_reach() -> None:
    linked = program(
        """.shared .align 4 .b8 one[100]; .shared .align 16 .b8 two[64]; .shared .align 4 .b8 common[8];
.func f() { .reg .b32 %r<2>; ld.shared.u32 %r1, [common]; ret; }
.entry a() { .reg .b32 %r<2>; ld.shared.u32 %r1, [one]; ret; }
.entry b() { .reg .b32 %r<2>; .shared .b32 own; ld.shared.u32 %r1, [two]; st.shared.u32 [own], %r1; call f, (); ret; }
.entry c() { ret; }
"""
    )
    layout = SharedLayout(linked, CallGraph(linked))
    assert layout.static_size((0, "a")) == 100
    assert layout.static_size((0, "b")) == 16 + 64 + 4
    assert layout.static_size((0, "c")) == 0


def test_kernels_whose_threads_never_wait_are_loops() -> None:
    text = written(
        """.entry waits() { bar.sync 0; ret; }
.entry alone(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ret;
}
"""
    )
    assert "void f1_block(" in text
    assert "void f0_block(" not in text


def test_modules_are_linked() -> None:
    caller = ".extern .func g(); .entry k() { call g, (); ret; }"
    assert "w2w_missing_function" in written(caller).split("params){")[1]
    assert re.search(r"f\d+\(t,0,0\);", written(caller, ".visible .func g() { ret; }"))


def test_initial_values_that_are_addresses_are_relocated() -> None:
    text = written(
        ".visible .global .u64 p = target+8; .global .align 8 .b8 target[16]; "
        ".entry k() { .reg .b64 %rd<2>; ld.global.u64 %rd1, [p]; ret; }"
    )
    assert "{0,&g1,0,8l,-1}" in text
    assert '{"target",16ul,8,&g1,0,0ul,0,0,0}' in text


def test_quad_pair_products_are_refused_by_name():
    text = written(
        ".entry k() { .reg .b32 %r<9>; mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 "
        "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r8}, {%r1,%r2,%r3,%r4}; ret; }"
    )
    assert "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16" in text
    assert text.count("w2w_unsupported(t,(sites") == 1
