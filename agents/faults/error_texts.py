"""Comparisons with the names and texts of errors, which differ between CUDA and HIP."""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, Span
from agents.syntax.tokens import TokenKind

_TEXTS = frozenset({"cudaGetErrorString", "cudaGetErrorName", "cuGetErrorString", "cuGetErrorName"})
_COMPARES = frozenset({"strcmp", "strncmp", "strstr", "strcasecmp", "find", "compare", "starts_with"})


def find_error_texts(draft: Draft) -> None:
    """Report calls whose result is compared: as an argument of ``strcmp`` and its kind, or with ``==``."""
    source = draft.source
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER or token.text not in _TEXTS:
            continue
        if _is_compared(draft, index):
            report_fault(
                draft,
                "H06",
                index,
                Action.TO_DO,
                "Compare the error code instead of its text.",
                confidence="likely",
            )


def _is_compared(draft: Draft, index: int) -> bool:
    source = draft.source
    statement = _statement(draft, index)
    words = [source.code[i].text for i in range(statement.first, statement.last + 1)]
    if not any(source.code[i].kind is TokenKind.STRING for i in range(statement.first, statement.last + 1)):
        return False
    return any(word in _COMPARES for word in words) or (
        "==" in words and any(w in ("string", "string_view") for w in words)
    )


def _statement(draft: Draft, index: int) -> Span:
    source = draft.source
    first = index
    while first > 0 and source.code[first - 1].text not in (";", "{", "}"):
        first -= 1
    last = index
    while last + 1 < len(source.code) and source.code[last].text not in (";", "{", "}"):
        if source.code[last].text == "(" and source.partner[last] != UNMATCHED:
            last = source.partner[last]
        else:
            last += 1
    return Span(first, last)
