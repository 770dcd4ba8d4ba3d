"""Limits held by the kernel's control groups: the exact way, where groups can be made."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sandbox.isolation.cgroup import Hierarchy, make_groups, remove_group
from sandbox.isolation.cgroup_counts import MEMORY, PIDS, Counts, GroupCounts, group_counts
from sandbox.isolation.protocol import LimitName, Limits

# Our own first process is in the group too.
_OWN_PROCESSES = 1


class CountsMeter:
    """Judges what a group counts. Keeps the last counts for when the group is gone."""

    def __init__(self, counts: GroupCounts, limits: Limits) -> None:
        self._counts = counts
        self._cpu_limit = limits.cpu_seconds
        self._last: Counts | None = None

    def broken_limit(self) -> LimitName | None:
        with suppress(OSError):
            self._last = self._counts.read()
        last = self._last
        if last is None:
            return None
        if last.out_of_memory_kills > 0:
            return LimitName.MEMORY
        if last.refused_processes > 0:
            return LimitName.PIDS
        return LimitName.CPU_TIME if last.cpu_seconds > self._cpu_limit else None

    def enforced_at_end(self) -> LimitName | None:
        broken = self.broken_limit()
        return None if broken is LimitName.CPU_TIME else broken

    def cpu_seconds(self) -> float | None:
        return None if self._last is None else self._last.cpu_seconds

    def peak_memory_bytes(self) -> int | None:
        return None if self._last is None else self._last.peak_bytes

    def close(self) -> None:
        """Nothing: the group belongs to another."""


class CgroupMeter(CountsMeter):
    """A new group in ``hierarchy``, limited, which ``pid`` enters; it has no children yet. Raises OSError if the
    kernel does not let us."""

    def __init__(self, hierarchy: Hierarchy, limits: Limits, pid: int) -> None:
        self._groups = make_groups(hierarchy)
        super().__init__(group_counts(hierarchy.version, self._groups), limits)
        try:
            (_limit_v2 if hierarchy.version == 2 else _limit_v1)(self._groups, limits)
            for folder in set(self._groups.values()):
                (folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        for folder in set(self._groups.values()):
            remove_group(folder)


def _limit_v1(groups: dict[str, Path], limits: Limits) -> None:
    memory = groups[MEMORY]
    (memory / "memory.limit_in_bytes").write_text(str(limits.memory_bytes))
    _write_if_there(memory / "memory.memsw.limit_in_bytes", str(limits.memory_bytes))
    (groups[PIDS] / "pids.max").write_text(str(limits.pids + _OWN_PROCESSES))


def _limit_v2(groups: dict[str, Path], limits: Limits) -> None:
    group = groups[MEMORY]
    (group / "memory.max").write_text(str(limits.memory_bytes))
    (group / "pids.max").write_text(str(limits.pids + _OWN_PROCESSES))
    _write_if_there(group / "memory.swap.max", "0")
    _write_if_there(group / "memory.oom.group", "1")


def _write_if_there(path: Path, value: str) -> None:
    """Files of things that a kernel may be built without."""
    if path.exists():
        path.write_text(value)
