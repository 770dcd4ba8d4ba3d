"""The shim headers, as files for a port."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from agents.errors import DataError
from agents.models import SourceFile

INCLUDE_FOLDER = Path(__file__).resolve().parent / "include"
_FOLDER = INCLUDE_FOLDER / "warp2wave"
_INCLUDE = re.compile(r'^#include "([\w./]+)"', re.MULTILINE)


@cache
def read_shim(name: str) -> str:
    """The text of one header, e.g. ``warp32.h``. DataError where there is none."""
    path = _FOLDER / name
    if not path.is_file():
        raise DataError(f"there is no shim header {name}")
    return path.read_text(encoding="utf-8")


def list_shims() -> tuple[str, ...]:
    return tuple(sorted(path.name for path in _FOLDER.glob("*.h")))


def shim_files(names: Iterable[str], folder: str) -> list[SourceFile]:
    """``names`` and the headers that they include in turn, under ``folder``."""
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += _INCLUDE.findall(read_shim(name))
    return [SourceFile(path=f"{folder}/{name}", text=read_shim(name)) for name in sorted(needed)]
