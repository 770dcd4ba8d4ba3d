"""A source file seen by its significant tokens: brackets, arguments, directives, positions.

Indexes in this module count ``SourceText.code``, the tokens without blanks and comments. Code and each
preprocessor directive are separate worlds: brackets match, and neighbours are found, only inside one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.syntax.lexer import lex
from agents.syntax.tokens import CODE, INSIGNIFICANT, Token, TokenKind

_CLOSING = {")": "(", "]": "[", "}": "{"}
_OPENING = frozenset(_CLOSING.values())
_TEMPLATE_STOPS = frozenset({";", "{", "}", "&&", "||"})
_AFTER_TEMPLATE = frozenset({"(", ")", ",", ">", "::", "{", "<<<", ";", "&", "*", "...", "]", "&&"})
UNMATCHED = -1
_WIDE = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True)
class Directive:
    """One preprocessor directive. ``first`` is its ``#``, ``last`` its last significant token."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Span:
    """Tokens ``first`` to ``last``, both included; empty where ``last < first``."""

    first: int
    last: int

    @property
    def empty(self) -> bool:
        return self.last < self.first

    def __contains__(self, index: int) -> bool:
        return self.first <= index <= self.last


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The same tokens in spans that are in order and do not touch."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.first, span.last)):
        if merged and span.first <= merged[-1].last + 1:
            merged[-1] = Span(merged[-1].first, max(merged[-1].last, span.last))
        elif not span.empty:
            merged.append(span)
    return merged


def holds(spans: Sequence[Span], index: int) -> bool:
    """Whether one of ``spans``, in order and apart, holds ``index``."""
    at = bisect_right(spans, index, key=lambda span: span.first) - 1
    return at >= 0 and index in spans[at]


