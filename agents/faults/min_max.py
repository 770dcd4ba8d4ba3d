"""Unqualified ``min`` and ``max``: HIP's host functions take int alone, its device functions one type for both."""

from __future__ import annotations

import re

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.declarations import UserNames, is_api_name
from agents.syntax.draft import Draft
from agents.syntax.source import Span
from agents.syntax.tokens import CODE, TokenKind

_NAMES = frozenset({"min", "max"})
_UNSIGNED = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "sizeof", "unsigned", "size_t"})
_LITERAL = re.compile(r"[\d']+([uUlL]*)$")
_SHIM = "minmax.h"


def fix_min_max(draft: Draft, user: UserNames) -> None:
    """Call the port's own where HIP's would convert without a word or not compile."""
    source = draft.source
    for index, token in enumerate(source.code):
        if token.text not in _NAMES or token.kind is not TokenKind.IDENTIFIER:
            continue
        if source.text_after(index) != "(" or not is_api_name(source, index, user):
            continue
        arguments = source.call(index)
        if arguments is None or len(arguments) != 2 or any(argument.empty for argument in arguments):
            continue
        if _both_plain_integers(draft, arguments) or not (_may_run_on_host(draft, index) or _differ(draft, arguments)):
            continue
        if draft.edits.replace(token, f"w2w::{token.text}"):
            draft.shims.add(_SHIM)
            draft.uses_cuda = True
            report_fault(
                draft,
                "N04",
                index,
                Action.FIXED,
                f"It became w2w::{token.text}, which has CUDA's overloads.",
                replacement=f"w2w::{token.text}",
                confidence="possible",
            )


def _may_run_on_host(draft: Draft, index: int) -> bool:
    if draft.source.code[index].directive != CODE:
        return False
    function = draft.function_at(index)
    if function is None or not function.device:
        return True
    return any(t.text == "__host__" for t in draft.source.code[function.head : function.opening])


def _both_plain_integers(draft: Draft, arguments: list[Span]) -> bool:
    return all(a.first == a.last and _LITERAL.match(draft.source.code[a.first].text) is not None for a in arguments)


def _differ(draft: Draft, arguments: list[Span]) -> bool:
    """Whether one argument is unsigned to the eye and the other is not."""
    first, second = (_looks_unsigned(draft, argument) for argument in arguments)
    return first != second


def _looks_unsigned(draft: Draft, argument: Span) -> bool:
    for token in draft.source.code[argument.first : argument.last + 1]:
        literal = _LITERAL.match(token.text)
        if token.text in _UNSIGNED or (literal is not None and "u" in literal.group(1).lower()):
            return True
    return False
