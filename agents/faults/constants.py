"""Values of integer constant expressions, as far as one file shows them."""

from __future__ import annotations

import ast
import re

from agents.syntax.source import SourceText, Span
from agents.syntax.tokens import TokenKind

_DEPTH = 16
"""How many constants deep one may be defined by another."""
_SIZES = {
    "char": 1, "bool": 1, "short": 2, "int": 4, "unsigned": 4, "float": 4, "double": 8, "long": 8, "size_t": 8,
    "half": 2, "__half": 2, "int2": 8, "float2": 8, "int4": 16, "float4": 16, "double2": 16, "__half2": 4,
}  # fmt: skip
_SUFFIX = re.compile(r"[uUlLzZ]+$")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)


def evaluate(source: SourceText, span: Span) -> int | None:
    """The value of the expression in ``span``; None where it is not a constant that can be seen."""
    return _value(source, span, _DEPTH)


def _value(source: SourceText, span: Span, depth: int) -> int | None:
    if depth == 0 or span.empty:
        return None
    words: list[str] = []
    index = span.first
    while index <= span.last:
        token = source.code[index]
        if token.text == "sizeof":
            closing = source.partner[index + 1] if index + 1 <= span.last else -1
            size = _SIZES.get(source.code[closing - 1].text) if closing > 0 else None
            if size is None:
                return None
            words.append(str(size))
            index = closing + 1
            continue
        if token.kind is TokenKind.NUMBER:
            words.append(_SUFFIX.sub("", token.text).replace("'", ""))
        elif token.kind is TokenKind.IDENTIFIER:
            value = _constant(source, token.text, depth)
            if value is None:
                return None
            words.append(f"({value})")
        else:
            words.append(token.text)
        index += 1
    return _compute(" ".join(words).replace("> >", ">>"))


def _constant(source: SourceText, name: str, depth: int) -> int | None:
    """The value of ``const int name = ...;`` or ``#define name ...``; None where there are two of them."""
    found: list[Span] = []
    for index, token in enumerate(source.code):
        if token.text != name or token.kind is not TokenKind.IDENTIFIER:
            continue
        before = source.text_before(index)
        if before == "define":
            last = index
            while last + 1 < len(source.code) and source.code[last + 1].directive == token.directive:
                last += 1
            found.append(Span(index + 1, last))
        elif source.text_after(index) == "=" and _is_constant(source, index):
            found.append(Span(index + 2, _end(source, index + 2)))
    return _value(source, found[0], depth - 1) if len(found) == 1 else None


def _is_constant(source: SourceText, index: int) -> bool:
    """Whether ``const`` or ``constexpr`` stands at the start of the declaration."""
    for back in range(index - 1, max(-1, index - 40), -1):
        text = source.code[back].text
        if text in ("const", "constexpr"):
            return True
        if text in (";", "{", "}"):
            return False
    return False


def _end(source: SourceText, index: int) -> int:
    depth = 0
    while index < len(source.code):
        text = source.code[index].text
        if depth == 0 and text in (",", ";"):
            break
        depth += (text in "([{") - (text in ")]}")
        index += 1
    return index - 1


def _compute(expression: str) -> int | None:
    try:
        tree = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return _fold(tree)


def _fold(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _fold(node.operand)
        return None if operand is None else -operand
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, _OPERATORS):
        return None
    left, right = _fold(node.left), _fold(node.right)
    if left is None or right is None:
        return None
    return _apply(node.op, left, right)


def _apply(operator: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operator, (ast.Div, ast.FloorDiv, ast.Mod)):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return left - right * quotient if isinstance(operator, ast.Mod) else quotient
    if isinstance(operator, (ast.LShift, ast.RShift)):
        if not 0 <= right < 64:
            return None
        return left << right if isinstance(operator, ast.LShift) else left >> right
    if isinstance(operator, ast.Add):
        return left + right
    return left - right if isinstance(operator, ast.Sub) else left * right
