"""Edits on tokens: what no edit names stays byte for byte."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.syntax.tokens import Token

_AFTER, _BEFORE, _REPLACE = 0, 1, 2
_Change = tuple[int, int, int, int, str]
"""Where it starts, its order there, its number, where it ends, the new text."""


@dataclass(frozen=True)
class Rewrite:
    """A stretch of text made anew from parts of itself, which keep the edits in them.

    ``build`` gets the edited texts of ``parts``; offsets are those of the unedited text.
    """

    start: int
    end: int
    parts: tuple[tuple[int, int], ...]
    build: Callable[[list[str]], str]


class Edits:
    """Replacements and insertions for one source text.

    A token is replaced at most once: the first pass to claim it wins, later ones are told so.
    """

    def __init__(self, tokens: list[Token]) -> None:
        self._offsets = [token.offset for token in tokens]
        self._claimed: set[int] = set()
        self._changes: list[_Change] = []
        self._sorted = True

    def __bool__(self) -> bool:
        return bool(self._changes)

    def claimed(self, token: Token) -> bool:
        return token.offset in self._claimed

    def claim(self, token: Token) -> None:
        """Keep every later edit from the token; insertions beside it are not kept away."""
        self._claimed.add(token.offset)

    def replace(self, token: Token, text: str) -> bool:
        """Put ``text`` in the token's place; False where another edit has it already."""
        if token.offset in self._claimed:
            return False
        self._claimed.add(token.offset)
        if text != token.text:
            self._add(token.offset, _REPLACE, token.end, text)
        return True

    def replace_span(self, first: Token, last: Token, text: str) -> bool:
        """Put ``text`` in the place of everything from ``first`` to ``last``; False if any of it is taken."""
        if not self.remove(first.offset, last.end):
            return False
        self.insert_before(first, text)
        return True

    def remove(self, start: int, end: int) -> bool:
        """Take out the characters from ``start`` to ``end``; False if any token there is taken."""
        inside = self._offsets[bisect_left(self._offsets, start) : bisect_left(self._offsets, end)]
        if not self._claimed.isdisjoint(inside):
            return False
        self._claimed.update(inside)
        self._add(start, _REPLACE, end, "")
        return True

    def remove_line(self, text: str, start: int, end: int) -> bool:
        """As ``remove``, with the whole line where nothing else stands on it."""
        line_start = text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", end) + 1 or len(text)
        if not text[line_start:start].strip() and not text[end:line_end].strip():
            start, end = line_start, line_end
        return self.remove(start, end)

    def insert_before(self, token: Token, text: str) -> None:
        self._add(token.offset, _BEFORE, token.offset, text)

    def insert_after(self, token: Token, text: str) -> None:
        self._add(token.end, _AFTER, token.end, text)

    def insert_at(self, offset: int, text: str) -> None:
        self._add(offset, _AFTER, offset, text)

    def apply(self, text: str, first: int = 0, last: int | None = None) -> str:
        """``text`` with the edits, or only the part from offset ``first`` to ``last``."""
        last = len(text) if last is None else last
        changes = self._in_order()
        at = bisect_left(changes, (first,))
        return _render(text, first, last, changes, at)

    def rewrite(self, text: str, rewrites: Sequence[Rewrite]) -> None:
        """Carry out ``rewrites``, which may hold each other, once every other edit is made."""
        changes = self._in_order()
        made: list[_Change] = []
        """Outermost so far, last ones first: what follows starts before them."""
        for rewrite in sorted(rewrites, key=lambda r: (-r.start, r.end)):
            values = [_part(text, start, end, changes, made) for start, end in rewrite.parts]
            new = rewrite.build(values)
            while made and made[-1][0] < rewrite.end:
                made.pop()
            made.append((rewrite.start, _REPLACE, -1, rewrite.end, new))
        made.reverse()
        self._changes = [change for change in changes if not _is_covered(change, made)] + made
        self._sorted = False

    def _in_order(self) -> list[_Change]:
        if not self._sorted:
            self._changes.sort()
            self._sorted = True
        return self._changes

    def _add(self, start: int, order: int, end: int, text: str) -> None:
        self._changes.append((start, order, len(self._changes), end, text))
        self._sorted = False


def _render(text: str, first: int, last: int, changes: Sequence[_Change], at: int) -> str:
    parts: list[str] = []
    done = first
    while at < len(changes):
        start, _, _, end, new = changes[at]
        if start > last:
            break
        if start >= done:  # else an insertion inside what another edit took out
            parts.append(text[done:start])
            parts.append(new)
            done = end
        at += 1
    parts.append(text[done:last])
    return "".join(parts)


def _part(text: str, first: int, last: int, changes: list[_Change], made: list[_Change]) -> str:
    """The stretch with its changes and the rewrites inside it; ``made`` is in falling order."""
    inside: list[_Change] = []
    for other in reversed(made):
        if other[0] >= last:
            break
        if other[0] >= first:
            inside.append(other)
    at = bisect_left(changes, (first, _BEFORE))
    while at < len(changes) and changes[at][0] <= last:
        change = changes[at]
        if (change[0] < last or change[1] == _AFTER) and not _is_covered(change, inside):
            inside.append(change)
        at += 1
    return _render(text, first, last, sorted(inside), 0)


def _is_covered(change: _Change, rewrites: Sequence[_Change]) -> bool:
    """Whether a change lies in one of ``rewrites``, which are in order."""
    start, order, _, end, _ = change
    at = bisect_left(rewrites, (end,)) - (order == _AFTER)
    for near in (at, at - 1):
        if 0 <= near < len(rewrites):
            first, _, _, last, _ = rewrites[near]
            begins = first < start or (first == start and order != _AFTER)
            ends = end < last or (end == last and order != _BEFORE)
            if begins and ends:
                return True
    return False
