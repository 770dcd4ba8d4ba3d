"""Sums dispatches up: those of one kernel with one shape become one ``KernelProfile``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sandbox.models import Counter, Dim3, Evidence, KernelFacts, KernelProfile, Occupancy, Profile
from sandbox.profiling.devices import load_parts
from sandbox.profiling.occupancy import limit_occupancy
from sandbox.profiling.records import DispatchRecord, Recording
from sandbox.profiling.tables import load_counters


@dataclass
class _Sum:
    first: DispatchRecord
    launches: int = 0
    counters: dict[str, float] = field(default_factory=dict)

    def add(self, record: DispatchRecord) -> None:
        self.launches += 1
        for name, value in record.counters.items():
            self.counters[name] = self.counters.get(name, 0.0) + value


def make_profile(recording: Recording, device: str, evidence: Evidence, *, target: str = "") -> Profile:
    """``target``: where the source does not say."""
    target = next((record.target for record in recording.dispatches if record.target), target)
    sums: dict[tuple[object, ...], _Sum] = {}
    for record in recording.dispatches:
        key = (record.kernel, _axes(record.grid), _axes(record.workgroup), record.lds_bytes, record.scratch_bytes)
        sums.setdefault(key, _Sum(record)).add(record)
    return Profile(
        device=device,
        target=target,
        layout=recording.layout,
        evidence=evidence,
        kernels=tuple(_kernel_profile(each, target) for each in sums.values()),
        truncated=recording.truncated,
    )


def with_facts(profile: Profile, kernels: Iterable[KernelFacts]) -> Profile:
    """``profile`` with what the code object says of its kernels, and the occupancy that follows."""
    facts = {kernel.name: kernel for kernel in kernels}
    named = (
        kernel.model_copy(
            update={
                "facts": facts[kernel.kernel],
                "occupancy": _occupancy(facts[kernel.kernel], kernel.block, kernel.lds_bytes, profile.target),
            }
        )
        if kernel.kernel in facts
        else kernel
        for kernel in profile.kernels
    )
    return profile.model_copy(update={"kernels": tuple(named)})


def merge_shapes(profile: Profile) -> tuple[KernelProfile, ...]:
    """One entry a kernel, whatever shapes it was launched with; shape and occupancy are those of its first launch."""
    merged: dict[str, KernelProfile] = {}
    for kernel in profile.kernels:
        known = merged.get(kernel.kernel)
        if known is None:
            merged[kernel.kernel] = kernel
            continue
        values = {counter.name: counter for counter in known.counters}
        for counter in kernel.counters:
            old = values.get(counter.name)
            total = counter.value + (old.value if old else 0)
            values[counter.name] = counter.model_copy(update={"value": total})
        update = {"launches": known.launches + kernel.launches, "counters": tuple(values.values())}
        merged[kernel.kernel] = known.model_copy(update=update)
    return tuple(merged.values())


def _axes(size: Dim3) -> tuple[int, int, int]:
    return (size.x, size.y, size.z)


def _kernel_profile(each: _Sum, target: str) -> KernelProfile:
    record = each.first
    facts = _facts_of_source(record)
    known = load_counters()
    counters = (
        Counter(name=name, value=value, unit=known[name].unit if name in known else "")
        for name, value in each.counters.items()
    )
    return KernelProfile(
        kernel=record.kernel,
        launches=each.launches,
        grid=_groups(record),
        block=record.workgroup,
        lds_bytes=record.lds_bytes,
        scratch_bytes=record.scratch_bytes,
        counters=tuple(counters),
        facts=facts,
        occupancy=_occupancy(facts, record.workgroup, record.lds_bytes, target) if facts else None,
    )


def _groups(record: DispatchRecord) -> Dim3:
    sizes = {axis: -(-getattr(record.grid, axis) // max(1, getattr(record.workgroup, axis))) for axis in "xyz"}
    return Dim3(**sizes)


def _facts_of_source(record: DispatchRecord) -> KernelFacts | None:
    if record.vgprs is None or record.sgprs is None:
        return None
    agprs = record.agprs or 0
    return KernelFacts(
        name=record.kernel,
        vgprs=record.vgprs + agprs,
        sgprs=record.sgprs,
        agprs=agprs,
        scratch_bytes=record.scratch_bytes,
    )


def _occupancy(facts: KernelFacts, block: Dim3, lds_bytes: int, target: str) -> Occupancy | None:
    part = load_parts().get(target)
    return limit_occupancy(facts, block.x * block.y * block.z, lds_bytes, part) if part else None
