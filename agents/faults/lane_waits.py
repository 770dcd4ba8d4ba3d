"""Lanes that wait for a lane of their own warp: ``while (flag[threadIdx.x - 1] == 0);``

Without independent progress of lanes the wait never ends. Waits on what does not depend on the thread, e.g. a
counter of blocks, are left alone: all lanes wait for somebody else there.
"""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, SourceText
from agents.syntax.tokens import TokenKind

_LOCKS = frozenset({"atomicCAS", "atomicExch"})
_IDLE = frozenset({"__nanosleep", "__threadfence", "__threadfence_block", "__syncwarp"})
_READS = frozenset({"[", "atomicAdd", "atomicOr", "volatile", "load", "*"})


def find_lane_waits(draft: Draft) -> None:
    source = draft.source
    for index, token in enumerate(source.code):
        if token.text != "while" or not draft.on_device(index):
            continue
        opening = source.after(index)
        if opening is None or source.code[opening].text != "(" or source.partner[opening] == UNMATCHED:
            continue
        closing = source.partner[opening]
        words = {t.text for t in source.code[opening + 1 : closing]}
        if words & _LOCKS or not words & _READS or not _idles(source, closing):
            continue
        if words & (_thread_variables(draft, index) | {"threadIdx"}) and not words & {"++", "--", "+=", "-="}:
            report_fault(
                draft,
                "W08",
                index,
                Action.TO_DO,
                "Order the lanes by a loop over lane numbers, or use a scan.",
                confidence="likely",
            )


def _idles(source: SourceText, closing: int) -> bool:
    body = source.after(closing)
    if body is None:
        return False
    if source.code[body].text == ";":
        return True
    if source.code[body].text != "{" or source.partner[body] == UNMATCHED:
        return False
    inside = source.code[body + 1 : source.partner[body]]
    return all(t.text in _IDLE for t in inside if t.kind is TokenKind.IDENTIFIER)


def _thread_variables(draft: Draft, index: int) -> set[str]:
    """Variables of the function whose initial value mentions ``threadIdx``, or one of these variables."""
    source = draft.source
    function = draft.function_at(index)
    if function is None:
        return set()
    found: set[str] = set()
    for at in range(function.opening, index):
        if source.code[at].text != "=" or source.code[at - 1].kind is not TokenKind.IDENTIFIER:
            continue
        end = at
        while end < index and source.code[end].text not in (";", ","):
            end += 1
        words = {t.text for t in source.code[at + 1 : end]}
        if words & (found | {"threadIdx"}):
            found.add(source.code[at - 1].text)
    return found
