"""One sentence on what limits a kernel, with the figures that say so."""

from __future__ import annotations

from sandbox.models import KernelProfile, Occupancy
from sandbox.profiling.devices import Part
from sandbox.profiling.metrics import Metrics, compute_metrics

_LOW_OCCUPANCY_PERCENT = 25
RESOURCES = {
    "vgprs": ("vector registers", "allow"),
    "sgprs": ("scalar registers", "allow"),
    "lds": ("LDS", "allows"),
    "workgroups": ("the number of work-groups", "allows"),
    "waves": ("the slots for wavefronts", "allow"),
}
"""What limits occupancy, and the verb that goes with it."""


def describe_bottleneck(kernel: KernelProfile, part: Part | None) -> str:
    """Names the unit that needs most clocks at its published rate: a model, which knows neither latency nor caches."""
    metrics = compute_metrics(kernel, part)
    total = sum(metrics.unit_clocks.values())
    if not total:
        return "The counters do not say what limits it."
    unit = max(metrics.unit_clocks, key=lambda name: metrics.unit_clocks[name])
    share = 100 * metrics.unit_clocks[unit] / total
    text = f"{_NAMES[unit]} needs most clocks ({share:.0f} % of the units' work, modelled): {_figures(unit, metrics)}"
    if metrics.scratch_bytes:
        text += f"; {count(metrics.scratch_bytes)} bytes go through scratch"
    return text + _occupancy(kernel.occupancy) + "."


_NAMES = {
    "VALU": "The vector ALU",
    "matrix": "The matrix unit",
    "LDS": "LDS",
    "vector memory": "Vector memory",
    "scalar": "The scalar unit",
}


def _figures(unit: str, metrics: Metrics) -> str:
    if unit == "vector memory":
        return _memory_figures(metrics)
    if unit == "LDS":
        conflicts = metrics.lds_conflicts or 0
        return f"{count(metrics.lds_cycles)} clocks, {percent(conflicts)} of them bank conflicts"
    if unit == "matrix":
        return f"{count(metrics.instructions['matrix'])} matrix instructions"
    if unit == "scalar":
        scalar = sum(metrics.instructions.get(name, 0) for name in ("SALU", "scalar memory", "branch"))
        return f"{count(scalar)} scalar instructions beside {count(metrics.instructions['VALU'])} vector ones"
    return f"{count(metrics.instructions['VALU'])} instructions with {percent(metrics.active_lanes)} of lanes active"


def _memory_figures(metrics: Metrics) -> str:
    if not metrics.requests:
        return (
            f"{count(metrics.atomics)} atomic operations, {count(metrics.atomics_on_one_address)} on a shared address"
        )
    return (
        f"{count(metrics.requests)} lines requested for {count(metrics.global_bytes)} bytes where "
        f"{count(metrics.fewest_requests)} would do ({percent(metrics.coalescing)} coalesced)"
    )


def _occupancy(occupancy: Occupancy | None) -> str:
    if occupancy is None or occupancy.percent > _LOW_OCCUPANCY_PERCENT:
        return ""
    resource, verb = RESOURCES[occupancy.limiter]
    return f"; {resource} {verb} only {occupancy.waves_per_cu} wavefronts a compute unit"


def count(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} %"
