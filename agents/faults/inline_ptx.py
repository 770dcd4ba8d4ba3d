"""Inline PTX becomes C++: each ``asm`` statement is translated as a whole, or reported with the instruction that has
no counterpart."""

from __future__ import annotations

from agents.faults.asm_macros import ASM_WORDS, is_called
from agents.faults.asm_statements import AsmStatement, AsmSyntaxError, is_empty, read_asm_statement
from agents.faults.ptx_faults import classify
from agents.faults.reports import report_fault
from agents.models import Action
from agents.shims.inline_ptx.errors import PtxError
from agents.shims.inline_ptx.statement import Translation
from agents.shims.inline_ptx.translate import translate_statement
from agents.syntax.draft import Draft
from agents.syntax.macros import read_macro
from agents.syntax.tokens import CODE, TokenKind


def translate_inline_ptx(draft: Draft) -> None:
    """Replace every statement that the device compiles; what stands between its parts stays as it is."""
    for index, token in enumerate(draft.source.code):
        if token.text not in ASM_WORDS or token.kind is not TokenKind.IDENTIFIER or draft.edits.claimed(token):
            continue
        if not _is_compiled(draft, index):
            continue
        try:
            statement = read_asm_statement(draft, index)
            if is_empty(statement):
                continue
            translation = translate_statement(statement.ptx)
        except AsmSyntaxError as error:
            if _is_expanded_macro(draft, index):
                continue
            report_fault(draft, classify(error.text), index, Action.TO_DO, str(error))
        except PtxError as error:
            _report_unknown(draft, index, error)
        else:
            _replace(draft, statement, translation)


def count_unknown(draft: Draft) -> int:
    """How many statements that the device compiles cannot be translated."""
    count = 0
    for index, token in enumerate(draft.source.code):
        if token.text in ASM_WORDS and token.kind is TokenKind.IDENTIFIER and not draft.excluded(index):
            try:
                statement = read_asm_statement(draft, index)
                if not is_empty(statement):
                    translate_statement(statement.ptx)
            except AsmSyntaxError:
                count += not _is_expanded_macro(draft, index)
            except PtxError:
                count += 1
    return count


def _is_compiled(draft: Draft, index: int) -> bool:
    if draft.excluded(index):
        return False
    on_host = draft.source.code[index].directive == CODE and draft.function_at(index) is not None
    return not on_host or draft.on_device(index)


def _is_expanded_macro(draft: Draft, index: int) -> bool:
    """Whether the statement stands in a macro all of whose calls were expanded."""
    source = draft.source
    number = source.code[index].directive
    if number == CODE:
        return False
    macro = read_macro(source, next(d for d in source.directives if source.code[d.first].directive == number))
    return macro is not None and not is_called(draft.project.sources, macro.name)


def _report_unknown(draft: Draft, index: int, error: PtxError) -> None:
    statement = read_asm_statement(draft, index)
    report_fault(
        draft,
        classify(error.instruction),
        statement.token_at(error.offset),
        Action.TO_DO,
        f"{error.message} Write it in C++ or with AMD's builtins.",
    )


def _replace(draft: Draft, statement: AsmStatement, translation: Translation) -> None:
    source, edits = draft.source, draft.edits
    gaps = statement.gaps()
    if any(edits.claimed(source.code[at]) for gap in gaps for at in range(gap.first, gap.last + 1)):
        return
    indent = _indent(draft, statement.index)
    joint = " " if source.code[statement.index].directive != CODE else f"{source.newline}{indent}"
    for gap, piece in zip(gaps, translation.pieces, strict=True):
        start = source.code[gap.first].offset if gap is gaps[0] else source.code[gap.first - 1].end
        edits.insert_at(start, piece.replace("\n", joint))
        edits.remove(start, source.code[gap.last].end)
    draft.uses_cuda = True
    draft.shims |= translation.shims
    _note(draft, statement, translation)


def _indent(draft: Draft, index: int) -> str:
    line, _ = draft.source.position(draft.source.code[index].offset)
    text = draft.source.line_text(line)
    return text[: len(text) - len(text.lstrip())]


def _note(draft: Draft, statement: AsmStatement, translation: Translation) -> None:
    """One finding a fault, at the first of its instructions."""
    by_fault: dict[str, list[tuple[str, str, int]]] = {}
    for used in translation.used:
        by_fault.setdefault(used.fault, []).append((used.ptx, used.note, used.offset))
    for fault, uses in by_fault.items():
        opcodes = ", ".join(dict.fromkeys(_opcode(ptx) for ptx, _, _ in uses))
        notes = " ".join(dict.fromkeys(note for _, note, _ in uses if note))
        where = statement.token_at(uses[0][2])
        what = f"It became C++ with the same values for warps of 32 lanes: {opcodes}. {notes}".rstrip()
        report_fault(draft, fault, where, Action.FIXED, what)


def _opcode(ptx: str) -> str:
    words = ptx.split()
    return words[1] if words[0].startswith("@") and len(words) > 1 else words[0]
