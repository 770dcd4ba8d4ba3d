"""What turns unpacked packages into a root filesystem: links, files, mount points, and what is left out."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sandbox.toolchain.errors import LockError

LAYOUT_FILE = Path(__file__).with_name("layout.toml")


@dataclass(frozen=True)
class Layout:
    """Paths are relative to the root. ``merged`` maps a first path component to the folder that stands for it."""

    merged: dict[str, str]
    links: dict[str, str]
    files: dict[str, str]
    folders: tuple[str, ...]
    keep: re.Pattern[str]
    skip: re.Pattern[str]

    def skips(self, path: PurePosixPath) -> bool:
        return bool(self.skip.match(str(path))) and not self.keep.match(str(path))


def read_layout(path: Path = LAYOUT_FILE) -> Layout:
    """Raises LockError for unknown tables and for paths that leave the root."""
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        skip = data.pop("skip")
        layout = Layout(
            merged=data.pop("merged"),
            links=data.pop("links"),
            files=data.pop("files"),
            folders=tuple(data.pop("folders")["names"]),
            keep=_any_of(skip["keep"]),
            skip=_any_of(skip["patterns"]),
        )
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise LockError(f"{path}: not a layout: {error!r}") from error
    if data:
        raise LockError(f"{path}: unknown tables: {', '.join(data)}")
    for name in [*layout.merged, *layout.merged.values(), *layout.links, *layout.files, *layout.folders]:
        if name.startswith("/") or ".." in PurePosixPath(name).parts:
            raise LockError(f"{path}: {name!r} does not lie in the root")
    return layout


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns))
