"""Locks that each thread takes for itself.

``while (atomicCAS(&lock, 0, 1) != 0);`` before a critical section: the lanes of a wavefront wait for one another
at the end of the loop, so the lane that holds the lock never gets to its release. Where the release stands in
the same block, the whole is run by one lane at a time.

``while (!done) { if (atomicCAS(&lock, 0, 1) == 0) { ...; atomicExch(&lock, 0); done = true; } }`` is often advised
as the cure, but compiles to the same deadlock. It is run by one lane at a time too.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, SourceText, Span
from agents.syntax.tokens import TokenKind

_ACQUIRE = frozenset({"atomicCAS", "atomicExch", "atomicCAS_block", "atomicCAS_system"})
_RELEASE = frozenset({"atomicExch", "atomicExch_block", "atomicExch_system"})
_IDLE = frozenset({"__nanosleep", "__threadfence", "__threadfence_block", "__syncwarp"})
_LOOPS = frozenset({"while", "for", "do"})
_LEAVES = frozenset({"return", "goto", "__syncthreads"})
_JUMPS = frozenset({"break", "continue"})
_WARP_WORDS = ("__shfl", "__ballot", "__any", "__all", "__match", "__reduce", "__syncwarp")
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
        if token.text not in _LOOPS or not draft.on_device(index):
            continue
        wait = _read_wait(source, index) if token.text == "while" else None
        if wait is not None:
            release = _find_release(source, wait)
            _serve_in_turns(draft, index, None if release is None else Span(index, release))
        else:
            loop = _read_retry_loop(source, index)
            if loop is not None:
                _serve_in_turns(draft, index, loop)


def _serve_in_turns(draft: Draft, index: int, part: Span | None) -> None:
    """Run ``part`` by one lane at a time; report where it is not known or may not be wrapped."""
    source = draft.source
    if _one_thread_only(draft, index) or _called_by_one_thread(draft, index):
        return
    if part is None or not _may_wrap(source, part):
        report_fault(
            draft,
            "W07",
            index,
            Action.TO_DO,
            "Let one lane at a time run from the acquisition to the release, or let one thread of the warp take the "
            "lock for all.",
            confidence="likely",
        )
        return
    draft.edits.insert_before(source.code[part.first], _TURNS + " { ")
    draft.edits.insert_after(source.code[part.last], " }")
    draft.shims.add("warp32.h")
    report_fault(
        draft,
        "W07",
        index,
        Action.FIXED,
        "From the acquisition to the release one lane at a time runs.",
        replacement=_TURNS,
    )


def _read_retry_loop(source: SourceText, index: int) -> Span | None:
    """A loop whose body tries for a lock in a condition and gives the same lock back."""
    body = _loop_body(source, index)
    if body is None:
        return None
    opening, closing = body
    inner = (at for at in range(opening + 1, closing) if source.code[at].text == "while")
    if any(_read_wait(source, at) is not None for at in inner):
        return None  # the wait inside is served in turns by itself
    for at in range(opening + 1, closing):
        if source.code[at].text not in _ACQUIRE:
            continue
        arguments = source.call(at)
        if not arguments:
            continue
        lock = _lock_name(source, arguments[0])
        if any(_gives_back(source, other, lock) for other in range(at + 1, closing)):
            return Span(index, _loop_end(source, index, closing))
    return None


def _gives_back(source: SourceText, at: int, lock: str) -> bool:
    """Whether ``atomicExch(&lock, ...)`` or ``lock = ...`` begins at ``at``."""
    if source.code[at].text in _RELEASE:
        arguments = source.call(at)
        return arguments is not None and len(arguments) > 0 and _lock_name(source, arguments[0]) == lock
    if not lock.startswith(source.code[at].text) or source.code[at - 1].text not in (";", "{", "}", "*", ")"):
        return False
    text, end = "", at
    while end < len(source.code) and len(text) < len(lock):
        text += source.code[end].text
        end += 1
    return text == lock and end < len(source.code) and source.code[end].text == "="


def _loop_body(source: SourceText, index: int) -> tuple[int, int] | None:
    brace = source.after(index)
    if brace is not None and source.code[brace].text == "(" and source.partner[brace] != UNMATCHED:
        brace = source.after(source.partner[brace])
    if brace is None or source.code[brace].text != "{" or source.partner[brace] == UNMATCHED:
        return None
    return brace, source.partner[brace]


def _loop_end(source: SourceText, index: int, closing: int) -> int:
    """The last token of the loop: the brace, or the ``;`` after a do-while's condition."""
    if source.code[index].text != "do":
        return closing
    return _statement_end(source, closing + 1) or closing


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
    if source.code[at].text in _IDLE:
        return _statement_end(source, at)
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
        if _gives_back(source, at, wait.lock):
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
    """No jump out of the part, no barrier or warp function in it, and nothing declared there that is used after it."""
    declared: set[str] = set()
    for i in range(span.first, span.last + 1):
        token = source.code[i]
        if token.text in _LEAVES or token.text.startswith(_WARP_WORDS):
            return False
        if token.text in _JUMPS and not _inside_loop(source, i, span):
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


def _inside_loop(source: SourceText, index: int, span: Span) -> bool:
    """Whether a loop that lies in ``span`` is around the jump at ``index``."""
    for at in range(span.first, index):
        if source.code[at].text in _LOOPS:
            body = _loop_body(source, at)
            if body is not None and body[0] < index < body[1]:
                return True
    return False


def _called_by_one_thread(draft: Draft, index: int) -> bool:
    """Whether the lock's function is called, in this file, and each time by an elected thread alone."""
    function = draft.function_at(index)
    if function is None or function.kernel or not function.name:
        return False
    code = draft.source.code
    calls = [
        at
        for at, token in enumerate(code)
        if token.text == function.name and at not in function and draft.source.text_after(at) == "("
    ]
    return bool(calls) and all(_one_thread_only(draft, at) for at in calls)


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
