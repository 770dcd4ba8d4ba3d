"""The catalogue of faults: ``catalogue.toml``, checked when it is read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agents.errors import DataError
from agents.models import Severity

_FILE = Path(__file__).parent / "catalogue.toml"
_KEYS = frozenset({"id", "title", "why", "severity", "category", "detector", "fixer", "shows", "references"})


@dataclass(frozen=True)
class Fault:
    """One way in which a port breaks. ``detector`` and ``fixer`` name passes, empty where there is none."""

    id: str
    title: str
    why: str
    severity: Severity
    category: str
    detector: str
    fixer: str
    shows: str
    references: tuple[str, ...]


@cache
def load_catalogue() -> Mapping[str, Fault]:
    """All faults by id. DataError for an unknown key, a missing one, a bad severity or an id that repeats."""
    return parse_catalogue(_FILE.read_text(encoding="utf-8"))


def parse_catalogue(text: str) -> Mapping[str, Fault]:
    faults: dict[str, Fault] = {}
    for entry in tomllib.loads(text).get("fault", []):
        fault = _fault(entry)
        if fault.id in faults:
            raise DataError(f"fault {fault.id} stands in the catalogue twice")
        faults[fault.id] = fault
    return faults


def _fault(entry: Mapping[str, Any]) -> Fault:
    if set(entry) != _KEYS:
        wrong = sorted(set(entry) ^ _KEYS)
        raise DataError(f"fault {entry.get('id', '?')}: missing or unknown keys {wrong}")
    try:
        severity = Severity(entry["severity"])
    except ValueError as error:
        raise DataError(f"fault {entry['id']}: {error}") from error
    if not entry["id"] or not entry["title"] or not entry["why"]:
        raise DataError(f"fault {entry['id']!r} needs an id, a title and a reason")
    texts = {key: entry[key] for key in ("id", "title", "why", "category", "detector", "fixer", "shows")}
    return Fault(**texts, severity=severity, references=tuple(entry["references"]))
