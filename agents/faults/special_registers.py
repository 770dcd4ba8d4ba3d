"""Inline PTX of one instruction that is one expression in C++: lane numbers, lane masks, fences.

Everything else in ``asm`` is left to ``inline_asm``, which reports it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.errors import DataError
from agents.faults.catalogue import load_catalogue
from agents.faults.inline_asm import ASM_WORDS, read_assembly
from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, SourceText, Span
from agents.syntax.tokens import TokenKind

_FILE = Path(__file__).parent / "special_registers.toml"
_BLANKS = re.compile(r"\s+")
_OUTPUTS = frozenset({'"=r"', '"=&r"'})


@dataclass(frozen=True)
class Instruction:
    ptx: str
    port: str
    shim: str
    fault: str

    @property
    def has_output(self) -> bool:
        return "%0" in self.ptx


@cache
def load_instructions() -> Mapping[str, Instruction]:
    """By their PTX. DataError for unknown keys or faults and for an instruction that repeats."""
    found: dict[str, Instruction] = {}
    for entry in tomllib.loads(_FILE.read_text(encoding="utf-8")).get("rows", []):
        if set(entry) != {"ptx", "port", "shim", "fault"} or entry["fault"] not in load_catalogue():
            raise DataError(f"special_registers.toml: bad row {entry}")
        if entry["ptx"] in found:
            raise DataError(f"special_registers.toml: {entry['ptx']} stands there twice")
        found[entry["ptx"]] = Instruction(**entry)
    return found


def replace_special_registers(draft: Draft) -> None:
    source = draft.source
    for index, token in enumerate(source.code):
        if token.text not in ASM_WORDS or token.kind is not TokenKind.IDENTIFIER:
            continue
        text = _BLANKS.sub(" ", read_assembly(source, index)).strip().replace("%%", "%")
        instruction = load_instructions().get(text)
        bracket = _bracket(source, index)
        if instruction is None or bracket is None:
            continue
        output = _output(source, bracket)
        if instruction.has_output != (output is not None):
            continue
        new = instruction.port if output is None else f"{source.slice(output)} = {instruction.port}"
        if draft.edits.replace_span(token, source.code[source.partner[bracket]], new):
            if instruction.shim:
                draft.shims.add(instruction.shim)
            what = "The instruction became an expression with the same value for warps of 32 lanes."
            report_fault(draft, instruction.fault, index, Action.FIXED, what, replacement=new)


def _bracket(source: SourceText, index: int) -> int | None:
    at = source.after(index)
    while at is not None and source.code[at].kind is TokenKind.IDENTIFIER:
        at = source.after(at)
    return at if at is not None and source.code[at].text == "(" and source.partner[at] != UNMATCHED else None


def _output(source: SourceText, bracket: int) -> Span | None:
    """The one output operand's expression; None where there is none, or more than that."""
    at = bracket + 1
    end = source.partner[bracket]
    while at < end and source.code[at].kind is TokenKind.STRING:
        at += 1
    if at + 2 >= end or source.code[at].text != ":" or source.code[at + 1].text not in _OUTPUTS:
        return None
    opening = at + 2
    if source.code[opening].text != "(":
        return None
    rest = {t.text for t in source.code[source.partner[opening] + 1 : end] if t.kind is not TokenKind.STRING}
    return Span(opening + 1, source.partner[opening] - 1) if rest <= {":"} else None
