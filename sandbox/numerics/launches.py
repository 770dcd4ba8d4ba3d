"""Holds two recordings against each other, launch by launch, and names the first place where they part.

Where the sides launch other kernels, what the host read back from each buffer is compared instead. Allocations are
paired by the order in which each size was allocated, variables by name. A recording comes from inside the program, so
what is found here is diagnosis: it explains a verdict, and may cast doubt on one, but proves nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sandbox.models import Divergence, LaunchComparison
from sandbox.numerics.elements import Bytes, ElementType, Mismatch, element_size, find_mismatch, parameter_types
from sandbox.numerics.recording import Allocation, Contents, RecordedLaunch, Recording, RecordingError
from sandbox.numerics.replay_plan import short_name

By = Literal["host", "launch", "read"]

_MAX_MEMORY = 3 << 30
_WORD = 8


def compare_recordings(reference: Recording, port: Recording, signatures: Mapping[str, str]) -> LaunchComparison:
    """``signatures``: demangled by mangled name, of the reference's kernels. Raises RecordingError."""
    pairs = _pair_allocations(reference, port)
    types = _element_types(reference, signatures)
    comparison = _Comparison(_Side(reference), _Side(port), pairs, types)
    mine, theirs = (tuple(short_name(each.kernel) for each in side.launches) for side in (reference, port))
    if mine == theirs:
        comparison.walk()
    else:
        comparison.compare_reads()
    return comparison.result(len(mine), len(theirs), aligned=mine == theirs)


