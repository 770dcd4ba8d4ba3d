"""The name tables: what each CUDA name is called in HIP.

One file a library under ``tables/``, columns divided by tabs, empty ones at the end left out::

    # cuBLAS
    # headers: hipblas/hipblas.h
    cuda  kind  hip  status  roc  older  older_roc  cuda_versions  hip_versions  note

==============  ======================================================================================
``hip``         the name in the pinned release of HIP; empty: there is none
``status``      empty for ``renamed``, else one of ``Status``
``roc``         the name in the library below HIP's (rocBLAS, rocSPARSE, ..., MIOpen), for ``--roc``
``older``       the name in ROCm 6.3 where it is another one; ``older_roc`` likewise
``*_versions``  first and last release seen with the name, e.g. ``12-`` or ``-10``; empty: all compared
                (CUDA 11.8, 12.9 and 13.5; HIP 6.3 and 7.2)
==============  ======================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from agents.errors import DataError

_FOLDER = Path(__file__).parent / "tables"
_COLUMNS = (
    "cuda", "kind", "hip", "status", "roc", "older", "older_roc", "cuda_versions", "hip_versions", "note",
)  # fmt: skip
_VERSIONS = re.compile(r"(\d+(\.\d+)?)?-(\d+(\.\d+)?)?$")


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


class RocWhen(StrEnum):
    """When a table's ``roc`` names are taken."""

    ROC = "roc"
    MIOPEN = "miopen"
    ROC_DATA_TYPES = "roc-data-types"
    """With ``--roc``, unless HIP's data types are asked for."""


class Headers(StrEnum):
    """How library headers are named that ROCm has moved into folders of their own."""

    PINNED = "pinned"
    """As the pinned release has them."""
    OLDER = "older"
    """As ROCm 5 had them and hipify-clang writes them: ``hipblas.h``."""
    EITHER = "either"
    """The one that the compiler finds."""


class Row(NamedTuple):
    cuda: str
    hip: str
    kind: Kind
    status: Status
    library: str
    roc: str = ""
    older: str = ""
    older_roc: str = ""
    cuda_versions: str = ""
    hip_versions: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """One file: its rows and the HIP headers that must know their names."""

    name: str
    library: str
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    roc_when: RocWhen = RocWhen.ROC


@dataclass(frozen=True)
class Dialect:
    """Which of a row's names a port takes. The default is the pinned release of HIP."""

    roc: bool = False
    miopen: bool = False
    hip_data_types: bool = False
    older: bool = False
    """Names as in ROCm 6.3."""
    headers: Headers = Headers.PINNED


PINNED = Dialect()


@dataclass(frozen=True)
class Names:
    """All tables together. Headers and namespaces are apart: they are matched where they can stand."""

    identifiers: Mapping[str, Row]
    headers: Mapping[str, Row]
    namespaces: Mapping[str, Row]


@cache
def load_tables() -> tuple[Table, ...]:
    """Every table, in order of its name. DataError where one is inconsistent."""
    return tuple(_read(path) for path in sorted(_FOLDER.glob("*.tsv")))


@cache
def load_names(dialect: Dialect = PINNED) -> Names:
    """The rows of every table by their CUDA name, ``hip`` being the name in ``dialect``.

    DataError where a name stands twice.
    """
    identifiers: dict[str, Row] = {}
    headers: dict[str, Row] = {}
    namespaces: dict[str, Row] = {}
    chosen = {Kind.HEADER: headers, Kind.NAMESPACE: namespaces}
    for table in load_tables():
        for row in table.rows:
            rows = chosen.get(row.kind, identifiers)
            if row.cuda in rows:
                raise DataError(f"{row.cuda} stands in two tables", hint=f"see {table.name}.tsv")
            rows[row.cuda] = _spell(row, table.roc_when, dialect)
    return Names(identifiers, headers, namespaces)


