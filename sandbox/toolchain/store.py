"""The folder in which unpacked toolchains are kept: ``<cache>/toolchain/<digest>/``.

A folder appears under its digest only when it is whole. One process at a time makes a folder; others wait.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.toolchain.errors import DiskSpaceError

_SHORT = 16


def folder_of(store: Path, digest: str) -> Path:
    return store / digest[:_SHORT]


@contextmanager
def locked(store: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the right to write to ``store``; blocks while another process has it, after ``on_wait``.

    Removes what a process that died left half-made.
    """
    store.mkdir(parents=True, exist_ok=True)
    with (store / "lock").open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(stream, fcntl.LOCK_EX)
        for leftover in store.glob("*.partial"):
            remove_tree(leftover)
        yield


@contextmanager
def built(folder: Path) -> Iterator[Path]:
    """A fresh folder that becomes ``folder`` when the block ends well, and vanishes when it does not."""
    partial = folder.with_name(f"{folder.name}.partial")
    partial.mkdir(parents=True)
    try:
        yield partial
        os.sync()  # after a power cut no file may be there without its content
        partial.rename(folder)
    except BaseException:
        remove_tree(partial)
        raise


def remove_tree(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def check_space(folder: Path, needed: int, purpose: str) -> None:
    """Raises DiskSpaceError unless ``needed`` bytes are free where ``folder`` (which may not exist yet) will be."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    if free < needed:
        raise DiskSpaceError(
            f"{purpose} needs {needed / 1e9:.1f} GB in {folder}, and {free / 1e9:.1f} GB are free",
            hint="make room, or set WARP2WAVE_CACHE_DIR to a folder on a larger disk",
            needed=needed,
            free=free,
        )


def link_tree(source: Path, target: Path) -> None:
    """Make ``target`` hold everything in ``source``, files as hard links: neither is ever written to."""
    shutil.copytree(source, target, symlinks=True, copy_function=_link_file)


def _link_file(source: str, target: str) -> None:
    os.link(source, target, follow_symlinks=False)