class _Side:
    """One side's device memory as time goes on."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.allocations = {a.id: a for step in recording.steps for a in step.allocated}
        self._memory: dict[int, Bytes] = {}
        if sum(a.size for a in self.allocations.values() if a.tracked) > _MAX_MEMORY:
            raise RecordingError(f"more than {_MAX_MEMORY >> 30} GiB of device memory were recorded")

    def memory(self, identity: int) -> Bytes:
        """Raises RecordingError for an allocation that is not known."""
        if identity not in self._memory:
            allocation = self.allocations.get(identity)
            if allocation is None or not allocation.tracked:
                raise RecordingError(f"allocation {identity} was changed and not recorded")
            self._memory[identity] = np.zeros(allocation.size, np.uint8)
        return self._memory[identity]

    def apply(self, changes: Iterable[Contents]) -> dict[int, list[tuple[int, int]]]:
        """Take over what changed; the ranges of bytes by allocation. Contents that were not kept stay unknown."""
        ranges: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for change in changes:
            data = self.recording.bytes_of(change)
            memory = self.memory(change.id)
            if change.offset + change.size > len(memory):
                raise RecordingError(f"a change lies outside of allocation {change.id}")
            if data is None:
                raise RecordingError("more bytes changed than were kept")
            memory[change.offset : change.offset + change.size] = np.frombuffer(data, np.uint8)
            ranges[change.id].append((change.offset, change.offset + change.size))
        return ranges

    def pointers_as_places(self, words: Bytes, names: Mapping[int, int]) -> Bytes:
        """64-bit words that point into an allocation become (pair, offset)."""
        values = words[: len(words) // _WORD * _WORD].view(np.uint64).copy()
        for identity, allocation in self.allocations.items():
            inside = (values >= allocation.address) & (values < allocation.address + allocation.size)
            if inside.any() and identity in names:
                values[inside] = values[inside] - np.uint64(allocation.address) + np.uint64((names[identity] + 1) << 48)
        return values.view(np.uint8)


@dataclass
class _Comparison:
    """``pairs``: the reference's allocation to the port's. ``types``: of the reference's allocations."""

    reference: _Side
    port: _Side
    pairs: Mapping[int, int]
    types: Mapping[int, ElementType]
    divergence: Divergence | None = None
    launches: int = 0
    bytes_compared: int = 0
    reordered_buffers: int = 0

    def walk(self) -> None:
        for mine, theirs in zip(self.reference.recording.steps, self.port.recording.steps, strict=False):
            self._compare_changes(mine.by_host, theirs.by_host, mine.launch, "host")
            if self.divergence is None:
                self._compare_changes(mine.by_launch, theirs.by_launch, mine.launch, "launch")
            if self.divergence is not None:
                return
            self.launches += mine.launch is not None

    def _compare_changes(
        self, mine: Iterable[Contents], theirs: Iterable[Contents], launch: RecordedLaunch | None, by: By
    ) -> None:
        left, right = self.reference.apply(mine), self.port.apply(theirs)
        reverse = {port: reference for reference, port in self.pairs.items()}
        touched = {*left, *(reverse[identity] for identity in right if identity in reverse)}
        for identity in sorted(touched):
            if identity not in self.pairs:
                continue
            ranges = [*left.get(identity, ()), *right.get(self.pairs[identity], ())]
            self._compare_range(identity, min(r[0] for r in ranges), max(r[1] for r in ranges), launch, by)
            if self.divergence is not None:
                return

    def _compare_range(self, identity: int, start: int, end: int, launch: RecordedLaunch | None, by: By) -> None:
        expected, got = self.reference.memory(identity), self.port.memory(self.pairs[identity])
        start, end = start // _WORD * _WORD, min(-(-end // _WORD) * _WORD, len(expected), len(got))
        self.bytes_compared += max(0, end - start)
        self._hold(identity, expected[start:end], got[start:end], start, launch, by)

    def compare_reads(self) -> None:
        """What the host copied from each buffer, in order: what a program whose launches differ can be held to."""
        mine, theirs = _reads_of(self.reference.recording), _reads_of(self.port.recording)
        for identity, reads in mine.items():
            others = theirs.get(self.pairs.get(identity, -1), [])
            for left, right in zip(reads, others, strict=False):
                if self.divergence is None and (left.offset, left.size) == (right.offset, right.size):
                    self._compare_read(identity, left, right)

    def _compare_read(self, identity: int, left: Contents, right: Contents) -> None:
        expected, got = self.reference.recording.bytes_of(left), self.port.recording.bytes_of(right)
        if expected is None or got is None:
            return
        self.bytes_compared += left.size
        mine, theirs = np.frombuffer(expected, np.uint8), np.frombuffer(got, np.uint8)
        self._hold(identity, mine, theirs, left.offset, None, "read")

    def _hold(
        self, identity: int, expected: Bytes, got: Bytes, start: int, launch: RecordedLaunch | None, by: By
    ) -> None:
        if np.array_equal(expected, got):
            return
        kind = self.types.get(identity, "words")
        mismatch = find_mismatch(kind, expected, got)
        if mismatch is not None and kind in ("words", "int64", "uint64"):
            names = {port: reference for reference, port in self.pairs.items()}
            expected = self.reference.pointers_as_places(expected, {i: i for i in self.pairs})
            mismatch = find_mismatch(kind, expected, self.port.pointers_as_places(got, names))
        if mismatch is not None and mismatch.is_reordering:
            self.reordered_buffers += 1
        elif mismatch is not None:
            self.divergence = self._describe(identity, kind, mismatch, start // element_size(kind), launch, by)

    def _describe(
        self, identity: int, kind: ElementType, mismatch: Mismatch, first: int, launch: RecordedLaunch | None, by: By
    ) -> Divergence:
        allocation = self.reference.allocations[identity]
        return Divergence(
            launch=launch.index if launch is not None else None,
            kernel=launch.kernel if launch is not None else "",
            by=by,
            buffer=_buffer_name(allocation, launch),
            element=first + mismatch.index,
            element_type=kind,
            expected=mismatch.expected,
            got=mismatch.got,
            elements=mismatch.count,
        )

    def result(self, mine: int, theirs: int, *, aligned: bool) -> LaunchComparison:
        return LaunchComparison(
            aligned=aligned,
            reference_launches=mine,
            port_launches=theirs,
            same_launches=self.launches,
            bytes_compared=self.bytes_compared,
            unpaired_allocations=len(self.reference.allocations) - len(self.pairs),
            reordered_buffers=self.reordered_buffers,
            complete=self.reference.recording.is_complete and self.port.recording.is_complete,
            divergence=self.divergence,
        )


def _reads_of(recording: Recording) -> dict[int, list[Contents]]:
    reads: dict[int, list[Contents]] = defaultdict(list)
    for step in recording.steps:
        for read in step.reads:
            reads[read.id].append(read)
    return reads


def _pair_allocations(reference: Recording, port: Recording) -> dict[int, int]:
    theirs = {key: a.id for key, a in _keyed(port)}
    return {a.id: theirs[key] for key, a in _keyed(reference) if key in theirs and a.tracked}


def _keyed(recording: Recording) -> Iterable[tuple[tuple[str, str, int, int], Allocation]]:
    seen: Counter[tuple[str, str, int]] = Counter()
    for step in recording.steps:
        for allocation in step.allocated:
            if not allocation.tracked:
                continue
            key = (allocation.kind, allocation.name, allocation.size)
            yield (*key, seen[key]), allocation
            seen[key] += 1


def _element_types(recording: Recording, signatures: Mapping[str, str]) -> dict[int, ElementType]:
    """From the parameters through which kernels were given the allocations. Where they disagree, ``words``."""
    types: dict[int, ElementType] = {}
    live: dict[int, Allocation] = {}
    for step in recording.steps:
        live |= {a.id: a for a in step.allocated}
        for identity in step.freed:
            live.pop(identity, None)
        if step.launch is None:
            continue
        pointees = parameter_types(signatures.get(step.launch.kernel, ""))
        for (_, argument), pointee in zip(step.launch.arguments, pointees, strict=False):
            allocation = _pointed_at(argument, live.values())
            if allocation is not None and pointee is not None:
                known = types.setdefault(allocation.id, pointee)
                types[allocation.id] = known if known == pointee else "words"
    return types


def _pointed_at(argument: bytes, live: Iterable[Allocation]) -> Allocation | None:
    if len(argument) != _WORD:
        return None
    address = int.from_bytes(argument, "little")
    return next((a for a in live if a.address <= address < a.address + a.size), None)


def _buffer_name(allocation: Allocation, launch: RecordedLaunch | None) -> str:
    if allocation.kind == "symbol":
        return f"variable {allocation.name}"
    for number, (_, argument) in enumerate(launch.arguments if launch is not None else ()):
        if _pointed_at(argument, [allocation]) is not None:
            return f"argument {number} ({allocation.size} bytes, allocation {allocation.id})"
    return f"allocation {allocation.id} ({allocation.size} bytes, {allocation.kind})"
