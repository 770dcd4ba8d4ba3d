"""What the kernel counts in a control group, for both versions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

MEMORY, PIDS, CPU = "memory", "pids", "cpuacct"


@dataclass(frozen=True)
class Counts:
    """``out_of_memory_kills`` and ``refused_processes`` since the group was made; ``peak_bytes`` None where the
    kernel does not tell."""

    out_of_memory_kills: int
    refused_processes: int
    cpu_seconds: float
    peak_bytes: int | None


class GroupCounts(Protocol):
    """Reads one group. Used from one thread at a time."""

    def read(self) -> Counts:
        """Raises OSError once the group is gone."""


@dataclass(frozen=True)
class V1Counts:
    """``groups``: the directory of each controller."""

    groups: dict[str, Path]

    def read(self) -> Counts:
        memory = self.groups[MEMORY]
        return Counts(
            out_of_memory_kills=_field(memory / "memory.oom_control", "oom_kill"),
            refused_processes=_field(self.groups[PIDS] / "pids.events", "max"),
            cpu_seconds=_number(self.groups[CPU] / "cpuacct.usage") / 1e9,
            peak_bytes=_number(memory / "memory.max_usage_in_bytes"),
        )


@dataclass(frozen=True)
class V2Counts:
    """``group``: its one directory."""

    group: Path

    def read(self) -> Counts:
        peak = self.group / "memory.peak"  # since Linux 5.19
        return Counts(
            out_of_memory_kills=_field(self.group / "memory.events", "oom_kill"),
            refused_processes=_field(self.group / "pids.events", "max"),
            cpu_seconds=_field(self.group / "cpu.stat", "usage_usec") / 1e6,
            peak_bytes=_number(peak) if peak.exists() else None,
        )


def group_counts(version: int, groups: dict[str, Path]) -> GroupCounts:
    """``groups`` as in ``cgroup.Hierarchy.parents``."""
    return V2Counts(groups[MEMORY]) if version == 2 else V1Counts(groups)


def _number(path: Path) -> int:
    return int(path.read_text())


def _field(path: Path, name: str) -> int:
    """The integer after ``name`` in a file of ``name value`` lines; 0 if the line is absent."""
    for line in path.read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
