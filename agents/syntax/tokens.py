"""The tokens of a source file. Their texts, joined, are the file."""

from __future__ import annotations

from enum import IntEnum


class TokenKind(IntEnum):
    SPACE = 0
    """Blanks and line continuations."""
    NEWLINE = 1
    COMMENT = 2
    IDENTIFIER = 3
    """Keywords too: the passes decide what a word means."""
    NUMBER = 4
    STRING = 5
    """With its prefix; raw strings are one token."""
    CHARACTER = 6
    HEADER_NAME = 7
    """The target of an ``#include``, with its quotes or angle brackets."""
    PUNCTUATION = 8
    """``>>`` is two tokens, so that template brackets can be matched."""
    TEXT = 9
    """The free text after ``#error`` and ``#warning``."""
    OTHER = 10
    """Anything that is no C++ token, e.g. a byte that is not UTF-8."""


INSIGNIFICANT = frozenset({TokenKind.SPACE, TokenKind.NEWLINE, TokenKind.COMMENT})

CODE = -1
"""The ``directive`` of a token that stands outside every preprocessor directive."""


class Token:
    """One token: its text, where it starts, and the directive that it belongs to."""

    __slots__ = ("directive", "kind", "offset", "text")

    def __init__(self, kind: TokenKind, text: str, offset: int, directive: int) -> None:
        self.kind = kind
        self.text = text
        self.offset = offset
        self.directive = directive

    @property
    def end(self) -> int:
        return self.offset + len(self.text)

    def __repr__(self) -> str:
        return f"Token({self.kind.name}, {self.text!r}, {self.offset})"
