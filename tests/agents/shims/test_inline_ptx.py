"""The translator of inline PTX: what it writes, what it refuses, and that nothing brings it down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest
from ptx_mutations import mutate

from agents.errors import DataError
from agents.faults.asm_macros import ASM_WORDS, expand_asm_macros
from agents.faults.asm_statements import AsmSyntaxError, read_asm_statement
from agents.faults.catalogue import load_catalogue
from agents.hipify import translate_text
from agents.shims.contracts.forms import Form, asm_text, load_forms, parse_forms
from agents.shims.contracts.proof import load_contracts
from agents.shims.inline_ptx.errors import PtxError
from agents.shims.inline_ptx.parser import parse_template
from agents.shims.inline_ptx.statement import Operand, Statement, Translation
from agents.shims.inline_ptx.syntax import Instruction
from agents.shims.inline_ptx.table import load_rows, load_special_registers, parse_rows
from agents.shims.inline_ptx.translate import find_row, translate_statement
from agents.shims.library import read_shim
from agents.syntax.draft import Draft, Project
from agents.syntax.source import SourceText

SIZES = {"r": 4, "l": 8, "h": 2, "f": 4, "d": 8, "e": 2, "b": 2}
OUTPUT, INPUT, CONSTANT = Operand(True, False, 4), Operand(size=4), Operand()


def statement_of(form: Form) -> Statement:
    operands = tuple(Operand(number == 0, number != 0, SIZES[kind]) for number, kind in enumerate(form.kinds))
    return Statement(asm_text(form), operands, volatile=True)


def translate(template: str, *operands: Operand) -> str:
    pieces = translate_statement(Statement(template, operands)).pieces
    return pieces[0] + "".join(f"(e{number}){piece}" for number, piece in enumerate(pieces[1:]))


def port(body: str) -> str:
    return translate_text(f"__device__ void f(unsigned a, unsigned b) {{\n  unsigned r, s;\n{body}\n}}\n")[0]


# ---- what it writes


def test_one_instruction_is_one_call() -> None:
    assert translate("bfe.u32 %0, %1, 4, 8;", OUTPUT, INPUT) == (
        "w2w::ptx::give((e0), w2w::ptx::extract_field<unsigned>(w2w::ptx::take<unsigned>(e1), 4u, 8u))"
    )


def test_a_block_keeps_its_registers_apart() -> None:
    text = translate("{ .reg .b32 t; mov.b32 t, %1; { .reg .b32 t; mov.b32 t, 1; } mov.b32 %0, t; }", OUTPUT, INPUT)
    assert "w2w_t = w2w_1;" in text
    assert "w2w_t_2 = 1u;" in text
    assert "w2w_0 = w2w_t;" in text


def test_operands_out_of_order_are_captured_in_theirs() -> None:
    text = translate("sub.u32 %0, %2, %1;", OUTPUT, INPUT, INPUT)
    assert text.index("(e1)") < text.index("(e2)") < text.index("sub<unsigned>(w2w_2, w2w_1)")


@pytest.mark.parametrize(
    ("ptx", "cpp"),
    [
        ("mov.f32 %0, 0f40000000;", "0x40000000u"),
        ("mov.f32 %0, 0.1;", "0x3dcccccdu"),
        ("mov.b32 %0, -1;", "0xffffffffu"),
        ("mov.b32 %0, 0b101;", "5u"),
        ("mov.b32 %0, 017;", "15u"),
        ("mov.b32 %0, (1<<4)+3;", "19u"),
        ("mov.b32 %0, WARP_SZ;", "32u"),
        ("mov.u32 %0, %%tid.x;", "threadIdx.x"),
    ],
)
def test_literals_and_registers(ptx: str, cpp: str) -> None:
    assert cpp in translate(ptx, OUTPUT)


def test_labels_are_those_of_the_block() -> None:
    text = translate("{ .reg .pred p; L: setp.eq.u32 p, %1, 0; @!p bra L; mov.u32 %0, 1; }", OUTPUT, INPUT)
    assert "__label__ w2w_L_1;" in text
    assert "if (!w2w_p) goto w2w_L_1;" in text


def test_a_carry_lives_in_its_statement() -> None:
    text = translate("add.cc.u32 %0, %2, %3; addc.u32 %1, %2, %3;", OUTPUT, OUTPUT, INPUT, INPUT)
    assert text.count("bool w2wcarry = false") == 1
    with pytest.raises(PtxError, match="the carry comes from outside"):
        translate("addc.u32 %0, %1, %2;", OUTPUT, INPUT, INPUT)


def test_what_surrounds_a_statement_stays() -> None:
    text = port('  if (a) /* here */ asm ("not.b32 %0, %1;" : "=r"(r /* out */) : "r"(a ^ b)) ; else s = a;')
    expected = "w2w::ptx::give((r /* out */), w2w::ptx::bit_not<unsigned>(w2w::ptx::take<unsigned>(a ^ b)))"
    assert f"  if (a) /* here */ {expected} ; else s = a;" in text


def test_macros_that_build_instructions_are_expanded() -> None:
    source = """#define RAW(x) #x
