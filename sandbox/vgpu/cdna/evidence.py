"""Loads what the instruction tables rest on beside AMD's documents: ``corrections.toml`` and ``presumptions.toml``."""

from __future__ import annotations

import fnmatch
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from .instruction_table import TableError, load_table

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Correction:
    """Where a document is wrong or silent and another source settles the matter."""

    mnemonics: tuple[str, ...]
    document: str
    behaviour: str
    source: str


@dataclass(frozen=True)
class Presumption:
    """What no source settles: ``fact`` is what the translator does."""

    mnemonics: tuple[str, ...]
    fact: str
    reason: str


def load_corrections(path: Path = _FOLDER / "corrections.toml") -> list[Correction]:
    """Raises TableError."""
    return [Correction(**entry) for entry in _entries(path, "correction", Correction)]


def load_presumptions(path: Path = _FOLDER / "presumptions.toml") -> list[Presumption]:
    """Raises TableError."""
    return [Presumption(**entry) for entry in _entries(path, "presumption", Presumption)]


def presumptions_of(mnemonic: str) -> list[Presumption]:
    return [p for p in load_presumptions() if any(fnmatch.fnmatchcase(mnemonic, pattern) for pattern in p.mnemonics)]


def _entries(path: Path, name: str, kind: type[Correction] | type[Presumption]) -> list[dict[str, Any]]:
    """The entries of a file; each pattern of mnemonics must match, and only one entry may say the same."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    if content.keys() != {name}:
        raise TableError(f"{path.name}: holds {sorted(content)} and not only {name}")
    expected = {field.name for field in fields(kind)}
    entries: list[dict[str, Any]] = []
    for number, entry in enumerate(content[name], 1):
        if entry.keys() != expected or not all(entry.values()):
            raise TableError(f"{path.name}: {name} {number} must have {sorted(expected)}, none of them empty")
        for pattern in entry["mnemonics"]:
            if not fnmatch.filter(load_table(), pattern):
                raise TableError(f"{path.name}: {name} {number}: no mnemonic is {pattern}")
        entry["mnemonics"] = tuple(entry["mnemonics"])
        if entry in entries:
            raise TableError(f"{path.name}: {name} {number} stands twice")
        entries.append(entry)
    return entries
