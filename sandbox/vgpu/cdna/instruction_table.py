"""Loads the instruction tables: which instructions exist on which target, and which semantics they have.

``tables/*.tsv``, one row per mnemonic: mnemonic, format, targets, semantics, parameters, status. ``targets`` is
``*`` or names separated by commas. ``semantics`` names a function of ``semantics/``, ``parameters`` its keyword
arguments. ``status`` is ``implemented`` or the reason why the instruction is not. Duplicates and unknown values are
errors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .semantics.registry import SEMANTICS, Semantics
from .types import VECTOR_TYPES

TARGETS = ("gfx942", "gfx950")
FORMATS = frozenset(
    {"SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3P", "MFMA"}
    | {"DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF"}
)
IMPLEMENTED = "implemented"
_TABLES = Path(__file__).with_name("tables")
_COLUMNS = ["mnemonic", "format", "targets", "semantics", "parameters", "status"]


class TableError(ValueError):
    """A row of a table is wrong; says which."""


@dataclass(frozen=True)
class Row:
    mnemonic: str
    format: str
    targets: frozenset[str]
    semantics: str
    parameters: dict[str, Any]
    status: str

    @property
    def implemented(self) -> bool:
        return self.status == IMPLEMENTED

    @property
    def is_vector(self) -> bool:
        """Whether the scalar units have no part in it."""
        return not self.format.startswith("S") or self.format == "SCRATCH"

    @property
    def execute(self) -> Semantics:
        return SEMANTICS[self.semantics]


@cache
def load_table() -> dict[str, Row]:
    """All rows by mnemonic. Raises TableError."""
    table: dict[str, Row] = {}
    for path in sorted(_TABLES.glob("*.tsv")):
        for row in read_rows(path):
            if row.mnemonic in table:
                raise TableError(f"{path.name}: {row.mnemonic} is listed twice")
            table[row.mnemonic] = row
    return table


@cache
def table_for(target: str) -> dict[str, Row]:
    return {name: row for name, row in load_table().items() if target in row.targets}


def read_rows(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[0].split("\t") != _COLUMNS:
        raise TableError(f"{path.name}: the first line must name the columns {_COLUMNS}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            raise TableError(f"{path.name}:{number}: {len(cells)} columns instead of {len(_COLUMNS)}")
        try:
            rows.append(_read_row(*cells))
        except ValueError as error:
            raise TableError(f"{path.name}:{number}: {error}") from error
    return rows


def _read_row(
    mnemonic: str, instruction_format: str, targets: str, semantics: str, parameters: str, status: str
) -> Row:
    known_targets = frozenset(TARGETS if targets == "*" else targets.split(","))
    if not known_targets <= set(TARGETS):
        raise ValueError(f"unknown target in {targets}")
    if instruction_format not in FORMATS:
        raise ValueError(f"unknown format {instruction_format}")
    if not status:
        raise ValueError("no status")
    if status != IMPLEMENTED:
        return Row(mnemonic, instruction_format, known_targets, semantics, {}, status)
    if semantics not in SEMANTICS:
        raise ValueError(f"unknown semantics {semantics}")
    return Row(
        mnemonic, instruction_format, known_targets, semantics, _arguments(SEMANTICS[semantics], parameters), status
    )


_PARSERS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": lambda text: int(text, 0),
    "bool": lambda text: {"yes": True, "no": False}[text],
    "VectorType": lambda text: VECTOR_TYPES[text],
}


def _arguments(semantics: Semantics, text: str) -> dict[str, Any]:
    """The keyword arguments of a row, read by the annotations of the function."""
    expected = {
        name: parameter
        for name, parameter in inspect.signature(semantics).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    given: dict[str, Any] = {}
    for item in text.split():
        name, _, value = item.partition("=")
        if name not in expected or name in given:
            raise ValueError(f"parameter {name} is unknown or given twice")
        try:
            given[name] = _PARSERS[str(expected[name].annotation)](value)
        except KeyError as error:
            raise ValueError(f"bad value {value} of {name}") from error
    missing = [n for n, p in expected.items() if p.default is inspect.Parameter.empty and n not in given]
    if missing:
        raise ValueError(f"parameters {missing} are missing")
    return given
