"""The ``#include`` lines of a file."""

from __future__ import annotations

from dataclasses import dataclass

from agents.syntax.source import Directive, SourceText
from agents.syntax.tokens import Token, TokenKind

_OPENING = frozenset({"if", "ifdef", "ifndef"})
_SWITCHING = frozenset({"else", "elif", "elifdef", "elifndef"})


@dataclass(frozen=True)
class Include:
    """One ``#include`` line: what it names, and the branches in which it stands, by number of directive."""

    directive: Directive
    token: Token
    name: str
    branches: tuple[int, ...]

    @property
    def depth(self) -> int:
        return len(self.branches)

    @property
    def quoted(self) -> bool:
        return self.token.text.startswith('"')


def find_includes(source: SourceText) -> list[Include]:
    found: list[Include] = []
    branches: list[int] = []
    for number, directive in enumerate(source.directives):
        if directive.name in _OPENING:
            branches.append(number)
        elif directive.name in _SWITCHING and branches:
            branches[-1] = number
        elif directive.name == "endif" and branches:
            branches.pop()
        if directive.name != "include" or directive.last < directive.first + 2:
            continue
        token = source.code[directive.first + 2]
        if token.kind is TokenKind.HEADER_NAME and token.text[-1] in '>"' and len(token.text) > 2:
            found.append(Include(directive, token, token.text[1:-1], tuple(branches)))
    return found
