"""Profiles for people, on a terminal."""

from __future__ import annotations

import re

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandbox.models import Evidence, KernelProfile, Occupancy, Profile
from sandbox.profiling.bottleneck import RESOURCES, count, describe_bottleneck, percent
from sandbox.profiling.collect import merge_shapes
from sandbox.profiling.devices import Part, load_parts
from sandbox.profiling.metrics import Metrics, compute_metrics
from service.text import printable

_NOTE = {
    Evidence.EMULATED: "emulated: instructions, lanes and bytes are counted; requests, LDS clocks and what limits a "
    "kernel are modelled; nothing was timed",
    Evidence.HARDWARE: "hardware: what limits a kernel is modelled",
}
_SPACES = ("global", "LDS", "scratch")
_KINDS = {"READ": "read", "WRITE": "written", "ATOMIC": "by atomics"}


def print_profile(console: Console, profile: Profile) -> None:
    """A block a kernel, in the order of first launches."""
    part = load_parts().get(profile.target)
    product = f" ({part.device})" if part else ""
    console.print(Text(f"{profile.device}{product}, {_NOTE.get(profile.evidence, profile.evidence)}", style="dim"))
    kernels = merge_shapes(profile)
    for kernel in kernels:
        console.print()
        _print_kernel(console, kernel, part)
    if not kernels:
        console.print("no kernel was launched")
    if profile.truncated:
        console.print(Text("more launches happened than were recorded", style="bold yellow"))


def _print_kernel(console: Console, kernel: KernelProfile, part: Part | None) -> None:
    metrics = compute_metrics(kernel, part)
    head = Text(printable(short_name(kernel.kernel)), style="bold")
    head.append(f"  {_amount(kernel.launches, 'launch', 'launches')}", style="default")
    if metrics.waves is not None:
        head.append(f", {count(metrics.waves)} wavefronts", style="default")
    console.print(head)
    table = Table.grid(padding=(0, 2))
    for name, value in _rows(kernel, metrics):
        table.add_row(Text(f"  {name}", style="dim"), Text(value))
    console.print(table)
    console.print(Text(f"  {describe_bottleneck(kernel, part)}"))


def _rows(kernel: KernelProfile, metrics: Metrics) -> list[tuple[str, str]]:
    grid, block = kernel.grid, kernel.block
    rows = [("shape", f"{grid.x}x{grid.y}x{grid.z} work-groups of {block.x}x{block.y}x{block.z} work-items")]
    if metrics.instructions:
        rows.append(("wave instructions", _mix(metrics.instructions)))
    if metrics.active_lanes is not None:
        rows.append(("active lanes", percent(metrics.active_lanes)))
    if metrics.coalescing is not None:
        rows.append(("coalescing", percent(metrics.coalescing) + _lines(metrics)))
    if metrics.lds_conflicts is not None:
        rows.append(("LDS conflicts", f"{percent(metrics.lds_conflicts)} of {count(metrics.lds_cycles)} LDS clocks"))
    rows += [(f"{space} bytes", text) for space in _SPACES if (text := _bytes(kernel, space))]
    if metrics.atomics:
        same = count(metrics.atomics_on_one_address)
        rows.append(("atomics", f"{count(metrics.atomics)} lane operations, {same} on a shared address"))
    if kernel.facts is not None:
        rows.append(("registers", _registers(kernel)))
    if kernel.occupancy is not None:
        rows.append(("occupancy", _occupancy(kernel.occupancy)))
    return rows


def _mix(instructions: dict[str, float]) -> str:
    total = sum(instructions.values())
    shares = (f"{unit} {percent(100 * number / total)}" for unit, number in instructions.items() if number)
    return f"{count(total)}: {', '.join(shares)}" if total else "none"


def _lines(metrics: Metrics) -> str:
    if metrics.requests is None:
        return ""
    return f" ({count(metrics.requests)} lines requested, {count(metrics.fewest_requests)} would do)"


def _bytes(kernel: KernelProfile, space: str) -> str:
    values = {word: kernel.counter(f"W2W_{space.upper()}_{kind}_BYTES") for kind, word in _KINDS.items()}
    return ", ".join(f"{count(value)} {word}" for word, value in values.items() if value)


def _registers(kernel: KernelProfile) -> str:
    facts = kernel.facts
    assert facts is not None
    text = f"{facts.vgprs} vector"
    text += f" ({facts.agprs} of them AGPRs)" if facts.agprs else ""
    text += f", {facts.sgprs} scalar; {kernel.lds_bytes:,} bytes of LDS, {facts.scratch_bytes:,} of scratch"
    spills = facts.vgpr_spills + facts.sgpr_spills
    return f"{text}; {spills} spilled" if spills else text


def _occupancy(occupancy: Occupancy) -> str:
    waves = f"{occupancy.waves_per_cu} of {occupancy.most_waves_per_cu} wavefronts a compute unit"
    limit = "" if occupancy.limiter == "waves" else f", limited by {RESOURCES[occupancy.limiter][0]}"
    return f"{percent(occupancy.percent)}: {waves}{limit}"


def _amount(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def short_name(mangled: str) -> str:
    """The name without types and template arguments: ``ns::kernel`` of ``_ZN2ns6kernelIfEEvPT_``."""
    if not mangled.startswith("_Z"):
        return mangled
    rest, names = mangled[2:].lstrip("NKL"), []
    while match := re.match(r"(\d+)", rest):
        length = int(match[1])
        names.append(rest[len(match[1]) : len(match[1]) + length])
        rest = rest[len(match[1]) + length :]
    return "::".join(names) or mangled
