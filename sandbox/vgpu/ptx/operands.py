"""Parses instruction operands."""

from __future__ import annotations

import re

from .numbers import parse_integer, parse_number
from .scopes import ScopeStack
from .syntax import (
    Address,
    Arguments,
    Immediate,
    Negated,
    Operand,
    Pair,
    Register,
    Selected,
    Sink,
    SpecialRegister,
    Symbol,
    Vector,
)
from .tokens import TokenStream

_SELECTOR = re.compile(r"(?:b[0-7]{1,4}|h[0-3]{1,2})\Z")
_WARP_SIZE = 32


class OperandParser:
    """Reads operands from a token stream; names are looked up in ``scopes``."""

    def __init__(self, tokens: TokenStream, scopes: ScopeStack) -> None:
        self._tokens = tokens
        self._scopes = scopes

    def parse_list(self) -> list[Operand]:
        """Operands up to the ``;``, which is left standing."""
        operands: list[Operand] = []
        while self._tokens.text != ";":
            operands.append(self._parse_operand())
            # The comma before the coordinates of a call's parts may be missing, as in "call (r), f, (a)".
            if not self._tokens.accept(",") and self._tokens.text != ";":
                raise self._tokens.error("expected ',' or ';'")
        return operands

    def _parse_operand(self) -> Operand:
        first = self._parse_single()
        if self._tokens.accept("|"):
            return Pair(first, self._parse_single())
        return first

    def _parse_single(self) -> Operand:
        tokens = self._tokens
        if tokens.accept("{"):
            return Vector(tuple(self._parse_elements("}")))
        if tokens.accept("("):
            return Arguments(tuple(self._parse_elements(")")))
        if tokens.accept("["):
            return self._parse_address()
        if tokens.accept("!"):
            register = self._parse_simple()
            if not isinstance(register, Register):
                raise tokens.error("expected a predicate after '!'")
            return Negated(register)
        return self._parse_simple()

    def _parse_elements(self, close: str) -> list[Operand]:
        elements: list[Operand] = []
        while not self._tokens.accept(close):
            elements.append(self._parse_simple())
            if not self._tokens.accept(",") and self._tokens.text != close:
                raise self._tokens.error(f"expected ',' or '{close}'")
        return elements

    def _parse_simple(self) -> Operand:
        tokens = self._tokens
        negative = tokens.accept("-")
        if tokens.kind == "number":
            return parse_number(tokens.next(), negative=negative)
        if tokens.kind != "word":
            raise tokens.error("expected an operand")
        operand = self._resolve(tokens.next())
        if negative:
            return self._negate(operand)
        if isinstance(operand, Symbol) and tokens.text in ("+", "-"):
            return Symbol(operand.name, self._parse_offset())
        return operand

    def _negate(self, operand: Operand) -> Operand:
        if isinstance(operand, Register):  # "-c" of vmad
            return Selected(operand, "", minus=True)
        if isinstance(operand, Selected):
            return Selected(operand.operand, operand.selector, minus=True)
        raise self._tokens.error("this operand cannot be negated")

    def _parse_address(self) -> Address:
        base = self._parse_base()
        offset = self._parse_offset()
        # Texture instructions add coordinates here; they are reported as unsupported where they stand.
        while self._tokens.text not in ("]", ";") and self._tokens.kind != "end":
            self._tokens.next()
        self._tokens.expect("]")
        return Address(base, offset)

    def _parse_base(self) -> Register | Symbol | Immediate:
        tokens = self._tokens
        if tokens.kind == "number":
            return parse_number(tokens.next())
        operand = self._resolve(tokens.expect_kind("word"))
        if isinstance(operand, (Register, Symbol)):
            return operand
        raise tokens.error("expected a register or a symbol in an address")

    def _parse_offset(self) -> int:
        total = 0
        while self._tokens.text in ("+", "-"):
            sign = -1 if self._tokens.next() == "-" else 1
            if self._tokens.accept("-"):
                sign = -sign
            total += sign * parse_integer(self._tokens.expect_kind("number"))
        return total

    def _resolve(self, name: str) -> Operand:
        if name == "_":
            return Sink()
        register = self._scopes.find_register(name)
        if register is not None:
            return register
        if name == "WARP_SZ":
            return Immediate("int", _WARP_SIZE)
        stem, dot, suffix = name.rpartition(".")
        if dot and _SELECTOR.match(suffix):
            register = self._scopes.find_register(stem)
            if register is not None:
                return Selected(register, suffix)
        if name.startswith("%"):
            return SpecialRegister(name[1:])
        return Symbol(self._scopes.find_name(name))
