"""From the reference's recording to a plan for ``sandbox/vgpu/replay``: the same memory, the same launches, with the
port's kernels.

Each launch starts from what the reference's device memory held before it, so one that goes wrong does not make those
after it look wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sandbox.numerics.recording import Allocation, Contents, RecordedLaunch, Recording

_WORD = 8
_UNPLANNED = "(graph)"


class ReplayError(Exception):
    """The launches cannot be replayed; the message says why."""


def same_launches(reference: Recording, port: Recording) -> tuple[RecordedLaunch, ...]:
    """The port's launches, if they are of the same kernels in the same order as the reference's. Raises ReplayError."""
    if not reference.is_complete:
        raise ReplayError(f"the reference's recording is not complete: {reference.stopped}")
    if len(port.launches) != len(reference.launches):
        raise ReplayError(f"the port launches {len(port.launches)} kernels, the original {len(reference.launches)}")
    for mine, theirs in zip(reference.launches, port.launches, strict=True):
        if short_name(mine.kernel) != short_name(theirs.kernel):
            what = f"{_shortened(theirs.kernel)}, where the original's is {_shortened(mine.kernel)}"
            raise ReplayError(f"the port's launch {mine.index} is {what}")
    return port.launches


def plan_replay(reference: Recording, kernels: Sequence[str], launches: Sequence[RecordedLaunch]) -> str:
    """The plan's text. ``kernels``: mangled names in the port's code objects. ``launches``: the port's own, whose grid
    and block are used. Raises ReplayError and RecordingError."""
    return "".join(f"{line}\n" for line in _Plan(reference, kernels, launches).lines())


class _Plan:
    def __init__(self, reference: Recording, kernels: Sequence[str], launches: Sequence[RecordedLaunch]) -> None:
        self._reference = reference
        self._shapes = iter(launches)
        self._live: dict[int, Allocation] = {}
        self._by_short_name: dict[str, list[str]] = defaultdict(list)
        self._names = set(kernels)
        for kernel in kernels:
            self._by_short_name[short_name(kernel)].append(kernel)

    def lines(self) -> Iterator[str]:
        for step in self._reference.steps:
            for identity in step.freed:
                if self._live.pop(identity, None) is not None:
                    yield f"free {identity}"
            for allocation in step.allocated:
                if allocation.tracked and allocation.id not in step.freed:
                    self._live[allocation.id] = allocation
                    yield f"allocate {allocation.id} {allocation.kind} {allocation.size} {_word(allocation.name)}"
            yield from self._writes(step.by_host)
            if step.launch is not None:
                yield self._launch(step.launch)
                yield from self._writes(step.by_launch)

    def _writes(self, changes: Iterable[Contents]) -> Iterator[str]:
        for change in changes:
            if change.id not in self._live:
                continue
            data = self._reference.bytes_of(change)
            if data is None:
                raise ReplayError("more bytes changed than a recording keeps")
            skip = -change.offset % _WORD
            pointers = self._pointers(data, skip)
            yield f"write {change.id} {change.offset} {change.size} {change.at} {pointers}"

    def _launch(self, launch: RecordedLaunch) -> str:
        if launch.kernel == _UNPLANNED:
            raise ReplayError(f"launch {launch.index} is a graph")
        block = bytearray(max((offset + len(data) for offset, data in launch.arguments), default=0))
        for offset, data in launch.arguments:
            block[offset : offset + len(data)] = data
        shape = next(self._shapes)
        extents = (shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y, shape.block.z, shape.shared)
        pointers = self._pointers(bytes(block), 0)
        return f"launch {' '.join(map(str, extents))} {self._kernel(launch)} {block.hex() or '-'} {pointers}"

    def _kernel(self, launch: RecordedLaunch) -> str:
        if launch.kernel in self._names:
            return launch.kernel
        found = self._by_short_name[short_name(launch.kernel)]
        if len(found) != 1:
            what = "more than one kernel" if found else "no kernel"
            raise ReplayError(f"the port has {what} for launch {launch.index}, {_shortened(launch.kernel)}")
        return found[0]

    def _pointers(self, data: bytes, skip: int) -> str:
        """Words of ``data``, from byte ``skip`` on, that hold an address in live memory: count, then place,
        allocation and offset of each."""
        whole = (len(data) - skip) // _WORD * _WORD
        if whole <= 0 or not self._live:
            return "0"
        values = np.frombuffer(data, np.uint64, whole // _WORD, skip)
        allocations = sorted(self._live.values(), key=lambda a: a.address)
        starts = np.array([a.address for a in allocations], np.uint64)
        ends = np.array([a.address + a.size for a in allocations], np.uint64)
        places = np.searchsorted(starts, values, side="right").astype(np.int64) - 1
        inside = np.flatnonzero((places >= 0) & (values < ends[np.maximum(places, 0)]))
        found = [
            f"{skip + _WORD * int(i)} {allocations[places[i]].id} {int(values[i]) - allocations[places[i]].address}"
            for i in inside
        ]
        return " ".join([str(len(found)), *found])


def short_name(kernel: str) -> str:
    """The function's name without its parameters, whose mangling may differ between the compilers."""
    if not kernel.startswith("_Z"):
        return kernel
    rest, parts = kernel[2:].lstrip("NL"), []
    while rest[:1].isdigit():
        digits = len(rest) - len(rest.lstrip("0123456789"))
        end = digits + int(rest[: min(digits, 6)])
        parts.append(rest[digits:end])
        rest = rest[end:].lstrip("L")
    return "::".join(parts) or kernel


def _shortened(name: str) -> str:
    return name if len(name) <= 100 else f"{name[:100]}..."


def _word(name: str) -> str:
    return name if name and not any(c.isspace() for c in name) else "-"
