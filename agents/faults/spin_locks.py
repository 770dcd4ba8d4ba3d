"""Locks that each thread takes for itself: ``while (atomicCAS(&lock, 0, 1) != 0);``

The lanes of a wavefront wait for one another at the end of a loop, so the lane that holds the lock never gets to
its release. Where the release stands in the same block as the acquisition, the whole is run by one lane at a
time. Another advice, a done flag tested in the loop, compiles to the same deadlock and is not offered.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, SourceText, Span
from agents.syntax.tokens import TokenKind

_ACQUIRE = frozenset({"atomicCAS", "atomicExch", "atomicCAS_block", "atomicCAS_system"})
_RELEASE = frozenset({"atomicExch", "atomicCAS", "atomicExch_block", "atomicExch_system"})
_IDLE = frozenset({"__nanosleep", "__threadfence", "__threadfence_block", "__syncwarp"})
_LEAVES = frozenset({"return", "break", "continue", "goto", "__syncthreads"})
_TURNS = "W2W_ONE_LANE_AT_A_TIME"
_ELECTED = frozenset({"threadIdx", "lane", "laneid", "lane_id", "tid", "elect"})


@dataclass(frozen=True)
class _Wait:
    """A loop that only waits for a lock: its tokens, and the lock's expression as text."""

    loop: Span
    lock: str


def fix_spin_locks(draft: Draft) -> None:
    source = draft.source
    for index, token in enumerate(source.code):
        if token.text != "while" or not draft.on_device(index):
            continue
        wait = _read_wait(source, index)
        if wait is None or _one_thread_only(draft, index):
            continue
        release = _find_release(source, wait)
        if release is None or not _may_wrap(source, Span(wait.loop.first, release)):
            report_fault(
                draft,
                "W07",
                index,
                Action.TO_DO,
                "Let one lane at a time run from the acquisition to the release, or let one thread of the warp "
                "take the lock for all.",
                confidence="likely",
            )
            continue
        draft.edits.insert_before(source.code[wait.loop.first], _TURNS + " { ")
        draft.edits.insert_after(source.code[release], " }")
        draft.shims.add("warp32.h")
        report_fault(
            draft,
            "W07",
            index,
            Action.FIXED,
            "From the acquisition to the release one lane at a time runs.",
            replacement=_TURNS,
        )


def _read_wait(source: SourceText, index: int) -> _Wait | None:
    """``while (atomicCAS(lock, ...) != 0) ;`` or with a body that does nothing but idle."""
    opening = source.after(index)
    if opening is None or source.code[opening].text != "(" or source.partner[opening] == UNMATCHED:
        return None
    closing = source.partner[opening]
    calls = [i for i in range(opening, closing) if source.code[i].text in _ACQUIRE]
    if not calls:
        return None
    arguments = source.call(calls[0])
    if not arguments:
        return None
    end = _idle_end(source, closing)
    if end is None or (source.text_before(index) == "}" and _is_do(source, index)):
        return None
    return _Wait(Span(index, end), _lock_name(source, arguments[0]))


def _lock_name(source: SourceText, argument: Span) -> str:
    return "".join(t.text for t in source.code[argument.first : argument.last + 1]).removeprefix("&")


def _is_do(source: SourceText, index: int) -> bool:
    brace = source.before(index)
    opening = source.partner[brace] if brace is not None else UNMATCHED
    return opening != UNMATCHED and source.text_before(opening) == "do"


def _idle_end(source: SourceText, closing: int) -> int | None:
    """The last token of a loop's body if the body does nothing."""
    at = source.after(closing)
    if at is None:
        return None
    if source.code[at].text == ";":
        return at
    if source.code[at].text != "{" or source.partner[at] == UNMATCHED:
        return None
    end = source.partner[at]
    words = [t.text for t in source.code[at + 1 : end] if t.kind is TokenKind.IDENTIFIER]
    return end if all(word in _IDLE for word in words) else None


def _find_release(source: SourceText, wait: _Wait) -> int | None:
    """The ``;`` of the statement, in the loop's own block, that gives the lock back."""
    at: int | None = source.after(wait.loop.last)
    while at is not None:
        text = source.code[at].text
        if text == "}":
            return None
        if text in _RELEASE:
            arguments = source.call(at)
            if arguments and _lock_name(source, arguments[0]) == wait.lock:
                return _statement_end(source, at)
        if text in "({[" and source.partner[at] != UNMATCHED:
            at = source.partner[at]
        at = source.after(at)
    return None


def _statement_end(source: SourceText, at: int) -> int | None:
    current: int | None = at
    while current is not None and source.code[current].text not in (";", "}"):
        if source.code[current].text in "({[" and source.partner[current] != UNMATCHED:
            current = source.partner[current]
        current = source.after(current)
    return current if current is not None and source.code[current].text == ";" else None


def _may_wrap(source: SourceText, span: Span) -> bool:
    """No jump out of the part, no barrier in it, and nothing declared there that is used after it."""
    declared: set[str] = set()
    for i in range(span.first, span.last + 1):
        token = source.code[i]
        if token.text in _LEAVES:
            return False
        if token.kind is TokenKind.IDENTIFIER and source.text_after(i) in ("=", ";", "["):
            before = source.before(i)
            if before is not None and source.code[before].kind is TokenKind.IDENTIFIER:
                declared.add(token.text)
    depth = 0
    for i in range(span.last + 1, len(source.code)):
        text = source.code[i].text
        depth += (text == "{") - (text == "}")
        if depth < 0:
            return True
        if text in declared:
            return False
    return True


def _one_thread_only(draft: Draft, index: int) -> bool:
    """Whether an ``if`` around the loop lets few threads in (a leader), or the loop is served in turns."""
    source = draft.source
    function = draft.function_at(index)
    first = function.opening if function is not None else 0
    for opening in range(first, index):
        if source.code[opening].text != "{" or not opening < index < source.partner[opening]:
            continue
        head = source.before(opening)
        if head is None:
            continue
        if source.code[head].text == _TURNS:
            return True
        if source.code[head].text == ")" and source.partner[head] != UNMATCHED:
            words = source.code[source.partner[head] : head]
            is_if = source.text_before(source.partner[head]) == "if"
            if is_if and any(t.text in _ELECTED for t in words) and any(t.text == "==" for t in words):
                return True
    return False
