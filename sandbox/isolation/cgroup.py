"""Control groups: where this process may make them, and making and removing them."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sandbox.isolation.cgroup_counts import CPU, MEMORY, PIDS
from sandbox.isolation.owner import is_orphaned, next_serial, owner_mark

_NAME = re.compile(r"warp2wave-(?P<owner>\d+-\d+-\d+)-\d+")
_V1_CONTROLLERS = (MEMORY, PIDS, CPU)
_V2_CONTROLLERS = frozenset({MEMORY, PIDS})


@dataclass(frozen=True)
class Hierarchy:
    """Directories of groups: ``parents`` maps a controller to one; for version 2 all to the same. ``mounts`` are
    the mount points that they lie under."""

    version: int
    parents: dict[str, Path]
    mounts: frozenset[Path] = frozenset()


@dataclass(frozen=True)
class _Mount:
    root: str
    kind: str
    options: frozenset[str]
    point: Path


@cache
def usable_hierarchy() -> Hierarchy | None:
    """Where groups for sandboxes can be made: version 2, else version 1, else None. Removes orphans once."""
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
    for mount in _cgroup_mounts(mounts):
        folder = _own_folder(mount, membership, "") if mount.kind == "cgroup2" else None
        while folder is not None and folder.is_relative_to(mount.point):
            if _hands_on(folder) and _may_make_groups(folder):
                return Hierarchy(2, dict.fromkeys(_V2_CONTROLLERS, folder), frozenset({mount.point}))
            folder = folder.parent
    return None


def find_v1(mounts: str, membership: str) -> Hierarchy | None:
    """Our own group of the memory, pids and cpuacct hierarchies, if all are there and writable."""
    own = _v1_folders(mounts, membership)
    usable = len(own) == len(_V1_CONTROLLERS) and all(map(_may_make_groups, own.values()))
    points = {mount.point for mount in _cgroup_mounts(mounts) if mount.options & own.keys()}
    return Hierarchy(1, own, frozenset(points)) if usable else None


def visible_groups(membership: str) -> Hierarchy | None:
    """The groups of another process, of whose ``/proc/PID/cgroup`` this is the text, as far as we can see them."""
    mounts = Path("/proc/self/mountinfo").read_text()
    own = _v1_folders(mounts, membership)
    if len(own) == len(_V1_CONTROLLERS):
        return Hierarchy(1, own)
    for mount in _cgroup_mounts(mounts):
        folder = _own_folder(mount, membership, "") if mount.kind == "cgroup2" else None
        if folder is not None:
            return Hierarchy(2, dict.fromkeys(_V2_CONTROLLERS, folder))
    return None


def _v1_folders(mounts: str, membership: str) -> dict[str, Path]:
    folders = {}
    for mount in _cgroup_mounts(mounts):
        for controller in _V1_CONTROLLERS:
            if mount.kind == "cgroup" and controller in mount.options:
                folder = _own_folder(mount, membership, controller)
                if folder is not None:
                    folders[controller] = folder
    return folders


def _cgroup_mounts(mounts: str) -> Iterator[_Mount]:
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = before.split(" ")[3:5]
            yield _Mount(root, kind, frozenset(options.split(",")), Path(point))


def _own_folder(mount: _Mount, membership: str, controller: str) -> Path | None:
    """The directory of the group that ``membership`` names for ``controller`` ("" for version 2), if in ``mount``."""
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(",") and Path(path).is_relative_to(mount.root):
            return mount.point / Path(path).relative_to(mount.root)
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
    for _ in range(100):
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
    for mount in hierarchy.mounts:
        for folder, children, _ in os.walk(mount):
            for child in children:
                name = _NAME.fullmatch(child)
                if name is not None and is_orphaned(name["owner"]):
                    remove_group(Path(folder) / child)
