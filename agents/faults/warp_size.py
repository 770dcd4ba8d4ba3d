"""The warp's width as a value: ``warpSize`` in kernels and ``prop.warpSize`` on the host.

Both are 64 on AMD. A port keeps logical warps of 32 lanes, so both become 32.
"""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import SourceText
from agents.syntax.tokens import CODE, TokenKind

_WIDTH = "32"
_ATTRIBUTE = "cudaDevAttrWarpSize"
_TYPES = frozenset({"int", "unsigned", "auto", "size_t", "uint32_t", "int32_t", "long", "short", "constexpr", "const"})


def fix_warp_size(draft: Draft) -> None:
    source = draft.source
    own = any(_declares_it(other) for other in draft.project.sources.values())
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER:
            continue
        if token.text == "warpSize":
            before = source.text_before(index)
            if before in (".", "->"):
                _fix_property(draft, index)
            elif not own and before != "::" and before != "define":
                _fix_builtin(draft, index)
        elif token.text == _ATTRIBUTE:
            report_fault(
                draft,
                "W14",
                index,
                Action.NOTED,
                "The device answers 64 here, while the port's kernels keep logical warps of 32 lanes.",
                confidence="likely",
            )


def _declares_it(source: SourceText) -> bool:
    """Whether the program has a variable, member, parameter or macro called ``warpSize`` of its own."""
    for index, token in enumerate(source.code):
        if token.text == "warpSize":
            before = source.text_before(index)
            if before in _TYPES or (before == "define" and token.directive != CODE):
                return True
    return False


def _fix_builtin(draft: Draft, index: int) -> None:
    if draft.edits.replace(draft.source.code[index], _WIDTH):
        report_fault(
            draft,
            "W14",
            index,
            Action.FIXED,
            "It became 32, the width of the port's logical warps.",
            replacement=_WIDTH,
        )


def _fix_property(draft: Draft, index: int) -> None:
    """``prop.warpSize`` read on the host; a field that is assigned to is somebody's own."""
    source = draft.source
    owner_end = source.before(index)
    owner = source.before(owner_end) if owner_end is not None else None
    if owner is None or source.code[owner].kind is not TokenKind.IDENTIFIER:
        return
    if source.text_after(index) in ("=", "+=", "++", "--") or not _is_property(draft, source.code[owner].text):
        return
    if source.text_before(owner) in (".", "->", "&"):
        return
    if draft.edits.replace_span(source.code[owner], source.code[index], _WIDTH):
        report_fault(
            draft,
            "W14",
            index,
            Action.FIXED,
            "It became 32, the width of the port's logical warps, so that host and device agree.",
            replacement=_WIDTH,
        )


def _is_property(draft: Draft, name: str) -> bool:
    code = draft.source.code
    for index, token in enumerate(code[:-1]):
        if token.text == "cudaDeviceProp":
            at = index + 1
            while at < len(code) and code[at].text in ("*", "&", "const"):
                at += 1
            if at < len(code) and code[at].text == name:
                return True
    return False
