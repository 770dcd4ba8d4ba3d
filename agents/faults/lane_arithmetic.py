"""32-lane bookkeeping that stays as it is: noted, so that a reader knows it was seen.

``tid & 31``, ``tid >> 5``, ``tid / 32``, ``tid % 32``, ``31 - __clz(mask)`` and blocks of ``(32, N)`` are right for
logical warps of 32 lanes, which is what the port keeps.
"""

from __future__ import annotations

from agents.faults.replacements import load_replacements
from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.declarations import UserNames, is_api_name
from agents.syntax.draft import Draft
from agents.syntax.source import SourceText
from agents.syntax.tokens import TokenKind

_SUBMASK_FAULT = "W09"
_MASKED = ("__ballot", "__shfl", "__any", "__all", "__match", "__reduce", "__syncwarp")
_FULL = frozenset({"0xffffffff", "0xffffffffu", "-1", "~0", "~0u", "0xffffffffull"})


def note_lane_arithmetic(draft: Draft, user: UserNames) -> None:
    source = draft.source
    if not _uses_lanes(draft):
        return
    for index, token in enumerate(source.code):
        if token.kind is TokenKind.NUMBER:
            fault = _fault_of(draft, index)
            if fault:
                report_fault(
                    draft,
                    fault,
                    index,
                    Action.NOTED,
                    "This is right for the port's logical warps of 32 lanes and was left alone.",
                    confidence="likely",
                )
        elif token.text.startswith(_MASKED) and is_api_name(source, index, user):
            _note_sub_mask(draft, index)


def _uses_lanes(draft: Draft) -> bool:
    warp = {name for name, row in load_replacements().items() if row.shim == "warp32.h"}
    return any(token.text in warp for source in draft.project.sources.values() for token in source.code)


def _fault_of(draft: Draft, index: int) -> str:
    """The fault that a number may be about: a lane expression in a kernel, or a block of ``(32, N)``."""
    source = draft.source
    text = source.code[index].text.rstrip("uU")
    if text == "32" and source.text_before(index) == "(" and _is_block(source, index):
        return "W11"
    if not draft.on_device(index):
        return ""
    if text == "31" and source.text_after(index) == "-":
        minus = source.after(index)
        return "M05" if minus is not None and source.text_after(minus) == "__clz" else ""
    return "W01" if _is_lane_expression(source, index, text) else ""


def _is_block(source: SourceText, index: int) -> bool:
    """Whether the 32 at ``index`` is the x of ``dim3(32, N)`` or ``dim3 block(32, N)``."""
    opening = source.before(index)
    name = source.before(opening) if opening is not None else None
    if opening is None or name is None or len(source.arguments(opening)) < 2:
        return False
    return "dim3" in (source.code[name].text, source.text_before(name))


def _is_lane_expression(source: SourceText, index: int, text: str) -> bool:
    """``x & 31``, ``x >> 5``, ``x / 32`` or ``x % 32`` of something."""
    before = source.text_before(index)
    if text == "31":
        return before == "&"
    if text == "5":
        previous = source.before(index)
        return before == ">" and previous is not None and source.text_before(previous) == ">"
    return text == "32" and before in ("/", "%")


def _note_sub_mask(draft: Draft, index: int) -> None:
    arguments = draft.source.call(index)
    if not arguments or arguments[0].empty or not draft.source.code[index].text.endswith(("_sync", "syncwarp")):
        return
    first = arguments[0]
    token = draft.source.code[first.first]
    if first.first == first.last and token.kind is TokenKind.NUMBER and token.text.lower() not in _FULL:
        report_fault(
            draft,
            _SUBMASK_FAULT,
            first,
            Action.FIXED,
            "The port's functions take masks of the caller's own 32 lanes, whatever half of a wavefront they are.",
        )
