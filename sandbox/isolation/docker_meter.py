"""Limits held by Docker's daemon: it sets up control groups, and we look at what they count.

Where the container's groups can be seen from here they are read directly. Elsewhere the daemon is asked, which takes
it a second; it does not tell of refused processes, so standing at the limit counts as breaking it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from sandbox.isolation.cgroup import visible_groups
from sandbox.isolation.cgroup_counts import Counts, GroupCounts, group_counts
from sandbox.isolation.cgroup_meter import CountsMeter
from sandbox.isolation.docker_daemon import Connect, connection
from sandbox.isolation.protocol import LimitName, Limits


class DockerMeter(CountsMeter):
    """``first_pid`` is the container's pid 1 as the daemon sees it."""

    def __init__(self, connect: Connect, container: str, first_pid: int, limits: Limits) -> None:
        self._connect = connect
        self._container = container
        super().__init__(_direct_counts(container, first_pid) or _DaemonCounts(connect, container), limits)

    def enforced_at_end(self) -> LimitName | None:
        with connection(self._connect) as client:
            if client.inspect_container(self._container)["State"]["OOMKilled"]:
                return LimitName.MEMORY
        return super().enforced_at_end()


def _direct_counts(container: str, first_pid: int) -> GroupCounts | None:
    with suppress(OSError):
        membership = Path(f"/proc/{first_pid}/cgroup").read_text()
        found = visible_groups(membership)
        # Another process has that pid here if the daemon counts in another pid namespace.
        if container in membership and found is not None:
            counts = group_counts(found.version, found.parents)
            counts.read()
            return counts
    return None


class _DaemonCounts:
    def __init__(self, connect: Connect, container: str) -> None:
        self._connect = connect
        self._container = container

    def read(self) -> Counts:
        with connection(self._connect) as client:
            stats = client.stats(self._container, stream=False, one_shot=True)
        pids: dict[str, Any] = stats.get("pids_stats", {})
        memory: dict[str, Any] = stats.get("memory_stats", {})
        if "current" not in pids:
            raise ProcessLookupError("a container that has ended has no statistics")
        return Counts(
            out_of_memory_kills=0,
            refused_processes=int(pids["current"] >= pids.get("limit", float("inf"))),
            cpu_seconds=stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9,
            peak_bytes=memory.get("max_usage", memory.get("usage")),
        )
