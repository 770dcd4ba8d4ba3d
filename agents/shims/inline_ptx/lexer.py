"""The tokens of an ``asm`` template."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.shims.inline_ptx.errors import PtxError

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<operand>%\d+)
    | (?P<register>%%?[A-Za-z_][\w$]*)
    | (?P<float>0[fF][0-9a-fA-F]{8}(?!\w)|0[dD][0-9a-fA-F]{16}(?!\w)
        |(?:\d+\.\d+|\d+\.(?![A-Za-z]))(?:[eE][+-]?\d+)?(?!\w))
    | (?P<integer>(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?(?!\w))
    | (?P<word>[A-Za-z_$][\w$]*|\d+[A-Za-z]\w*)
    | (?P<mark>::|<<|>>|[][{}()<>.,;:|!@+\-*/&^~=])
    """,
    re.VERBOSE | re.DOTALL,
)
_SHOWN = 40
"""Longest excerpt in a message, in characters."""


@dataclass(frozen=True)
class PtxToken:
    kind: str
    text: str
    offset: int

    @property
    def end(self) -> int:
        return self.offset + len(self.text)


def lex_ptx(text: str) -> list[PtxToken]:
    """Split a template; blanks and comments are left out. PtxError for what is no PTX."""
    tokens: list[PtxToken] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            rest = text[position : position + _SHOWN].split("\n")[0]
            raise PtxError(f"This is no PTX: {rest!r}.", instruction=rest, offset=position)
        if found.lastgroup != "blank":
            tokens.append(PtxToken(found.lastgroup or "", found.group(), position))
        position = found.end()
    return tokens