def parse_table(name: str, text: str) -> Table:
    """Read one table; DataError names the row that is wrong."""
    lines = text.splitlines()
    facts = dict(_facts(name, lines))
    heads = [number for number, line in enumerate(lines) if not line.startswith("#")]
    if not heads or not facts.get("library"):
        raise DataError(f"table {name}: needs a line '# LIBRARY' and a line of column names")
    columns = lines[heads[0]].split("\t")
    unknown = set(columns) - set(_COLUMNS)
    if unknown or not {"cuda", "kind", "hip"} <= set(columns):
        raise DataError(f"table {name}: knows the columns {', '.join(_COLUMNS)}; has {', '.join(columns)}")
    try:
        roc_when = RocWhen(facts.get("roc", "roc"))
    except ValueError as error:
        raise DataError(f"table {name}: {error}") from error
    rows = tuple(_row(name, facts["library"], columns, line) for line in lines[heads[0] + 1 :])
    seen: set[tuple[str, Kind]] = set()
    for row in rows:
        if (row.cuda, row.kind) in seen:
            raise DataError(f"table {name}: {row.cuda} stands there twice")
        seen.add((row.cuda, row.kind))
    return Table(name, facts["library"], tuple(facts.get("headers", "").split()), rows, roc_when)


def _read(path: Path) -> Table:
    return parse_table(path.stem, path.read_text(encoding="utf-8"))


def _facts(table: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    """The comment lines at the top: the library's name, then ``key: value``."""
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            return
        key, colon, value = line[1:].strip().partition(": ")
        if number == 0:
            yield "library", line[1:].strip()
        elif colon and key in ("headers", "roc"):
            yield key, value
        else:
            raise DataError(f"table {table}: cannot read the line {line!r}")


_KINDS = {kind.value: kind for kind in Kind}
_STATUSES = {"": Status.RENAMED, **{status.value: status for status in Status}}
_NAMED = frozenset({Status.RENAMED, Status.SEMANTICS_DIFFER})


def _row(table: str, library: str, columns: list[str], line: str) -> Row:
    cells = line.split("\t")
    if len(cells) > len(columns) or not cells[0] or line != line.rstrip():
        raise DataError(f"table {table}: bad row {line!r}")
    entry = dict(zip(columns, cells, strict=False))
    cuda, hip = entry["cuda"], entry.get("hip", "")
    kind, status = _KINDS.get(entry.get("kind", "")), _STATUSES.get(entry.get("status", ""))
    if kind is None or status is None:
        raise DataError(f"table {table}: {cuda} is of kind {entry.get('kind')!r}, status {entry.get('status')!r}")
    if status in _NAMED and not hip and kind is not Kind.HEADER:
        raise DataError(f"table {table}: {cuda} is {status} but names nothing in HIP")
    if status is Status.UNSUPPORTED and hip:
        raise DataError(f"table {table}: {cuda} is unsupported but has the HIP name {hip}")
    get = entry.get
    for versions in (get("cuda_versions", ""), get("hip_versions", "")):
        if versions and not _VERSIONS.match(versions):
            raise DataError(f"table {table}: {cuda} has the versions {versions!r}, not FIRST-LAST")
    return Row(
        cuda, hip, kind, status, library,
        get("roc", ""), get("older", ""), get("older_roc", ""),
        get("cuda_versions", ""), get("hip_versions", ""), get("note", ""),
    )  # fmt: skip


def _spell(row: Row, roc_when: RocWhen, dialect: Dialect) -> Row:
    """``row`` with the HIP name of ``dialect``; of a header that may have two, ``older`` is the other one."""
    takes_roc = _takes_roc(roc_when, dialect)
    roc = row.roc if takes_roc else ""
    older = row.older_roc if takes_roc and (roc or row.older_roc) else row.older
    if row.kind is Kind.HEADER:
        hip = older if older and dialect.headers is Headers.OLDER else roc or row.hip or older
        row = row._replace(older=older if dialect.headers is Headers.EITHER else "")
    else:
        hip = (older if dialect.older else "") or roc or row.hip
    if not hip and older and row.status is Status.UNSUPPORTED:
        return row._replace(hip=older)  # the last known name, still reported
    if hip == row.hip:
        return row
    return row._replace(hip=hip, status=Status.RENAMED if row.status is Status.UNSUPPORTED else row.status)


def _takes_roc(when: RocWhen, dialect: Dialect) -> bool:
    if when is RocWhen.MIOPEN:
        return dialect.miopen
    return dialect.roc and (when is RocWhen.ROC or not dialect.hip_data_types)
