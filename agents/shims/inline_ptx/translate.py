"""Translates one ``asm`` statement to C++."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agents.shims.inline_ptx.errors import PtxError
from agents.shims.inline_ptx.forms import Filler
from agents.shims.inline_ptx.headers import headers_of
from agents.shims.inline_ptx.parser import parse_template
from agents.shims.inline_ptx.statement import Operand, Statement, Translation, Used
from agents.shims.inline_ptx.syntax import Block, Instruction, Label, SpecialRegister
from agents.shims.inline_ptx.table import Row, load_rows, load_special_registers
from agents.shims.inline_ptx.types import UNSIGNED
from agents.shims.inline_ptx.values import MARK
from agents.shims.inline_ptx.writers import WRITERS

_OPERAND = re.compile(f"{MARK}(\\d+){MARK}")


@dataclass
class _Body:
    """What the block's instructions became."""

    lines: list[str] = field(default_factory=list)
    used: list[Used] = field(default_factory=list)
    carry: bool = False
    carry_known: bool = False
    rows: list[Row] = field(default_factory=list)


def translate_statement(statement: Statement) -> Translation:
    """The C++ that does what the statement's PTX does.

    PtxError, with the instruction and where it stands, for what has no counterpart here: nothing is guessed.
    """
    block = parse_template(statement.template, len(statement.operands))
    body = _Body()
    for item in block.statements:
        if isinstance(item, Label):
            body.lines.append(f"{item.name}:;")
        else:
            _write_instruction(statement, item, body)
    pieces = _expression(statement, block, body) or _block(statement, block, body)
    return Translation(pieces, headers_of(" ".join(pieces)), tuple(body.used))


def _write_instruction(statement: Statement, instruction: Instruction, body: _Body) -> None:
    filler = _match(statement, instruction)
    text = filler.write(WRITERS)
    if filler.carry_in and not body.carry_known:
        raise filler.values.error("the carry comes from outside this statement")
    body.carry |= filler.carry
    body.carry_known |= filler.carry
    if instruction.guard is not None:
        text = f"if ({'!' if instruction.guard_negated else ''}{instruction.guard.name}) {_braced(text)}"
    body.lines.append(text)
    body.rows.append(filler.row)
    if not (filler.values.registers and filler.row.opcode == "mov"):
        body.used.append(Used(filler.row.fault, instruction.text, filler.row.note, instruction.offset))
    for name in sorted(filler.values.registers):
        fault = load_special_registers()[name].fault
        body.used.append(Used(fault, instruction.text, "", instruction.offset))


def find_row(statement: Statement, instruction: Instruction) -> Row:
    """The row of the table that translates an instruction. PtxError where none does."""
    return _match(statement, instruction).row


def _match(statement: Statement, instruction: Instruction) -> Filler:
    """The first row that fits the opcode and the operands."""
    error: PtxError | None = None
    for row in load_rows().get(instruction.parts[0], ()):
        names = row.match(instruction.parts)
        if names is None:
            continue
        filler = Filler(statement, instruction, row, names)
        try:
            filler.check()
            filler.write(WRITERS)
        except PtxError as found:
            error = error or found
            continue
        return Filler(statement, instruction, row, names)
    if error is not None:
        raise error
    opcode = ".".join(instruction.parts)
    raise PtxError(
        f"In `{instruction.text}`: {opcode} has no counterpart in the table.",
        instruction=instruction.text,
        offset=instruction.offset,
    )


def _braced(text: str) -> str:
    return text if text.startswith("{") or text.count(";") == 1 else "{ " + text + " }"


# ---- one instruction: an expression