class SourceText:
    """``text`` with its tokens. ``path`` is what findings name."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tokens = lex(text)
        self.code = [token for token in self.tokens if token.kind not in INSIGNIFICANT]

    # -- positions

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return starts

    @cached_property
    def _wide(self) -> tuple[list[int], list[int]]:
        """Offsets of the characters that take more than a byte, and the bytes more up to each."""
        offsets = [] if self.text.isascii() else [m.start() for m in _WIDE.finditer(self.text)]
        more = [0]
        for offset in offsets:
            more.append(more[-1] + len(self.text[offset].encode("utf-8", "surrogateescape")) - 1)
        return offsets, more

    def byte_offset(self, offset: int) -> int:
        """Where a character stands in the file's bytes."""
        offsets, more = self._wide
        return offset + more[bisect_left(offsets, offset)]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, from 1; the column counts bytes."""
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        return line, self.byte_offset(offset) - self.byte_offset(start) + 1

    def line_span(self, line: int) -> tuple[int, int]:
        """Offsets of a line's first character and of its end, before the line break."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    def line_text(self, line: int, limit: int | None = None) -> str:
        """A line without its break, or its first ``limit`` characters."""
        start, end = self.line_span(line)
        return self.text[start : end if limit is None else min(end, start + limit)]

    @cached_property
    def newline(self) -> str:
        """The line ending that the file uses most."""
        windows = self.text.count("\r\n")
        return "\r\n" if windows * 2 > self.text.count("\n") else "\n"

    def slice(self, span: Span) -> str:
        """The text from the first to the last token of ``span``."""
        if span.empty:
            return ""
        return self.text[self.code[span.first].offset : self.code[span.last].end]

    # -- directives

    @cached_property
    def directives(self) -> list[Directive]:
        found: list[Directive] = []
        index, code = 0, self.code
        while index < len(code):
            number = code[index].directive
            if number == CODE:
                index += 1
                continue
            first = index
            while index < len(code) and code[index].directive == number:
                index += 1
            name = code[first + 1].text if index - first > 1 else ""
            found.append(Directive(name, first, index - 1))
        return found

    # -- neighbours

    def before(self, index: int) -> int | None:
        """The token before ``index`` in the same world."""
        world = self.code[index].directive
        for other in range(index - 1, -1, -1):
            if self.code[other].directive == world:
                return other
            if world != CODE:
                return None
        return None

    def after(self, index: int) -> int | None:
        """The token after ``index`` in the same world."""
        world = self.code[index].directive
        for other in range(index + 1, len(self.code)):
            if self.code[other].directive == world:
                return other
            if world != CODE:
                return None
        return None

    def text_before(self, index: int) -> str:
        other = self.before(index)
        return "" if other is None else self.code[other].text

    def text_after(self, index: int) -> str:
        other = self.after(index)
        return "" if other is None else self.code[other].text

    # -- brackets

    @cached_property
    def partner(self) -> list[int]:
        """The matching bracket of each bracket, UNMATCHED elsewhere.

        At ``#else`` the brackets that were open at the ``#if`` are open again, so that two branches which both
        open a block still match its end.
        """
        partner = [UNMATCHED] * len(self.code)
        stack: list[int] = []
        saved: list[list[int]] = []
        inner: list[int] = []
        world = CODE
        for index, token in enumerate(self.code):
            if token.directive != world:
                world = token.directive
                inner = []
                if world != CODE and index + 1 < len(self.code):
                    stack = _at_conditional(self.code[index + 1].text, stack, saved)
            if token.kind is not TokenKind.PUNCTUATION:
                continue
            current = stack if world == CODE else inner
            if token.text in _OPENING:
                current.append(index)
            elif token.text in _CLOSING:
                _close(self.code, partner, current, index)
        return partner

    def angle_partner(self, index: int) -> int:
        """The ``>`` that closes the template arguments opened by the ``<`` at ``index``, or UNMATCHED."""
        depth, at = 0, index
        while at is not None and at < len(self.code):
            text = self.code[at].text
            if text == "<":
                depth += 1
            elif text == ">":
                depth -= 1
                if depth == 0:
                    return at
            elif text in _OPENING:
                if text == "{" and self.text_before(at) == ")":
                    return UNMATCHED
                at = self.partner[at]
                if at == UNMATCHED:
                    return UNMATCHED
            elif text in _TEMPLATE_STOPS or text in _CLOSING:
                return UNMATCHED
            following = self.after(at)
            if following is None:
                return UNMATCHED
            at = following
        return UNMATCHED

    def template_end(self, index: int) -> int:
        """As ``angle_partner``, but UNMATCHED too where ``<`` is more likely a comparison."""
        end = self.angle_partner(index)
        if end == UNMATCHED or self.text_after(end) not in _AFTER_TEMPLATE:
            return UNMATCHED
        return end

    def arguments(self, opening: int, closing: int | None = None) -> list[Span]:
        """The comma-separated parts between a bracket and its partner; none where there is nothing."""
        closing = self.partner[opening] if closing is None else closing
        if closing == UNMATCHED:
            return []
        parts: list[Span] = []
        first = at = opening + 1
        while at < closing:
            text = self.code[at].text
            if text in _OPENING and self.partner[at] != UNMATCHED:
                at = self.partner[at]
            elif text == "<" and self.code[at - 1].kind is TokenKind.IDENTIFIER:
                end = self.template_end(at)
                at = end if end != UNMATCHED and end < closing else at
            elif text == ",":
                parts.append(Span(first, at - 1))
                first = at + 1
            at += 1
        if parts or first < closing:
            parts.append(Span(first, closing - 1))
        return parts

    def call(self, index: int) -> list[Span] | None:
        """The arguments of the call whose name is at ``index``; None where it is no call."""
        opening = self.after(index)
        if opening is not None and self.code[opening].text == "<":
            end = self.template_end(opening)
            opening = self.after(end) if end != UNMATCHED else None
        if opening is None or self.code[opening].text != "(" or self.partner[opening] == UNMATCHED:
            return None
        return self.arguments(opening)


def _at_conditional(name: str, stack: list[int], saved: list[list[int]]) -> list[int]:
    if name in ("if", "ifdef", "ifndef"):
        saved.append(list(stack))
    elif name in ("else", "elif", "elifdef", "elifndef") and saved:
        return list(saved[-1])
    elif name == "endif" and saved:
        saved.pop()
    return stack


def _close(code: list[Token], partner: list[int], stack: list[int], index: int) -> None:
    wanted = _CLOSING[code[index].text]
    if not stack or code[stack[-1]].text != wanted:
        return
    opening = stack.pop()
    if partner[opening] == UNMATCHED:
        partner[opening] = index
    partner[index] = opening
