"""Calls of the engine's checks before accesses of memory, in translations with checks (``simt/checked_memory.cpp``)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

from .emitter import Emitter
from .types import I32, I64
from .undefined_values import NONE, Shadow


class CheckedKind(IntEnum):
    """As ``simt/checks.h`` numbers them."""

    LOAD = 0
    STORE = 1
    ATOMIC = 2
    EXCHANGE = 3
    """Atomic, but what was there before does not matter to what is there afterwards."""


_RETURNS = 4
"""Added to the kind of an atomic operation that tells what was there."""


_SCOPED = 8
"""Added to the kind of a load or store of a scope beyond the work-group."""
_SPACES_OF_MEMORY = ("global", "base", "flat")


class CheckedAccess(Protocol):
    """What ``semantics/memory_access.py`` knows of an access."""

    @property
    def space(self) -> str: ...

    def arguments(self, e: Emitter, mask: str | None = None) -> list[tuple[str, str]]: ...


def check_access(
    e: Emitter,
    access: CheckedAccess,
    size: int,
    kind: CheckedKind,
    mask: str | None,
    *,
    shadows: Sequence[Shadow] = (),
    data: str = "null",
    returns: bool = False,
) -> str:
    """The lanes of ``mask`` (None: EXEC) whose access of ``size`` bytes may happen.

    ``shadows``: of the registers that are stored, one a word. ``data``: the values of a store to LDS.
    ``returns``: an atomic operation that tells what was there. What a load
    reads is told to ``e.undefined``.
    """
    undefined = e.undefined
    if undefined is None:
        return _call(e, access, size, kind, mask, returns=returns)
    if e.flavour.races and access.space in _SPACES_OF_MEMORY:
        _check_races(e, access, size, kind, mask, data)
        data = "null"
    words = (size + 3) // 4
    unwritten, tainted = "null", NONE
    if kind is CheckedKind.LOAD:
        unwritten = e.temporary(I64)
    elif any(shadow.unwritten != NONE for shadow in shadows):
        unwritten = e.temporary(I64)
        for position, shadow in enumerate(shadows):
            e.line(f"store i64 {shadow.unwritten}, ptr {e.element_of_masks(unwritten, position)}")
    for shadow in shadows:
        tainted = undefined.either(tainted, shadow.tainted)
    address = undefined.any_of_sources()
    more = [("ptr", data)] if access.space == "lds" else []
    undefined_arguments = (("ptr", unwritten), ("i64", address), ("i64", tainted), *more)
    allowed = _call(e, access, size, kind, mask, undefined_arguments, returns=returns)
    if kind is CheckedKind.LOAD:
        masks = [e.value(f"load i64, ptr {e.element_of_masks(unwritten, position)}") for position in range(words)]
        undefined.results = [*(undefined.results or []), *(Shadow(NONE, bits) for bits in masks)]
    elif kind in (CheckedKind.ATOMIC, CheckedKind.EXCHANGE):
        undefined.results = [Shadow()] * words
    return allowed


def _check_races(e: Emitter, access: CheckedAccess, size: int, kind: CheckedKind, mask: str | None, data: str) -> None:
    assert e.instruction is not None
    is_scoped = "sc1" in e.instruction.modifiers
    e.call_void(
        f"w2w_race_{access.space}",
        *access.arguments(e, mask),
        ("i32", str(size)),
        ("i32", str(int(kind) + (_SCOPED if is_scoped else 0))),
        ("ptr", data),
    )


def _call(
    e: Emitter,
    access: CheckedAccess,
    size: int,
    kind: CheckedKind,
    mask: str | None,
    undefined: Sequence[tuple[str, str]] = (("ptr", "null"), ("i64", NONE), ("i64", NONE)),
    *,
    returns: bool,
) -> str:
    return e.call(
        f"w2w_check_{access.space}",
        "i64",
        *access.arguments(e, mask),
        ("i32", str(size)),
        ("i32", str(int(kind) + (_RETURNS if returns else 0))),
        *undefined,
    )


def check_scalar(e: Emitter, pointer: str, size: int, kind: CheckedKind) -> str:
    """``pointer``, or one to zeros if an access of ``size`` bytes there may not happen."""
    if not e.flavour.watches_memory:
        return pointer
    address = e.value(f"ptrtoint ptr {pointer} to i64")
    may = e.call(
        "w2w_check_scalar", "i32", ("ptr", "%wave"), ("i64", address), ("i32", str(size)), ("i32", str(int(kind)))
    )
    if e.undefined is not None:
        e.undefined.scalar_result = NONE
    zeros = e.temporary(I32)
    e.line(f"store {I32} zeroinitializer, ptr {zeros}, align 64")
    return e.value(f"select i1 {e.compare('ne', 'i32', may, '0')}, ptr {pointer}, ptr {zeros}")
