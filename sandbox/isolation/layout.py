"""Mount points that a root filesystem lacks.

A read-only root cannot grow a directory. Where a mount's target is missing, the directory that should hold it is
rebuilt as an empty one, with each of its entries mounted into place, and so are the directories above it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.errors import InputError, IsolationError

_MAX_ENTRIES = 512


@dataclass(frozen=True)
class Entry:
    """One thing to put at ``target``: a read-only view of ``source``, a symlink to ``link``, or a new folder."""

    target: PurePosixPath
    source: Path | None = None
    link: str | None = None


def root_entries(root: Path, targets: Iterable[PurePosixPath]) -> list[Entry]:
    """What to mount, in order, so that ``root`` shows at ``/`` and every target that is not inside another can be
    made. A single entry where the root has them all.

    Raises InputError where a target leads through a symlink, IsolationError where rebuilding would take too much.
    """
    rebuilt: set[PurePosixPath] = set()
    for target in targets:
        holder = nearest_folder(root, target)
        if holder != target:
            rebuilt |= {holder, *holder.parents}
    if not rebuilt:
        return [Entry(PurePosixPath("/"), source=root)]
    return list(_rebuild(root, PurePosixPath("/"), rebuilt))


def nearest_folder(root: Path, target: PurePosixPath) -> PurePosixPath:
    """``target`` if it exists in ``root``, else the deepest folder above it that does.

    Raises InputError where the way leads through a symlink: it would be followed on the host.
    """
    deepest = PurePosixPath("/")
    for part in target.parts[1:]:
        inside = root / (deepest / part).relative_to("/")
        if inside.is_symlink():
            raise InputError(f"mount target {target} leads through the symlink {deepest / part}")
        if not inside.exists():
            return deepest
        deepest /= part
    return deepest


def _rebuild(root: Path, folder: PurePosixPath, rebuilt: set[PurePosixPath]) -> Iterator[Entry]:
    with os.scandir(root / folder.relative_to("/")) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    if len(entries) > _MAX_ENTRIES:
        raise IsolationError(
            f"a mount point in {folder} is missing from the root filesystem", hint=f"create it in {root}"
        )
    for entry in entries:
        target = folder / entry.name
        if target in rebuilt:
            yield Entry(target)
            yield from _rebuild(root, target, rebuilt)
        elif entry.is_symlink():
            yield Entry(target, link=str(Path(entry.path).readlink()))
        else:
            yield Entry(target, source=Path(entry.path))
