"""The name tables: what each CUDA name is called in HIP.

One TOML file a library under ``tables/``::

    library = "CUDA runtime API: functions"
    headers = ["hip/hip_runtime.h"]      # HIP headers that declare the right-hand names
    rows = [{ cuda = "cudaMalloc", hip = "hipMalloc", kind = "function" }, ...]

Optional keys of a row: ``status`` (default ``renamed``), ``since`` (first HIP version with that name), ``note``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from agents.errors import DataError

_FOLDER = Path(__file__).parent / "tables"
_KEYS = frozenset({"cuda", "hip", "kind", "status", "since", "note"})


class Kind(StrEnum):
    FUNCTION = "function"
    TYPE = "type"
    CONSTANT = "constant"
    MACRO = "macro"
    DEVICE_FUNCTION = "device-function"
    DEVICE_TYPE = "device-type"
    HEADER = "header"
    NAMESPACE = "namespace"


class Status(StrEnum):
    RENAMED = "renamed"
    SEMANTICS_DIFFER = "semantics-differ"
    """The name exists and compiles, but does not mean quite the same."""
    NEEDS_SHIM = "needs-shim"
    """HIP lacks it; a header that comes with the port supplies it."""
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class Row:
    cuda: str
    hip: str
    kind: Kind
    status: Status
    library: str
    since: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """One file: its rows and the HIP headers that must know their names."""

    name: str
    library: str
    headers: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Names:
    """All tables together. Headers and namespaces are apart: they are matched where they can stand."""

    identifiers: Mapping[str, Row]
    headers: Mapping[str, Row]
    namespaces: Mapping[str, Row]


@cache
def load_tables() -> tuple[Table, ...]:
    """Every table, in order of its name. DataError where one is inconsistent."""
    return tuple(_read(path) for path in sorted(_FOLDER.glob("*.toml")))


@cache
def load_names() -> Names:
    """The rows of every table by their CUDA name. DataError where a name stands twice."""
    identifiers: dict[str, Row] = {}
    headers: dict[str, Row] = {}
    namespaces: dict[str, Row] = {}
    chosen = {Kind.HEADER: headers, Kind.NAMESPACE: namespaces}
    for table in load_tables():
        for row in table.rows:
            rows = chosen.get(row.kind, identifiers)
            if row.cuda in rows:
                raise DataError(f"{row.cuda} stands in two tables", hint=f"see {table.name}.toml")
            rows[row.cuda] = row
    return Names(identifiers, headers, namespaces)


def parse_table(name: str, text: str) -> Table:
    """Read one table from TOML text; DataError names the row that is wrong."""
    data = tomllib.loads(text)
    unknown = set(data) - {"library", "headers", "rows"}
    if unknown or "library" not in data or "rows" not in data:
        raise DataError(f"table {name}: needs library and rows, knows headers, has {sorted(data)}")
    rows = tuple(_row(name, data["library"], entry) for entry in data["rows"])
    seen: set[tuple[str, Kind]] = set()
    for row in rows:
        if (row.cuda, row.kind) in seen:
            raise DataError(f"table {name}: {row.cuda} stands there twice")
        seen.add((row.cuda, row.kind))
    return Table(name, data["library"], tuple(data.get("headers", ())), rows)


def _read(path: Path) -> Table:
    return parse_table(path.stem, path.read_text(encoding="utf-8"))


def _row(table: str, library: str, entry: Mapping[str, Any]) -> Row:
    unknown = set(entry) - _KEYS
    if unknown or not entry.get("cuda"):
        raise DataError(f"table {table}: bad row {dict(entry)}")
    try:
        kind, status = Kind(entry["kind"]), Status(entry.get("status", "renamed"))
    except (KeyError, ValueError) as error:
        raise DataError(f"table {table}: {entry['cuda']}: {error}") from error
    hip = entry.get("hip", "")
    if status in (Status.RENAMED, Status.SEMANTICS_DIFFER) and not hip and kind is not Kind.HEADER:
        raise DataError(f"table {table}: {entry['cuda']} is {status} but names nothing in HIP")
    if status is Status.UNSUPPORTED and hip:
        raise DataError(f"table {table}: {entry['cuda']} is unsupported but has the HIP name {hip}")
    return Row(entry["cuda"], hip, kind, status, library, entry.get("since", ""), entry.get("note", ""))
