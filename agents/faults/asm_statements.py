"""Reads an ``asm`` statement: its template, its operands and where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.shims.inline_ptx.statement import OPERAND_SIZES, Operand, Statement
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, SourceText, Span
from agents.syntax.tokens import TokenKind

_VOLATILE = frozenset({"volatile", "__volatile__"})
_QUALIFIERS = _VOLATILE | {"inline", "goto"}
_RAW = re.compile(r'(?:u8|u|U|L)?R"([^()\\\s]{0,16})\((.*)\)\1"$', re.DOTALL)
_ESCAPE = re.compile(r"\\(\n|\r\n|x[0-9a-fA-F]+|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}
_NAMED = re.compile(r"%\[(\w+)\]")


class AsmSyntaxError(Exception):
    """A statement that cannot be read. ``text`` is what was seen of its template."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.text = text


@dataclass(frozen=True)
class AsmStatement:
    """``index`` is the word ``asm``, ``closing`` its last bracket, ``expressions`` the operands' brackets; all are
    indexes into ``SourceText.code``. ``literals`` says where each literal's text begins in the template."""

    index: int
    closing: int
    ptx: Statement
    expressions: tuple[Span, ...]
    literals: tuple[tuple[int, int], ...]

    def token_at(self, offset: int) -> int:
        """The token whose literal holds this place of the template."""
        found = self.index
        for start, token in self.literals:
            if start <= offset:
                found = token
        return found

    def gaps(self) -> list[Span]:
        """What stands before, between and behind the operands' expressions."""
        gaps: list[Span] = []
        first = self.index
        for span in self.expressions:
            gaps.append(Span(first, span.first - 1))
            first = span.last + 1
        return [*gaps, Span(first, self.closing)]


@dataclass(frozen=True)
class _Argument:
    name: str
    constraint: str
    expression: Span
    is_output: bool


def is_empty(statement: AsmStatement) -> bool:
    return not statement.ptx.template.strip()


def read_asm_statement(draft: Draft, index: int) -> AsmStatement:
    """The statement at ``index``. AsmSyntaxError where it is none that nvcc would take."""
    source = draft.source
    at = source.after(index)
    volatile = False
    while at is not None and source.code[at].text in _QUALIFIERS:
        volatile |= source.code[at].text in _VOLATILE
        at = source.after(at)
    if at is None or source.code[at].text != "(" or source.partner[at] == UNMATCHED:
        raise AsmSyntaxError("The statement has no template.", "")
    closing = source.partner[at]
    sections = _sections(source, at + 1, closing)
    template, literals = _template(draft, sections[0])
    arguments = [
        argument
        for number, section in enumerate(sections[1:3])
        for argument in _arguments(source, section, template, is_output=number == 0)
    ]
    template = _number_names(template, arguments)
    operands = _operands(arguments, template)
    clobbers = sections[3] if len(sections) > 3 else Span(0, -1)
    statement = Statement(
        template if len(sections) > 1 else template.replace("%", "%%").replace("%%%%", "%%"),
        operands,
        volatile or not any(operand.is_output for operand in operands),
        '"memory"' in {token.text for token in source.code[clobbers.first : clobbers.last + 1]},
    )
    return AsmStatement(index, closing, statement, tuple(a.expression for a in arguments), literals)


def _sections(source: SourceText, first: int, closing: int) -> list[Span]:
    """The parts between the colons: template, outputs, inputs, clobbers."""
    spans: list[Span] = []
    start = at = first
    while at < closing:
        text = source.code[at].text
        if text in ("(", "[", "{") and source.partner[at] != UNMATCHED:
            at = source.partner[at]
        elif text in (":", "::"):
            spans.append(Span(start, at - 1))
            if text == "::":
                spans.append(Span(at + 1, at))
            start = at + 1
        at += 1
    spans.append(Span(start, closing - 1))
    return spans


def _template(draft: Draft, span: Span) -> tuple[str, tuple[tuple[int, int], ...]]:
    text = ""
    literals: list[tuple[int, int]] = []
    for index in range(span.first, span.last + 1):
        token = draft.source.code[index]
        if token.kind is TokenKind.STRING:
            literals.append((len(text), index))
            text += literal_text(token.text)
        else:
            raise AsmSyntaxError(
                f"Its template is not only string literals: {token.text} is unknown here.", text or token.text
            )
    return text, tuple(literals)


def literal_text(literal: str) -> str:
    """What a string literal's characters are."""
    raw = _RAW.match(literal)
    if raw is not None:
        return raw.group(2)
    start = literal.find('"')
    return _ESCAPE.sub(_unescape, literal[start + 1 :].removesuffix('"'))


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if code in ("\n", "\r\n"):
        return ""
    if code[0] == "x":
        return chr(int(code[1:], 16) & 0xFF)
    if code[0].isdigit() and code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ESCAPES.get(code, code)


def _arguments(source: SourceText, section: Span, template: str, *, is_output: bool) -> list[_Argument]:
    found: list[_Argument] = []
    at = section.first
    while at <= section.last:
        name = ""
        if source.code[at].text == "[":
            name = source.code[at + 1].text
            at = source.partner[at] + 1
        constraint = ""
        while at <= section.last and source.code[at].kind is TokenKind.STRING:
            constraint += literal_text(source.code[at].text)
            at += 1
        if at > section.last or not constraint or source.code[at].text != "(" or source.partner[at] == UNMATCHED:
            raise AsmSyntaxError("An operand of the statement could not be read.", template)
        found.append(_Argument(name, constraint, Span(at, source.partner[at]), is_output))
        at = source.partner[at] + 1
        if at <= section.last:
            if source.code[at].text != ",":
                raise AsmSyntaxError("An operand of the statement could not be read.", template)
            at += 1
    return found


def _number_names(template: str, arguments: list[_Argument]) -> str:
    """``%[name]`` as ``%number``."""
    numbers = {argument.name: number for number, argument in enumerate(arguments) if argument.name}
    return _NAMED.sub(lambda found: f"%{numbers[found[1]]}" if found[1] in numbers else found[0], template)


def _operands(arguments: list[_Argument], template: str) -> tuple[Operand, ...]:
    operands: list[Operand] = []
    for argument in arguments:
        tied = int(argument.constraint) if argument.constraint.isdigit() and not argument.is_output else None
        if tied is None:
            operands.append(_operand(argument, template))
        elif tied < len(operands) and operands[tied].is_output and not operands[tied].is_read:
            operands.append(Operand(size=operands[tied].size, tied=tied))
        else:
            raise AsmSyntaxError(f"There is no output {tied} to share a register with.", template)
    return tuple(operands)


def _operand(argument: _Argument, template: str) -> Operand:
    letters = argument.constraint.strip()
    if argument.is_output:
        if not letters or letters[0] not in "=+":
            raise AsmSyntaxError(f'"{letters}" is no output\'s constraint.', template)
        letter = letters[1:].removeprefix("&")
        if letter not in OPERAND_SIZES:
            raise AsmSyntaxError(f'The constraint "{letters}" has no counterpart.', template)
        return Operand(is_output=True, is_read=letters[0] == "+", size=OPERAND_SIZES[letter])
    if letters in ("n", "i"):
        return Operand()
    registers = [letter for letter in letters if letter in OPERAND_SIZES]
    if len(registers) != 1 or not set(letters) <= {*OPERAND_SIZES, "n", "i"}:
        raise AsmSyntaxError(f'The constraint "{letters}" has no counterpart.', template)
    return Operand(size=OPERAND_SIZES[registers[0]])
