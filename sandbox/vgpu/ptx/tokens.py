"""Cuts PTX text into tokens."""

from __future__ import annotations

import re
from bisect import bisect_left

from .errors import PtxSyntaxError

_TOKEN = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>\.[A-Za-z_][\w:]*)
  | (?P<word>[%$_A-Za-z][\w$]*(?:\.[A-Za-z_0-9][\w:]*)*)
  | (?P<number>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b|\d+\.\d*(?:[eE][-+]?\d+)?|0[xX][0-9a-fA-F]+U?
      |0[bB][01]+U?|\d+U?)
  | (?P<string>"[^"\n]*")
  | (?P<mark>[][{}(),;:|!@+\-=<>*])
    """,
    re.VERBOSE | re.DOTALL,
)

Token = tuple[str, str, int]
"""Kind (word, directive, number, string, mark), text, offset in the source."""


class TokenStream:
    """Tokens with a position. The end is the token ``("end", "", size)``."""

    def __init__(self, source: str) -> None:
        self._newlines = [match.start() for match in re.finditer("\n", source)]
        self._tokens = _tokenize(source, self)
        self._position = 0

    def line_of(self, offset: int) -> int:
        return bisect_left(self._newlines, offset) + 1

    @property
    def line(self) -> int:
        """Line of the next token."""
        return self.line_of(self._tokens[self._position][2])

    @property
    def kind(self) -> str:
        return self._tokens[self._position][0]

    @property
    def text(self) -> str:
        return self._tokens[self._position][1]

    def peek(self, ahead: int = 1) -> str:
        """Text of a later token, "" past the end."""
        index = self._position + ahead
        return self._tokens[index][1] if index < len(self._tokens) else ""

    def next(self) -> str:
        text = self._tokens[self._position][1]
        if self._position < len(self._tokens) - 1:
            self._position += 1
        return text

    def accept(self, text: str) -> bool:
        if self._tokens[self._position][1] != text or self.kind == "end":
            return False
        self._position += 1
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected '{text}'")

    def expect_kind(self, kind: str) -> str:
        if self.kind != kind:
            raise self.error(f"expected a {kind}")
        return self.next()

    def rest_of_line(self) -> list[str]:
        """Take the tokens that stand on the line of the next one."""
        line = self.line
        texts = []
        while self.kind != "end" and self.line == line:
            texts.append(self.next())
        return texts

    def error(self, message: str) -> PtxSyntaxError:
        found = f"'{self.text[:40]}'" if self.kind != "end" else "the end"
        return PtxSyntaxError(f"{message}, found {found}", self.line)


def _tokenize(source: str, stream: TokenStream) -> list[Token]:
    tokens: list[Token] = []
    position = 0
    match_at = _TOKEN.match
    while position < len(source):
        match = match_at(source, position)
        if match is None:
            raise PtxSyntaxError(f"unexpected {source[position]!r}", stream.line_of(position))
        kind = match.lastgroup or ""
        if kind != "skip":
            tokens.append((kind, match.group(), position))
        position = match.end()
    tokens.append(("end", "", len(source)))
    return tokens
