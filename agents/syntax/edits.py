"""Edits on tokens: what no edit names stays byte for byte."""

from __future__ import annotations

from bisect import bisect_left

from agents.syntax.tokens import Token

_AFTER, _REPLACE, _BEFORE = 0, 2, 1


class Edits:
    """Replacements and insertions for one source text.

    A token is replaced at most once: the first pass to claim it wins, later ones are told so.
    """

    def __init__(self, tokens: list[Token]) -> None:
        self._offsets = [token.offset for token in tokens]
        self._claimed: set[int] = set()
        self._changes: list[tuple[int, int, int, int, str]] = []

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

    def overwrite(self, start: int, end: int, text: str) -> None:
        """Put ``text`` in the place of the characters from ``start`` to ``end`` and of all edits there."""
        self._changes = [c for c in self._changes if c[0] < start or c[3] > end]
        self._claimed.update(self._offsets[bisect_left(self._offsets, start) : bisect_left(self._offsets, end)])
        self._add(start, _REPLACE, end, text)

    def insert_before(self, token: Token, text: str) -> None:
        self._add(token.offset, _BEFORE, token.offset, text)

    def insert_after(self, token: Token, text: str) -> None:
        self._add(token.end, _AFTER, token.end, text)

    def insert_at(self, offset: int, text: str) -> None:
        self._add(offset, _AFTER, offset, text)

    def apply(self, text: str, first: int = 0, last: int | None = None) -> str:
        """``text`` with the edits, or only the part from offset ``first`` to ``last``."""
        last = len(text) if last is None else last
        parts: list[str] = []
        done = first
        for start, _, _, end, new in sorted(self._changes):
            if start < done or start > last:  # outside, or an insertion inside what another edit took out
                continue
            parts.append(text[done:start])
            parts.append(new)
            done = end
        parts.append(text[done:last])
        return "".join(parts)

    def _add(self, start: int, order: int, end: int, text: str) -> None:
        self._changes.append((start, order, len(self._changes), end, text))