def _expression(statement: Statement, block: Block, body: _Body) -> tuple[str, ...] | None:
    """The statement as one call, where each operand is named once and in order; None where it is more."""
    operands = statement.operands
    if len(block.statements) != 1 or block.registers or body.carry or not isinstance(block.statements[0], Instruction):
        return None
    text = body.lines[0].removesuffix(";")
    if block.statements[0].guard is not None or text.startswith("{") or ";" in text or text.startswith("goto"):
        return None
    outputs = [n for n, operand in enumerate(operands) if operand.is_output]
    if any(operand.tied is not None for operand in operands):
        return None
    if outputs:
        start = f"{MARK}0{MARK} = "
        if outputs != [0] or operands[0].is_read or not text.startswith(start):
            return None
        text = text.removeprefix(start)
    found = [int(number) for number in _OPERAND.findall(text)]
    if found != list(range(len(outputs), len(operands))):
        return None
    parts = _OPERAND.split(text)
    pieces = [_taken(parts[at], operands[len(outputs) + at // 2]) for at in range(0, len(parts) - 1, 2)] + [parts[-1]]
    if not outputs:
        return tuple(pieces)
    if block.statements[0].parts[0] == "mov" and isinstance(block.statements[0].operands[1], SpecialRegister):
        return ("", f" = {pieces[0]}")
    if len(pieces) == 1:
        return "w2w::ptx::give(", f", {pieces[0]})"
    return ("w2w::ptx::give(", ", " + pieces[0], *pieces[1:-1], pieces[-1] + ")")


def _taken(before: str, operand: Operand) -> str:
    """Before an operand's expression, which stands in brackets."""
    return before if operand.is_constant else f"{before}w2w::ptx::take<{UNSIGNED[operand.size]}>"


# ---- several instructions: a block


def _block(statement: Statement, block: Block, body: _Body) -> tuple[str, ...]:
    labels = [item.name for item in block.statements if isinstance(item, Label)]
    lines = [_OPERAND.sub(r"w2w_\1", line) for line in body.lines]
    pieces: list[str] = []
    before = "do {\n" + (f"  __label__ {', '.join(labels)};\n" if labels else "") + "  "
    for number, operand in enumerate(statement.operands):
        opening, closing = _capture(number, operand, statement.operands)
        pieces.append(before + opening)
        before = closing + "\n  "
    rest = _declarations(block, body, lines) + lines
    for number, operand in enumerate(statement.operands):
        if operand.is_output:
            rest.append(f"w2w::ptx::give(w2w_{number}_ref, w2w_{number});")
    pieces.append(before + "\n  ".join(rest) + "\n} while (0)")
    return tuple(pieces)


def _capture(number: int, operand: Operand, operands: tuple[Operand, ...]) -> tuple[str, str]:
    """What stands before and behind an operand's expression, which has brackets of its own."""
    if operand.is_constant:
        return f"constexpr auto w2w_{number} = ", ";"
    kind = UNSIGNED[operand.size]
    if operand.tied is not None:
        return f"w2w_{operand.tied} = w2w::ptx::take<{kind}>", ";"
    if not operand.is_output:
        return f"[[maybe_unused]] {kind} w2w_{number} = w2w::ptx::take<{kind}>", ";"
    value = f"w2w::ptx::take<{kind}>(w2w_{number}_ref)" if operand.is_read else "0"
    return f"auto& w2w_{number}_ref = ", f"; {kind} w2w_{number} = {value};"


def _declarations(block: Block, body: _Body, lines: list[str]) -> list[str]:
    by_type: dict[str, list[str]] = {}
    for register in block.registers:
        kind = UNSIGNED[register.size] if register.size else "bool"
        by_type.setdefault(kind, []).append(f"{register.name}{'{}' if register.size else ' = false'}")
    if body.carry:
        by_type.setdefault("bool", []).append("w2wcarry = false")
    text = " ".join(lines)
    for name, kind in (("w2wpredicate", "bool"), ("w2wresult", "unsigned")):
        if name in text:
            by_type.setdefault(kind, []).append(name)
    return [f"[[maybe_unused]] {kind} {', '.join(names)};" for kind, names in by_type.items()]
