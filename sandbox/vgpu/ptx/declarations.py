"""Parses variable and parameter declarations."""

from __future__ import annotations

from .numbers import parse_integer, parse_number
from .syntax import Initial, Symbol, Variable
from .tokens import TokenStream
from .types import BYTES

MAX_VARIABLE_BYTES = 1 << 40
SPACES = frozenset({".global", ".const", ".shared", ".local", ".param", ".reg"})
LINKAGES = frozenset({".extern", ".visible", ".weak", ".common"})
OPAQUE_TYPES = frozenset({".texref", ".samplerref", ".surfref"})


def parse_variable(tokens: TokenStream, space: str, linkage: str = "") -> list[Variable]:
    """Declarators after ``.global`` and its like, up to the ``;``, ``,`` or ``)`` that follows the last one.

    Parameters (space param or reg) stop at the first declarator.
    """
    line = tokens.line
    managed, align, lanes, kind = _parse_attributes(tokens)
    variables = []
    while True:
        name = tokens.expect_kind("word")
        count, explicit = _parse_dimensions(tokens)
        initial = _parse_initial(tokens) if tokens.accept("=") else ()
        element = BYTES[kind] * lanes
        if count == 0 and initial:
            count = len(initial) * BYTES[kind] // element
        size = element * (count if explicit else 1)
        if size > MAX_VARIABLE_BYTES:
            raise tokens.error(f"variable {name} is too large")
        variables.append(
            Variable(name, space, kind, align or element, size, line, linkage, managed, initial, BYTES[kind])
        )
        if space in ("param", "reg") or not tokens.accept(","):
            return variables


def _parse_attributes(tokens: TokenStream) -> tuple[bool, int, int, str]:
    managed, align, lanes = False, 0, 1
    while True:
        word = tokens.expect_kind("directive")
        if word == ".align":
            align = parse_integer(tokens.expect_kind("number"))
            if align <= 0 or align & (align - 1) or align > 1 << 16:
                raise tokens.error("the alignment is not a power of two")
        elif word == ".attribute":
            managed = _parse_attribute_list(tokens) or managed
        elif word in (".v2", ".v4", ".v8"):
            lanes = int(word[2:])
        elif word == ".ptr":
            _skip_pointer_attributes(tokens)
        elif word[1:] in BYTES:
            if tokens.text == ".ptr":
                tokens.next()
                _skip_pointer_attributes(tokens)
            return managed, align, lanes, word[1:]
        else:
            raise tokens.error(f"unknown type or attribute '{word}'")


def _parse_attribute_list(tokens: TokenStream) -> bool:
    managed = False
    tokens.expect("(")
    while not tokens.accept(")"):
        if tokens.kind == "end":
            raise tokens.error("expected ')'")
        managed = tokens.next() == ".managed" or managed
    return managed


def _skip_pointer_attributes(tokens: TokenStream) -> None:
    while tokens.kind == "directive":
        if tokens.next() == ".align":
            tokens.expect_kind("number")


def _parse_dimensions(tokens: TokenStream) -> tuple[int, bool]:
    """Number of elements, and whether there were brackets."""
    count, explicit = 1, False
    while tokens.accept("["):
        explicit = True
        if tokens.accept("]"):
            count = 0
            continue
        count *= parse_integer(tokens.expect_kind("number"))
        tokens.expect("]")
    return count, explicit


def _parse_initial(tokens: TokenStream) -> tuple[Initial, ...]:
    values: list[Initial] = []
    depth = 0
    while True:
        if tokens.accept("{"):
            depth += 1
        elif tokens.accept("}"):
            depth -= 1
        elif not (depth and tokens.accept(",")):
            values.append(_parse_initial_value(tokens))
        if depth <= 0:
            return tuple(values)


def _parse_initial_value(tokens: TokenStream) -> Initial:
    if tokens.text in ("-",) or tokens.kind == "number":
        negative = tokens.accept("-")
        text = tokens.expect_kind("number")
        if tokens.text == "(":  # 0xff00(symbol): one byte of an address
            mask = parse_integer(text)
            symbol = _parse_parenthesised_symbol(tokens)
            return Initial(symbol=symbol.name, offset=symbol.offset, byte=(mask.bit_length() - 1) // 8)
        return Initial(parse_number(text, negative=negative).bits)
    if tokens.text == "generic" and tokens.peek() == "(":
        tokens.next()
        symbol = _parse_parenthesised_symbol(tokens)
        symbol = Symbol(symbol.name, symbol.offset + _parse_addend(tokens))
    else:
        symbol = Symbol(tokens.expect_kind("word"), _parse_addend(tokens))
    return Initial(symbol=symbol.name, offset=symbol.offset)


def _parse_parenthesised_symbol(tokens: TokenStream) -> Symbol:
    tokens.expect("(")
    if tokens.text == "generic":
        tokens.next()
        inner = _parse_parenthesised_symbol(tokens)
        symbol = Symbol(inner.name, inner.offset + _parse_addend(tokens))
    else:
        name = tokens.expect_kind("word")
        symbol = Symbol(name, _parse_addend(tokens))
    tokens.expect(")")
    return symbol


def _parse_addend(tokens: TokenStream) -> int:
    if tokens.accept("+"):
        return parse_integer(tokens.expect_kind("number"))
    if tokens.accept("-"):
        return -parse_integer(tokens.expect_kind("number"))
    return 0
