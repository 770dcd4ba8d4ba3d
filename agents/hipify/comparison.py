"""Where translators disagree about a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Difference:
    """Lines ``first`` to before ``end`` of the reference, counted from 1, and what each translator has there."""

    first: int
    end: int
    texts: Mapping[str, tuple[str, ...]]


def compare_texts(reference: str, texts: Mapping[str, str]) -> list[Difference]:
    """Differences of ``texts`` from the one called ``reference``, in order; blanks at the end of a line are none."""
    own = _lines(texts[reference])
    changes = {
        name: [op for op in SequenceMatcher(None, own, _lines(text), autojunk=False).get_opcodes() if op[0] != "equal"]
        for name, text in texts.items()
        if name != reference
    }
    ranges = _merge(sorted((op[1], op[2]) for ops in changes.values() for op in ops))
    found: list[Difference] = []
    for first, end in ranges:
        pieces: dict[str, tuple[str, ...]] = {reference: tuple(own[first:end])}
        for name, ops in changes.items():
            pieces[name] = _piece(own, _lines(texts[name]), ops, first, end)
        found.append(Difference(first + 1, end + 1, pieces))
    return found


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def _merge(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, end in ranges:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((first, end))
    return merged


def _piece(
    own: list[str], other: list[str], changes: Sequence[tuple[str, int, int, int, int]], first: int, end: int
) -> tuple[str, ...]:
    """The lines of ``other`` that stand for ``own[first:end]``."""
    lines: list[str] = []
    at = first
    for _, start, stop, other_start, other_stop in changes:
        if stop < first or start > end:
            continue
        lines += own[at:start]
        lines += other[other_start:other_stop]
        at = max(at, stop)
    return tuple(lines + own[at:end])
