"""The ``#include`` lines of a file."""

from __future__ import annotations

from dataclasses import dataclass

from agents.syntax.source import Directive, SourceText
from agents.syntax.tokens import Token, TokenKind

_DEPTH = {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}


@dataclass(frozen=True)
class Include:
    """One ``#include`` line: what it names, and in how many conditionals it stands."""

    directive: Directive
    token: Token
    name: str
    depth: int

    @property
    def quoted(self) -> bool:
        return self.token.text.startswith('"')


def find_includes(source: SourceText) -> list[Include]:
    found: list[Include] = []
    depth = 0
    for directive in source.directives:
        depth += _DEPTH.get(directive.name, 0)
        if directive.name != "include" or directive.last < directive.first + 2:
            continue
        token = source.code[directive.first + 2]
        if token.kind is TokenKind.HEADER_NAME and token.text[-1] in '>"' and len(token.text) > 2:
            found.append(Include(directive, token, token.text[1:-1], depth))
    return found
