"""CUB's warp collectives: their width is written out, because hipCUB's default is the wavefront's."""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED
from agents.syntax.tokens import TokenKind

_WIDTH_AT = {
    "WarpReduce": 1,
    "WarpScan": 1,
    "WarpExchange": 2,
    "WarpMergeSort": 2,
    "WarpLoad": 3,
    "WarpStore": 3,
}
"""Which template argument (from 0) is the logical width."""
_ALGORITHM = {"WarpLoad": "hipcub::WARP_LOAD_DIRECT", "WarpStore": "hipcub::WARP_STORE_DIRECT"}


def fix_logical_width(draft: Draft) -> None:
    source = draft.source
    if not any(token.text == "cub" for token in source.code):
        return
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER or token.text not in _WIDTH_AT:
            continue
        opening = source.after(index)
        if opening is None or source.code[opening].text != "<":
            continue
        closing = source.angle_partner(opening)
        if closing == UNMATCHED:
            continue
        arguments = source.arguments(opening, closing)
        missing = _WIDTH_AT[token.text] - len(arguments)
        if missing < 0:
            continue
        filler = f", {_ALGORITHM[token.text]}" if missing == 1 and token.text in _ALGORITHM else ""
        if missing - bool(filler) != 0:
            continue
        draft.edits.insert_after(source.code[arguments[-1].last], f"{filler}, 32")
        report_fault(
            draft,
            "L01",
            index,
            Action.FIXED,
            "The width of 32 is written out.",
            replacement=f"{token.text}<..., 32>",
        )
