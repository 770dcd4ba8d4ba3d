"""Parses an ``asm`` template."""

from __future__ import annotations

import re
import struct

from agents.shims.inline_ptx.errors import PtxError
from agents.shims.inline_ptx.lexer import PtxToken, lex_ptx
from agents.shims.inline_ptx.syntax import (
    Address,
    AsmOperand,
    Block,
    Immediate,
    Instruction,
    Label,
    LabelName,
    Not,
    Operand,
    Pair,
    Register,
    Selected,
    Sink,
    SpecialRegister,
    Vector,
)

REGISTER_SIZES = {
    "pred": 0, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4,
    "bf16x2": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16,
}  # fmt: skip
_SELECTOR = re.compile(r"(b[0-7]{1,4}|h[0-3]{1,2})\Z")
_DIMENSIONS = frozenset({"x", "y", "z", "w"})
_IGNORED_DIRECTIVES = frozenset({"pragma", "loc"})
_WARP_SIZE = 32
_MOST_REGISTERS = 1024
"""Registers that one ``.reg`` with ``<n>`` may declare here."""
_DEEPEST = 32
"""Nesting of scopes, vectors and brackets that is followed."""


def parse_template(text: str, operands: int) -> Block:
    """Parse a template for a statement with this many operands. PtxError for what cannot be read."""
    return _Parser(text.replace("%=", "uid"), operands).run()


