"""Preprocessor conditionals: which branches a set of macro values takes.

Unknown macros make a condition unknown, and an unknown branch counts as taken: nothing that might be compiled
is ever skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from agents.syntax.source import SourceText, Span
from agents.syntax.tokens import Token, TokenKind

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlLzZ]*$")
_PRECEDENCE = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)


@dataclass(frozen=True)
class Branch:
    """The tokens that one ``#if``/``#elif``/``#else`` guards, and whether they are compiled (None: unknown)."""

    directive: int
    body: Span
    taken: bool | None
    mentions: frozenset[str]
    last: bool


class AssumedUndefined(dict[str, int | None]):
    """Macro values where whatever is not known counts as undefined, but for the names in ``open_names``."""

    def __init__(self, values: Mapping[str, int | None], open_names: Collection[str]) -> None:
        super().__init__(values)
        self._open = frozenset(open_names)

    def __contains__(self, name: object) -> bool:
        return name not in self._open

    def __missing__(self, name: str) -> int | None:
        return None


def find_branches(source: SourceText, macros: Mapping[str, int | None]) -> list[Branch]:
    """Every conditional branch of ``source`` under ``macros`` (None: known to be undefined)."""
    found: list[Branch] = []
    stack: list[_Group] = []
    for number, directive in enumerate(source.directives):
        name = directive.name
        tokens = source.code[directive.first + 2 : directive.last + 1]
        if name in ("if", "ifdef", "ifndef"):
            stack.append(_Group(number, directive.last + 1, _value(name, tokens, macros), _words(tokens)))
        elif name in ("elif", "elifdef", "elifndef", "else") and stack:
            group = stack[-1]
            found.append(group.branch(directive.first - 1, last=False))
            value = True if name == "else" else _value(name.removeprefix("el"), tokens, macros)
            group.advance(number, directive.last + 1, value, _words(tokens))
        elif name == "endif" and stack:
            found.append(stack.pop().branch(directive.first - 1, last=True))
    return found


class _Group:
    def __init__(self, directive: int, start: int, value: bool | None, words: frozenset[str]) -> None:
        self.directive, self.start, self.words = directive, start, words
        self.value = value
        self.earlier: bool | None = False

    def branch(self, end: int, *, last: bool) -> Branch:
        return Branch(self.directive, Span(self.start, end), _and_not(self.value, self.earlier), self.words, last)

    def advance(self, directive: int, start: int, value: bool | None, words: frozenset[str]) -> None:
        if self.value is True or self.earlier is True:
            self.earlier = True
        elif self.value is None or self.earlier is None:
            self.earlier = None
        self.directive, self.start, self.value = directive, start, value
        self.words = self.words | words


def _and_not(value: bool | None, earlier: bool | None) -> bool | None:
    if value is False or earlier is True:
        return False
    return None if value is None or earlier is None else True


def _words(tokens: list[Token]) -> frozenset[str]:
    return frozenset(t.text for t in tokens if t.kind is TokenKind.IDENTIFIER)


def _value(name: str, tokens: list[Token], macros: Mapping[str, int | None]) -> bool | None:
    if name in ("ifdef", "ifndef"):
        if not tokens or tokens[0].text not in macros:
            return None
        return (macros[tokens[0].text] is not None) is (name == "ifdef")
    result = _Expression(tokens, macros).value()
    return None if result is None else bool(result)


class _Expression:
    """Evaluates a ``#if`` expression; None stands for a value that is not known."""

    def __init__(self, tokens: list[Token], macros: Mapping[str, int | None]) -> None:
        self._words = _join_shifts([t.text for t in tokens])
        self._macros = macros
        self._at = 0

    def value(self) -> int | None:
        result = self._conditional()
        return result if self._at >= len(self._words) else None

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _take(self) -> str:
        word = self._peek()
        self._at += 1
        return word

    def _conditional(self) -> int | None:
        condition = self._binary(0)
        if self._peek() != "?":
            return condition
        self._take()
        yes = self._conditional()
        self._take()
        no = self._conditional()
        return None if condition is None else yes if condition else no

    def _binary(self, level: int) -> int | None:
        if level == len(_PRECEDENCE):
            return self._unary()
        left = self._binary(level + 1)
        while self._peek() in _PRECEDENCE[level] and self._peek():
            operator = self._take()
            left = _combine(operator, left, self._binary(level + 1))
        return left

    def _unary(self) -> int | None:
        word = self._take()
        if word in ("!", "-", "+", "~"):
            operand = self._unary()
            if operand is None:
                return None
            return {"!": int(not operand), "-": -operand, "+": operand, "~": ~operand}[word]
        if word == "(":
            inner = self._conditional()
            self._take()
            return inner
        if word == "defined":
            parenthesised = self._peek() == "("
            if parenthesised:
                self._take()
            name = self._take()
            if parenthesised:
                self._take()
            return int(self._macros[name] is not None) if name in self._macros else None
        return self._atom(word)

    def _atom(self, word: str) -> int | None:
        number = _INTEGER.match(word.replace("'", ""))
        if number is not None:
            digits = number.group(1)
            return int(digits, 8) if re.fullmatch(r"0[0-7]+", digits) else int(digits, 0)
        if word in ("true", "false"):
            return int(word == "true")
        if self._peek() == "(":  # a macro call or __has_include(...)
            self._skip_parentheses()
            return None
        return (self._macros[word] or 0) if word in self._macros else None

    def _skip_parentheses(self) -> None:
        depth = 0
        while self._at < len(self._words):
            word = self._take()
            depth += (word == "(") - (word == ")")
            if depth == 0:
                return


def _join_shifts(words: list[str]) -> list[str]:
    joined: list[str] = []
    for word in words:
        if word == ">" and joined and joined[-1] == ">":
            joined[-1] = ">>"
        elif word == "=" and joined and joined[-1] == ">":
            joined[-1] = ">="
        else:
            joined.append(word)
    return joined


def _combine(operator: str, left: int | None, right: int | None) -> int | None:
    if operator == "&&":
        if left == 0 or right == 0:
            return 0
    elif operator == "||" and (left or right):
        return 1
    if left is None or right is None:
        return None
    return _ARITHMETIC[operator](left, right)


def _divide(left: int, right: int) -> int | None:
    return int(left / right) if right else None


def _remainder(left: int, right: int) -> int | None:
    return left - right * int(left / right) if right else None


def _shift(left: int, right: int) -> int | None:
    return left << right if 0 <= right < 64 else None


def _shift_right(left: int, right: int) -> int | None:
    return left >> right if 0 <= right < 64 else None


_ARITHMETIC: dict[str, Callable[[int, int], int | None]] = {
    "||": lambda a, b: int(bool(a or b)),
    "&&": lambda a, b: int(bool(a and b)),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "<<": _shift,
    ">>": _shift_right,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": _remainder,
}
