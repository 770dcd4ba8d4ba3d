"""Limits held by the kernel's control groups: the exact way, where this process may make groups."""

from __future__ import annotations

from pathlib import Path

from sandbox.isolation.cgroup import Hierarchy, make_groups, remove_group
from sandbox.isolation.meter import read_field, read_number
from sandbox.isolation.protocol import LimitName, Limits

# Our own first process is in the group too.
_OWN_PROCESSES = 1


class CgroupMeter:
    """The group of one sandbox. ``memory_events`` ... are the files that differ between the two versions."""

    def __init__(self, groups: dict[str, Path], limits: Limits) -> None:
        self._groups = groups
        self._limits = limits

    def add(self, pid: int) -> None:
        """Move a process, which has no children yet, into the group. Raises OSError."""
        for folder in set(self._groups.values()):
            (folder / "cgroup.procs").write_text(str(pid))

    def broken_limit(self) -> LimitName | None:
        if self._out_of_memory_kills() > 0:
            return LimitName.MEMORY
        if read_field(self._groups["pids"] / "pids.events", "max") > 0:
            return LimitName.PIDS
        if self.cpu_seconds() > self._limits.cpu_seconds:
            return LimitName.CPU_TIME
        return None

    def close(self) -> None:
        for folder in set(self._groups.values()):
            remove_group(folder)

    def _out_of_memory_kills(self) -> int:
        raise NotImplementedError

    def cpu_seconds(self) -> float:
        raise NotImplementedError

    def peak_memory_bytes(self) -> int | None:
        raise NotImplementedError


class CgroupV1Meter(CgroupMeter):
    def __init__(self, groups: dict[str, Path], limits: Limits) -> None:
        super().__init__(groups, limits)
        memory = groups["memory"]
        (memory / "memory.limit_in_bytes").write_text(str(limits.memory_bytes))
        with_swap = memory / "memory.memsw.limit_in_bytes"
        if with_swap.exists():
            with_swap.write_text(str(limits.memory_bytes))
        (groups["pids"] / "pids.max").write_text(str(limits.pids + _OWN_PROCESSES))

    def _out_of_memory_kills(self) -> int:
        return read_field(self._groups["memory"] / "memory.oom_control", "oom_kill")

    def cpu_seconds(self) -> float:
        return read_number(self._groups["cpuacct"] / "cpuacct.usage") / 1e9

    def peak_memory_bytes(self) -> int:
        return read_number(self._groups["memory"] / "memory.max_usage_in_bytes")


class CgroupV2Meter(CgroupMeter):
    def __init__(self, groups: dict[str, Path], limits: Limits) -> None:
        super().__init__(groups, limits)
        group = groups["memory"]
        (group / "memory.max").write_text(str(limits.memory_bytes))
        (group / "pids.max").write_text(str(limits.pids + _OWN_PROCESSES))
        # Both files are absent where the kernel lacks what they control.
        for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            if (group / name).exists():
                (group / name).write_text(value)

    def _out_of_memory_kills(self) -> int:
        return read_field(self._groups["memory"] / "memory.events", "oom_kill")

    def cpu_seconds(self) -> float:
        return read_field(self._groups["memory"] / "cpu.stat", "usage_usec") / 1e6

    def peak_memory_bytes(self) -> int | None:
        peak = self._groups["memory"] / "memory.peak"
        return read_number(peak) if peak.exists() else None


def cgroup_meter(hierarchy: Hierarchy, limits: Limits) -> CgroupMeter:
    """A new group in ``hierarchy`` that holds ``limits``. Raises OSError."""
    kind = CgroupV2Meter if hierarchy.version == 2 else CgroupV1Meter
    groups = make_groups(hierarchy)
    try:
        return kind(groups, limits)
    except OSError:
        for folder in set(groups.values()):
            remove_group(folder)
        raise