class _Parser:
    def __init__(self, text: str, operands: int) -> None:
        self._text = text
        self._operands = operands
        self._tokens = lex_ptx(text)
        self._at = 0
        self._scopes: list[dict[str, Register]] = [{}]
        self._labels: list[dict[str, str]] = [self._labels_of_scope(0)]
        self._registers: list[Register] = []
        self._names: set[str] = set()
        self._statements: list[Instruction | Label] = []

    def run(self) -> Block:
        while self._at < len(self._tokens):
            self._statement()
        if len(self._scopes) > 1:
            raise self._error("a scope is not closed", self._tokens[-1])
        return Block(tuple(self._statements), tuple(self._registers))

    # -- statements

    def _statement(self) -> None:
        token = self._tokens[self._at]
        if token.text == ";":
            self._at += 1
        elif token.text == "{":
            self._at += 1
            if len(self._scopes) > _DEEPEST:
                raise self._error("scopes are nested too deeply", token)
            self._scopes.append({})
            self._labels.append(self._labels_of_scope(self._at))
        elif token.text == "}":
            if len(self._scopes) == 1:
                raise self._error("a scope is closed that was not opened", token)
            self._at += 1
            self._scopes.pop()
            self._labels.pop()
        elif token.text == ".":
            self._directive()
        elif token.kind == "word" and self._peek(1) == ":":
            self._at += 2
            self._statements.append(Label(self._labels[-1][token.text], token.offset))
        else:
            self._instruction()

    def _labels_of_scope(self, start: int) -> dict[str, str]:
        """The labels of the scope that begins at token ``start``, by name; inner scopes have their own."""
        labels: dict[str, str] = {}
        depth = 0
        for at in range(start, len(self._tokens) - 1):
            token = self._tokens[at]
            if token.text in "{}":
                depth += 1 if token.text == "{" else -1
                if depth < 0:
                    break
            elif depth == 0 and token.kind == "word" and self._tokens[at + 1].text == ":":
                before = self._tokens[at - 1].text if at > start else ";"
                if before in (";", "{", "}", ":"):
                    if token.text in labels:
                        raise self._error("the label stands there twice", token)
                    labels[token.text] = f"w2w_{_identifier(token.text)}_{start}"
        return labels

    def _directive(self) -> None:
        start = self._next()
        name = self._next()
        if name.text in _IGNORED_DIRECTIVES:
            while self._at < len(self._tokens) and self._next().text != ";":
                pass
            return
        if name.text != "reg":
            raise self._error(f"the directive .{name.text} has no counterpart", start)
        self._expect(".")
        kind = self._next()
        if kind.text not in REGISTER_SIZES:
            raise self._error(f"registers of type .{kind.text} have no counterpart", start)
        while True:
            self._declare(self._next(), REGISTER_SIZES[kind.text])
            if self._peek() != ",":
                break
            self._at += 1
        self._expect(";")

    def _declare(self, token: PtxToken, size: int) -> None:
        if token.kind not in ("word", "register"):
            raise self._error("a register's name was expected", token)
        name = token.text.replace("%%", "%")
        if self._peek() != "<":
            self._add_register(name, size, token)
            return
        self._at += 1
        count = self._next()
        self._expect(">")
        if count.kind != "integer" or _integer(count.text) > _MOST_REGISTERS:
            raise self._error("a number of registers was expected", count)
        for number in range(_integer(count.text)):
            self._add_register(f"{name}{number}", size, token)

    def _add_register(self, name: str, size: int, token: PtxToken) -> None:
        if name in self._scopes[-1]:
            raise self._error(f"{name} is declared twice", token)
        unique = stem = f"w2w_{_identifier(name)}"
        number = 1
        while unique in self._names:
            number += 1
            unique = f"{stem}_{number}"
        self._names.add(unique)
        register = Register(unique, size)
        self._scopes[-1][name] = register
        self._registers.append(register)

    def _instruction(self) -> None:
        start = self._tokens[self._at]
        guard: Register | None = None
        negated = False
        if start.text == "@":
            self._at += 1
            if self._peek() == "!":
                negated = True
                self._at += 1
            found = self._operand(0)
            if not isinstance(found, Register) or found.size:
                raise self._error("a guard must be a predicate that this block declares", start)
            guard = found
        parts = self._opcode()
        operands: list[Operand] = []
        while self._peek() not in (";", None):
            operands.append(self._operand(0))
            if self._peek() == ",":
                self._at += 1
                if self._peek() in (";", None):
                    raise self._error("an operand is missing", start)
            elif self._peek() not in (";", None):
                raise self._error("an operand could not be read", start)
        end = self._tokens[self._at - 1].end
        self._expect(";")
        text = " ".join(self._text[start.offset : end].split())
        self._statements.append(Instruction(parts, tuple(operands), text, start.offset, guard, negated))

    def _opcode(self) -> tuple[str, ...]:
        token = self._next()
        if token.kind != "word":
            raise self._error("an instruction was expected", token)
        parts = [token.text]
        while self._peek() == "." and self._adjacent():
            self._at += 1
            if self._at < len(self._tokens) and not self._adjacent():
                raise self._error("a modifier was expected", self._tokens[self._at])
            part = self._part()
            while self._peek() == "::":
                self._at += 1
                part += "::" + self._part()
            parts.append(part)
        return tuple(parts)

    def _part(self) -> str:
        token = self._next()
        if token.kind != "word":
            raise self._error("a modifier was expected", token)
        return token.text

    # -- operands

    def _operand(self, depth: int) -> Operand:
        if depth > _DEEPEST:
            raise self._error("operands are nested too deeply", self._tokens[min(self._at, len(self._tokens) - 1)])
        operand = self._simple(depth)
        if self._peek() == "." and isinstance(operand, (Register, AsmOperand)):
            self._at += 1
            selector = self._next()
            if not _SELECTOR.match(selector.text):
                raise self._error(f"there is no part .{selector.text}", selector)
            operand = Selected(operand, selector.text)
        if self._peek() == "|":
            self._at += 1
            return Pair(operand, self._simple(depth))
        return operand

    def _simple(self, depth: int) -> Operand:
        token = self._next()
        if token.text == "{":
            return Vector(tuple(self._list(depth)))
        if token.text == "[":
            return self._address(depth)
        if token.text == "!":
            return Not(self._simple(depth + 1))
        if token.text == "-" and self._peek_kind() in ("word", "register", "operand"):
            return self._negative(depth)
        if token.kind == "operand":
            number = int(token.text[1:])
            if number >= self._operands:
                raise self._error(f"the statement has no operand {number}", token)
            return AsmOperand(number)
        if token.kind in ("word", "register"):
            return self._name(token)
        self._at -= 1
        return self._constant(depth)

    def _negative(self, depth: int) -> Operand:
        operand = self._operand(depth + 1)
        if isinstance(operand, Selected):
            return Selected(operand.operand, operand.selector, minus=True)
        return Selected(operand, "", minus=True)

    def _list(self, depth: int) -> list[Operand]:
        elements = [self._operand(depth + 1)]
        while self._peek() == ",":
            self._at += 1
            elements.append(self._operand(depth + 1))
        self._expect("}")
        return elements

    def _address(self, depth: int) -> Address:
        base = self._operand(depth + 1)
        offset, operand = 0, None
        if self._peek() in ("+", "-"):
            sign = 1 if self._next().text == "+" else -1
            if self._peek_kind() == "operand" and sign > 0:
                found = self._simple(depth + 1)
                operand = found if isinstance(found, AsmOperand) else None
            else:
                constant = self._constant(depth + 1)
                if constant.float_size:
                    raise self._error("an offset must be an integer", self._tokens[self._at - 1])
                offset = sign * constant.value
        self._expect("]")
        return Address(base, offset, operand)

    def _name(self, token: PtxToken) -> Operand:
        name = token.text.replace("%%", "%")
        if name == "_":
            return Sink()
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        if token.kind == "register":
            name = name[1:]
            if self._peek() == "." and self._peek(1) in _DIMENSIONS:
                name += f".{self._tokens[self._at + 1].text}"
                self._at += 2
            return SpecialRegister(name)
        if name == "WARP_SZ":
            return Immediate(_WARP_SIZE)
        for labels in reversed(self._labels):
            if name in labels:
                return LabelName(labels[name])
        raise self._error(f"{name} is not declared in this block", token)

    # -- constants

    def _constant(self, depth: int) -> Immediate:
        """A literal, or an expression of integer literals: ``+ - * << >> & | ^ ~`` and brackets."""
        value = self._term(depth)
        while self._peek() in ("+", "-", "*", "<<", ">>", "&", "^"):
            operator = self._next()
            value = self._fold(operator, value, self._term(depth))
        return value

    def _term(self, depth: int) -> Immediate:
        token = self._next()
        if depth > _DEEPEST:
            raise self._error("operands are nested too deeply", token)
        if token.kind == "integer":
            return Immediate(_integer(token.text))
        if token.kind == "float":
            return _float(token.text)
        if token.text == "(":
            value = self._constant(depth + 1)
            self._expect(")")
            return value
        if token.text in ("-", "+", "~"):
            value = self._term(depth + 1)
            if value.float_size:
                if token.text == "~":
                    raise self._error("a float has no complement", token)
                return _negate_float(value) if token.text == "-" else value
            return Immediate({"-": -value.value, "+": value.value, "~": ~value.value}[token.text])
        raise self._error("an operand could not be read", token)

    def _fold(self, operator: PtxToken, left: Immediate, right: Immediate) -> Immediate:
        if left.float_size or right.float_size:
            raise self._error("constants are folded for integers only", operator)
        # Precedence is C's; a chain of unlike operators is refused rather than grouped wrongly.
        following = self._peek()
        if following in ("+", "-", "*", "<<", ">>", "&", "^") and following != operator.text:
            raise self._error("a constant expression of several operators needs brackets", operator)
        if operator.text in ("<<", ">>") and not 0 <= right.value < 64:
            raise self._error("a shift is out of range", operator)
        a, b = left.value, right.value
        results = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "^": a ^ b}
        if operator.text in results:
            return Immediate(results[operator.text])
        return Immediate(a << b if operator.text == "<<" else a >> b)

    # -- tokens

    def _peek(self, ahead: int = 0) -> str | None:
        at = self._at + ahead
        return self._tokens[at].text if at < len(self._tokens) else None

    def _peek_kind(self) -> str | None:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else None

    def _adjacent(self) -> bool:
        """Whether the next token stands right behind the one before."""
        return self._tokens[self._at - 1].end == self._tokens[self._at].offset

    def _next(self) -> PtxToken:
        if self._at >= len(self._tokens):
            last = self._tokens[-1]
            raise self._error("the template ends too early", last)
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, text: str) -> None:
        token = self._next()
        if token.text != text:
            raise self._error(f"{text!r} was expected, not {token.text!r}", token)

    def _error(self, message: str, token: PtxToken) -> PtxError:
        start = self._text.rfind(";", 0, token.offset) + 1
        end = self._text.find(";", token.offset)
        excerpt = " ".join(self._text[start : end if end >= 0 else len(self._text)].split())[:120]
        return PtxError(f"In `{excerpt}`: {message}.", instruction=excerpt, offset=token.offset)


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name.replace("%", "").replace("$", "_"))


def _integer(text: str) -> int:
    text = text.removesuffix("U")
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    if text[:2] in ("0b", "0B"):
        return int(text, 2)
    if text.startswith("0") and text.isdigit() and not set(text) & {"8", "9"}:
        return int(text, 8)
    return int(text, 10)


def _float(text: str) -> Immediate:
    if text[:2] in ("0f", "0F"):
        return Immediate(int(text[2:], 16), float_size=4)
    if text[:2] in ("0d", "0D"):
        return Immediate(int(text[2:], 16), float_size=8)
    return Immediate(int.from_bytes(struct.pack("<d", float(text)), "little"), float_size=8, decimal=True)


def _negate_float(value: Immediate) -> Immediate:
    return Immediate(value.value ^ (1 << (8 * value.float_size - 1)), value.float_size, value.decimal)