#define STR(x) RAW(x)
#define TYPE u32
#define TWO(op, d, x, y) asm volatile(#op "." "u32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(y))
#define MAKE(name, op) __device__ unsigned name(unsigned x) { unsigned d; TWO(op, d, x, 5); return d; }
#define PASTE(n) TW##n(max, r, r, 3)
MAKE(low, min)
__global__ void k(unsigned* p) {
  unsigned r;
  TWO(xor, r, p[0],
      p[1]);
  PASTE(O);
  asm("mul.lo." STR(TYPE) " %0, %1, 3;" : "=r"(p[0]) : "r"(low(r)));
}
"""
    source = source.replace("xor, r", "add, r")
    text, findings = translate_text(source)
    assert not [finding for finding in findings if finding.open]
    for name in ("minimum<unsigned>", "add<unsigned>", "maximum<unsigned>"):
        assert f"w2w::ptx::{name}(" in text
    assert [finding.line for finding in findings] == [7, 10, 12, 13]


def test_a_macro_of_two_meanings_is_reported() -> None:
    source = '#ifdef A\n#define T "u32"\n#else\n#define T "s32"\n#endif\n'
    source += '__device__ void f(int& r) {\n  asm("neg." T " %0, 1;" : "=r"(r));\n}\n'
    (finding,) = translate_text(source)[1]
    assert (finding.line, finding.open) == (7, True)


# ---- what it refuses


@pytest.mark.parametrize(
    ("ptx", "why"),
    [
        ("tex.1d.v4.f32.s32 %0, %1;", "has no counterpart"),
        ("add.u32 %0, %1;", "operands were expected"),
        ("add.u32 %0, %1, %2, %2;", "operands were expected"),
        ("add.u64 %0, %1, %2;", "32 bits stands where .u64"),
        ("add.f32 %0, %1, 1;", "an integer stands where a float"),
        ("add.u32 %0, %1, 1.0;", "a float of 64 bits"),
        ("add.u32 %0, %1, 0x100000000;", "does not fit"),
        ("add.sat.u32 %0, %1, %2;", "has no counterpart"),
        ("add.rn.s32 %0, %1, %2;", "has no counterpart"),
        ("mov.u32 %0, %3;", "no operand 3"),
        ("mov.u32 %0, t;", "not declared"),
        ("mov.u32 %1, %2;", "is no output"),
        ("mov.u32 %0, %%envreg7;", "no counterpart"),
        ("@p mov.u32 %0, 1;", "not declared"),
        ("bra L;", "not declared"),
        ("{ mov.u32 %0, 1;", "not closed"),
        ("} mov.u32 %0, 1;", "not opened"),
        ("mov.u32 %0, 1", "ends too early"),
        ("mov.u32 %0, 1+2*3;", "needs brackets"),
        ("bar.sync 1, 64;", "operands were expected"),
        ("bar.sync %1;", "only barrier 0"),
        ("exit;", "has no counterpart"),
        ("lop3.b32 %0, %1, %2, %1, %2;", "a constant was expected"),
        ("mov.b32 {%0, _}, %1;", "a result needs a register"),
        (".shared .b32 x;", "directive"),
        ("L: L: mov.u32 %0, 1;", "twice"),
        ("mov.u32 %0, \x01;", "no PTX"),
    ],
)
def test_what_is_refused_says_why(ptx: str, why: str) -> None:
    with pytest.raises(PtxError, match=re.escape(why)):
        translate(ptx, OUTPUT, INPUT, INPUT)


def test_a_finding_stands_at_the_instruction() -> None:
    text = '__device__ void f() {\n  asm volatile("{"\n    "membar.gl;\\n"\n    "wgmma.fence.sync.aligned;}");\n}\n'
    (finding,) = translate_text(text)[1]
    assert (finding.line, finding.fault, finding.open) == (4, "X10", True)
    assert "wgmma.fence.sync.aligned" in finding.message


@pytest.mark.parametrize("seed", range(3))
def test_mutants_are_translated_or_refused(seed: int) -> None:
    random = Random(seed)
    accepted = 0
    for _ in range(100):
        mutant = mutate(random.choice(load_forms()), random)
        try:
            translation = translate_statement(statement_of(mutant))
        except PtxError:
            continue
        assert isinstance(translation, Translation)
        assert len(translation.pieces) == len(mutant.kinds) + 1
        accepted += 1
    assert 5 <= accepted <= 60


# ---- the table


def test_rows_name_faults_and_functions_that_there_are() -> None:
    rows = [row for found in load_rows().values() for row in found]
    assert len(rows) >= 300
    assert {row.fault for row in rows} <= load_catalogue().keys()
    assert {register.fault for register in load_special_registers().values()} <= load_catalogue().keys()
    headers = [read_shim(f"ptx_{name}.h") for name in ("types", "integers", "floats", "conversions", "video")]
    text = "\n".join([*headers, *(read_shim(f"ptx_{name}.h") for name in ("memory", "lanes", "matrix"))])
    called = {name for row in rows for name in re.findall(r"@(\w+)", row.form)}
    assert {name for name in called if not re.search(rf"\b{name}\b", text)} == set()


@pytest.mark.parametrize(
    "row",
    [
        "add.u32\t=u32 u32",
        "add.u32\t=u32 what\t@add($1)\tP07",
        "add.{T:u32\t=T T\t@add($1)\tP07",
        "add.{T:u32}.{T:s32}\t=T T\t@add($1)\tP07",
        "add.u32\t=u32 u32\t@add($1)\tP07\nadd.u32\t=u32 u32\t@add($1)\tP07",
    ],
)
def test_inconsistent_rows_are_rejected(row: str) -> None:
    with pytest.raises(DataError):
        parse_rows(row)


@pytest.mark.parametrize("form", ["a\trr\tbits", "a\trx\tbits\tp", "a\trr\tworse\tp", "a\trr\tf\tp\na\trr\tf\tp"])
def test_inconsistent_forms_are_rejected(form: str) -> None:
    with pytest.raises(DataError):
        parse_forms(form)


UNPROVEN = {
    "trap": "ends the program",
    "brkpt": "ends the program",
    "pmevent": "has no effect",
    "griddepcontrol": "has no effect",
    "setmaxnreg": "has no effect, and needs whole warpgroups",
    "applypriority": "has no effect",
    "discard": "may lose what is there",
    "createpolicy": "has no effect; the fractional form is proven",
    "isspacep": "of local memory, whose addresses differ; the others are proven",
    "cvta": "of constant memory; the others are proven",
}
"""Opcodes with rows that no contract runs, and why."""


def test_every_row_has_a_contract() -> None:
    proven: set[tuple[str, tuple[str, ...]]] = set()
    for statement in contract_statements():
        for item in parse_template(statement.template, len(statement.operands)).statements:
            if isinstance(item, Instruction):
                row = find_row(statement, item)
                proven.add((row.pattern, row.operands))
    rows = [row for found in load_rows().values() for row in found]
    missing = [row for row in rows if (row.pattern, row.operands) not in proven]
    synonyms = {row.form for row in rows if (row.pattern, row.operands) in proven}
    unproven = [row.pattern for row in missing if row.form not in synonyms and row.opcode not in UNPROVEN]
    assert unproven == []


def contract_statements() -> Iterator[Statement]:
    yield from (statement_of(form) for form in load_forms())
    for contract in load_contracts():
        if contract.name == "ptx_forms":
            continue
        sources = expand_asm_macros({"a.cu": SourceText("a.cu", contract.source)})
        draft = Draft(sources["a.cu"], Project(sources))
        for index, token in enumerate(draft.source.code):
            if token.text in ASM_WORDS:
                with suppress(AsmSyntaxError):  # a macro whose calls were expanded
                    yield read_asm_statement(draft, index).ptx
