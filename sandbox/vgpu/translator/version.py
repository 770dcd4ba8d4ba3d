"""The version of everything that decides what translated code looks like: a folder name in the cache."""

from __future__ import annotations

import hashlib
from pathlib import Path

_FOLDERS = ("translator", "cdna", "ptx", "simt", "common", "cudart")
_SUFFIXES = {".py", ".toml", ".tsv", ".c", ".cpp", ".h", ".def", ".inc"}


def translator_version(march: str, toolchain: str) -> str:
    """A short hex digest of the translators' sources and tables, the headers that their output relies on, the
    instruction-set level and ``toolchain`` (any text that changes with the compiler)."""
    digest = hashlib.sha256(f"{march}\0{toolchain}\0".encode())
    root = Path(__file__).resolve().parents[1]
    for folder in _FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file():
                content = path.read_bytes()
                digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode())
                digest.update(content)
    return digest.hexdigest()[:16]
