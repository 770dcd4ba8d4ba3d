"""The PTX parser: what it reads, and what it refuses."""

from __future__ import annotations

import contextlib
import random

import pytest

from sandbox.vgpu.ptx.errors import PtxSyntaxError
from sandbox.vgpu.ptx.flow import build_flow_graph
from sandbox.vgpu.ptx.parser import parse_module
from sandbox.vgpu.ptx.syntax import (
    Address,
    Function,
    Immediate,
    Initial,
    Instruction,
    Label,
    Location,
    Negated,
    Pair,
    Register,
    Selected,
    Sink,
    SpecialRegister,
    Symbol,
    Vector,
)

HEADER = ".version 9.5\n.target sm_90\n.address_size 64\n"


def body(text: str, registers: str = ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;") -> Function:
    module = parse_module(
        f"{HEADER}.visible .entry k(.param .u64 a, .param .align 4 .b8 s[12])\n{{{registers}\n{text}\n}}"
    )
    return module.functions["k"]


def only(text: str) -> Instruction:
    statements = body(text).body
    assert statements is not None
    assert isinstance(statements[0], Instruction)
    return statements[0]


def test_operands() -> None:
    r = [Register(f"%r{i}", "b32") for i in range(8)]
    cases = {
        "add.s32 %r1, %r2, -5;": [r[1], r[2], Immediate("int", 2**64 - 5)],
        "mov.u32 %r1, %tid.x;": [r[1], SpecialRegister("tid.x")],
        "mov.f32 %r1, 0f3F800000;": [r[1], Immediate("f32", 0x3F800000)],
        "mov.u32 %r1, 0x1FU;": [r[1], Immediate("int", 31)],
        "mov.u32 %r1, 017;": [r[1], Immediate("int", 15)],
        "mov.f64 %rd1, 0.5;": [Register("%rd1", "b64"), Immediate("f64", 0x3FE0000000000000)],
        "ld.global.v2.u32 {%r1, _}, [%rd1+-8];": [
            Vector((r[1], Sink())),
            Address(Register("%rd1", "b64"), -8),
        ],
        "ld.param.u64 %rd1, [a+4];": [Register("%rd1", "b64"), Address(Symbol("a"), 4)],
        "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;": [
            Pair(Register("%p1", "pred"), Register("%p2", "pred")),
            r[1],
            r[2],
            Negated(Register("%p3", "pred")),
        ],
        "vadd.s32.u32.u32 %r1.h0, %r2.b3, %r3, %r4;": [Selected(r[1], "h0"), Selected(r[2], "b3"), r[3], r[4]],
        "mov.u64 %rd1, table+16;": [Register("%rd1", "b64"), Symbol("table", 16)],
        "mov.u32 %r1, WARP_SZ;": [r[1], Immediate("int", 32)],
    }
    for text, operands in cases.items():
        assert only(text).operands == operands, text


def test_instructions_keep_modifiers_guard_and_places() -> None:
    kernel = body("\n.loc 1 7 3, function_name $x, inlined_at 1 2 3\n@!%p1 ld.global.nc.L2::128B.u32 %r1, [%rd1];")
    assert kernel.body is not None
    load = kernel.body[0]
    assert isinstance(load, Instruction)
    assert load.modifiers == ("global", "nc", "L2::128B", "u32")
    assert load.text == "ld.global.nc.L2::128B.u32"
    assert load.guard is not None
    assert load.guard.negated
    assert load.location == Location(1, 7)
    assert load.line == 8


def test_names_of_inner_scopes_are_their_own() -> None:
    kernel = body(
        "bra L; { .reg .b32 t; mov.u32 t, 1; L: bra L; } { .reg .b32 t; mov.u32 t, 2; } L: ret;",
    )
    assert kernel.body is not None
    labels = [s.name for s in kernel.body if isinstance(s, Label)]
    targets = [s.operands[0] for s in kernel.body if isinstance(s, Instruction) and s.opcode == "bra"]
    moved = [s.operands[0] for s in kernel.body if isinstance(s, Instruction) and s.opcode == "mov"]
    assert len(set(labels)) == 2
    assert targets == [Symbol(labels[1]), Symbol(labels[0])]
    assert moved[0] != moved[1]


def test_declarations() -> None:
    module = parse_module(
        HEADER
        + """.global .align 8 .b8 bytes[6] = {1, 2, 0xff};
.const .f32 half = 0f3F000000;
.visible .global .attribute(.managed) .u64 refs[3] = {bytes+2, generic(bytes), f};
.global .align 8 .u8 split[2] = {0xff(bytes), 0xff00(bytes)};
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 r) f(.param .b64 p) .noreturn;
.alias g, f;
.weak .entry k() .maxntid 128, 2, 1 .minnctapersm 2 { ret; }
.section .debug_str { L: .b8 1,2 }
"""
    )
    variables = module.variables
    assert (variables["bytes"].size, variables["bytes"].align) == (6, 8)
    assert variables["half"].initial == (Initial(bits=0x3F000000),)
    assert variables["refs"].managed
    assert variables["refs"].initial[0] == Initial(symbol="bytes", offset=2)
    assert [value.byte for value in variables["split"].initial] == [0, 1]
    assert variables["dynamic"].size == 0
    assert module.functions["k"].limits["maxntid"] == (128, 2, 1)
    assert module.functions["f"].body is None
    assert module.aliases == {"g": "f"}


def test_loops_are_found() -> None:
    kernel = body("mov.u32 %r1, 0; A: add.s32 %r1, %r1, 1; @%p1 bra A; mov.u32 %r2, 1; B: bra C; C: ret;")
    assert kernel.body is not None
    cyclic = {s.text for i, s in enumerate(kernel.body) if i in build_flow_graph(kernel).cyclic_statements()
              and isinstance(s, Instruction)}  # fmt: skip
    assert cyclic == {"add.s32", "bra"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("foo", "expected a directive"),
        (".entry k(x", "expected a directive"),
        (".entry k() { add.s32 %r1, 1", "expected"),
        (".entry k() { bra nowhere; }", "label that does not exist"),
        (".entry k() { }}", "expected a directive"),
        (".entry k() { @1 ret; }", "expected a word"),
        (".global .b8 x[99999999999999999999];", "too large"),
        (".global .align 3 .b8 x;", "power of two"),
        (".global .wrong x;", "unknown type"),
        (".address_size 32\n", "64-bit"),
        (".entry k() { .reg .b32 %r<99999999>; }", "too many registers"),
        (".entry k() { ret; } .entry k() { ret; }", "defined twice"),
        ("\x01", "unexpected"),
    ],
)
def test_malformed_text_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(PtxSyntaxError, match=message) as caught:
        parse_module(HEADER + text)
    assert caught.value.line >= 3


def test_random_damage_gives_a_module_or_a_typed_error() -> None:
    source = random.Random(11)
    good = HEADER + ".entry k(.param .u64 a) { .reg .b32 %r<3>; L: ld.param.u32 %r1, [a+4]; @%r1 bra L; ret; }\n"
    for _ in range(1500):
        damaged = list(good)
        for _ in range(source.randrange(1, 5)):
            damaged[source.randrange(len(damaged))] = source.choice('{}()[];,.%@!:$ab0x9\n"')
        with contextlib.suppress(PtxSyntaxError):
            parse_module("".join(damaged))
