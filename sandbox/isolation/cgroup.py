"""Control groups: where this process may make them, and making, filling and removing them."""

from __future__ import annotations

import os
import re
import signal
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sandbox.isolation.owner import is_orphaned, next_serial, owner_mark

_NAME = re.compile(r"warp2wave-(?P<owner>\d+-\d+-\d+)-\d+")
_V1_CONTROLLERS = ("memory", "pids", "cpuacct")
_V2_CONTROLLERS = frozenset({"memory", "pids"})


@dataclass(frozen=True)
class Hierarchy:
    """Where groups can be made: ``parents`` maps a controller to a directory; for version 2 all to the same."""

    version: int
    parents: dict[str, Path]


@cache
def usable_hierarchy() -> Hierarchy | None:
    """Version 2 if delegated to this process, else version 1 if writable, else None. Removes orphans once."""
    mounts = Path("/proc/self/mountinfo").read_text()
    membership = Path("/proc/self/cgroup").read_text()
    hierarchy = find_v2(mounts, membership) or find_v1(mounts, membership)
    if hierarchy is not None:
        remove_orphans(hierarchy)
    return hierarchy


def find_v2(mounts: str, membership: str) -> Hierarchy | None:
    """The nearest group, from our own upwards, that hands memory and pids to its children and that we may write to.

    ``mounts`` and ``membership`` are the texts of ``/proc/self/mountinfo`` and ``/proc/self/cgroup``.
    """
    own = next((line[3:] for line in membership.splitlines() if line.startswith("0::")), None)
    for root, kind, _, mount_point in _cgroup_mounts(mounts):
        if kind != "cgroup2" or own is None:
            continue
        folder = _below(mount_point, root, own)
        while folder is not None and folder.is_relative_to(mount_point):
            if _hands_on(folder) and _may_make_groups(folder):
                return Hierarchy(2, dict.fromkeys(_V2_CONTROLLERS, folder))
            folder = folder.parent
    return None


def find_v1(mounts: str, membership: str) -> Hierarchy | None:
    """Our own group of the memory, pids and cpuacct hierarchies, if all are there and writable."""
    own = {}
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    parents = {}
    for root, kind, options, mount_point in _cgroup_mounts(mounts):
        for controller in _V1_CONTROLLERS:
            if kind == "cgroup" and controller in options and controller in own:
                folder = _below(mount_point, root, own[controller])
                if folder is not None and _may_make_groups(folder):
                    parents[controller] = folder
    return Hierarchy(1, parents) if parents.keys() == set(_V1_CONTROLLERS) else None


def _cgroup_mounts(mounts: str) -> list[tuple[str, str, set[str], Path]]:
    """(root in the hierarchy, filesystem type, options, mount point) of each cgroup mount."""
    found = []
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, mount_point = before.split(" ")[3:5]
            found.append((root, kind, set(options.split(",")), Path(mount_point)))
    return found


def _below(mount_point: Path, root: str, own: str) -> Path | None:
    """The directory of group ``own`` in a mount that shows the hierarchy from ``root`` down."""
    if Path(own).is_relative_to(root):
        return mount_point / Path(own).relative_to(root)
    return None


def _hands_on(folder: Path) -> bool:
    try:
        return set((folder / "cgroup.subtree_control").read_text().split()) >= _V2_CONTROLLERS
    except OSError:
        return False


def _may_make_groups(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def make_groups(hierarchy: Hierarchy) -> dict[str, Path]:
    """One new group per controller (version 2: one for all), marked with this process. Raises OSError."""
    name = f"warp2wave-{owner_mark()}-{next_serial()}"
    groups = {controller: parent / name for controller, parent in hierarchy.parents.items()}
    for folder in set(groups.values()):
        folder.mkdir()
    return groups


def remove_group(folder: Path) -> None:
    """Kill what is left in it and remove it. A group that will not go stays for ``remove_orphans``."""
    for _ in range(50):
        try:
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            _kill_members(folder)
            time.sleep(0.01)


def _kill_members(folder: Path) -> None:
    try:
        for pid in (folder / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
    except OSError:
        pass  # it ended meanwhile, or the whole group did


def remove_orphans(hierarchy: Hierarchy) -> None:
    """Remove the groups of processes that have ended, wherever in the hierarchy they ran."""
    for parent in set(hierarchy.parents.values()):
        mount_point = next(folder for folder in (parent, *parent.parents) if folder.is_mount() or folder == Path("/"))
        for folder, children, _ in os.walk(mount_point):
            for child in children:
                name = _NAME.fullmatch(child)
                if name is not None and is_orphaned(name["owner"]):
                    remove_group(Path(folder) / child)
