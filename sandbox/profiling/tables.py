"""The data files of this package: counters by name, and the columns of rocprofv3's files."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

from sandbox.vgpu.cdna.instruction_table import TARGETS

_FOLDER = Path(__file__).parent
Origin = Literal["counted", "modelled", "hardware"]


class TableError(ValueError):
    """A row of a table is wrong; says which."""


@dataclass(frozen=True)
class CounterRow:
    """``origin``: ``counted`` where events are counted one by one, ``modelled`` where they are computed from addresses
    by what is known of the hardware, ``hardware`` where only a real GPU has the counter. ``reduce``: how the values of
    a part's instances (dies, engines) become one, ``sum`` or ``max``."""

    name: str
    unit: str
    targets: frozenset[str]
    origin: Origin
    reduce: Literal["sum", "max"]
    definition: str
    source: str


@dataclass(frozen=True)
class ColumnRow:
    """One column of one table of a layout, and the field of a dispatch that it gives ("-": none)."""

    layout: str
    table: str
    column: str
    field: str
    required: bool
    source: str


def read_table(path: Path, columns: list[str]) -> list[list[str]]:
    """The cells of a tab-separated table without its head. Raises TableError."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[0].split("\t") != columns:
        raise TableError(f"{path.name}: the first line must name the columns {columns}")
    rows = list(csv.reader(lines[1:], delimiter="\t", quoting=csv.QUOTE_NONE))
    for number, row in enumerate(rows, 2):
        if len(row) != len(columns) or "" in row:
            raise TableError(f"{path.name}:{number}: {len(columns)} cells with text are needed")
    return rows


@cache
def load_counters(path: Path = _FOLDER / "counters.tsv") -> dict[str, CounterRow]:
    """Raises TableError on a duplicate name or an unknown value."""
    counters: dict[str, CounterRow] = {}
    columns = ["name", "unit", "targets", "origin", "reduce", "definition", "source"]
    for number, cells in enumerate(read_table(path, columns), 2):
        name, unit, targets, origin, reduce, definition, source = cells
        known = frozenset(targets.split(","))
        if name in counters:
            raise TableError(f"{path.name}:{number}: {name} stands twice")
        if not known <= set(TARGETS) or origin not in get_args(Origin) or reduce not in ("sum", "max"):
            raise TableError(f"{path.name}:{number}: unknown value in {cells}")
        row = CounterRow(
            name, unit, known, cast(Origin, origin), cast(Literal["sum", "max"], reduce), definition, source
        )
        counters[name] = row
    return counters


@cache
def load_layouts(path: Path = _FOLDER / "layouts.tsv") -> tuple[ColumnRow, ...]:
    """Raises TableError on a duplicate column or an unknown value."""
    columns = ["layout", "table", "column", "field", "required", "source"]
    rows: list[ColumnRow] = []
    seen = set()
    for number, cells in enumerate(read_table(path, columns), 2):
        layout, table, column, field, required, source = cells
        if (layout, table, column) in seen or required not in ("yes", "no"):
            raise TableError(f"{path.name}:{number}: a duplicate or an unknown value in {cells}")
        seen.add((layout, table, column))
        rows.append(ColumnRow(layout, table, column, field, required == "yes", source))
    return tuple(rows)


def columns_of(layout: str, table: str) -> tuple[ColumnRow, ...]:
    """The columns of a table in the order in which the layout has them."""
    return tuple(row for row in load_layouts() if row.layout == layout and row.table == table)
