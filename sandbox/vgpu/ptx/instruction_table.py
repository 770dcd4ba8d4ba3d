"""Loads the tables of instructions that the translator knows.

``tables/instructions.tsv``: opcode (with the modifiers that are part of it), semantics, types, other
modifiers. A row accepts an instruction if every modifier behind the opcode is one of its types or modifiers;
of several rows that accept it the one with the longest opcode counts, then the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .syntax import Instruction

TABLES = Path(__file__).parent / "tables"


class TableError(ValueError):
    """A table is inconsistent. A defect of the package, never of its input."""


@dataclass(frozen=True)
class Row:
    opcode: str
    semantics: str
    types: frozenset[str]
    modifiers: frozenset[str]


def read_rows(path: Path, columns: int) -> Iterator[list[str]]:
    """Tab-separated rows with exactly ``columns`` fields; ``#`` starts a comment line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != columns:
            raise TableError(f"{path.name}:{number}: {len(fields)} fields, {columns} expected")
        yield fields


@cache
def modifier_sets() -> dict[str, frozenset[str]]:
    sets: dict[str, frozenset[str]] = {}
    for name, members in read_rows(TABLES / "modifier_sets.tsv", 2):
        if name in sets:
            raise TableError(f"modifier set {name} stands twice")
        sets[name] = frozenset(members.split())
    return sets


@cache
def instruction_rows() -> dict[str, tuple[Row, ...]]:
    """Rows by opcode."""
    rows: dict[str, list[Row]] = {}
    for opcode, semantics, types, modifiers in read_rows(TABLES / "instructions.tsv", 4):
        row = Row(opcode, semantics, _types(types), _expand(modifiers))
        known = rows.setdefault(opcode, [])
        if any(row.types == other.types and row.modifiers == other.modifiers for other in known):
            raise TableError(f"instruction {opcode} stands twice with the same types")
        known.append(row)
    return {opcode: tuple(found) for opcode, found in rows.items()}


@cache
def special_registers() -> dict[str, tuple[str, int]]:
    """C expression and size in bytes, by name without the percent sign."""
    registers: dict[str, tuple[str, int]] = {}
    for name, expression, size in read_rows(TABLES / "special_registers.tsv", 3):
        if name in registers:
            raise TableError(f"special register {name} stands twice")
        registers[name] = (expression, int(size))
    return registers


def find_row(instruction: Instruction) -> Row | None:
    """The row that accepts ``instruction``, None if no row does."""
    rows = instruction_rows()
    parts = (instruction.opcode, *instruction.modifiers)
    for length in range(len(parts), 0, -1):
        rest = parts[length:]
        for row in rows.get(".".join(parts[:length]), ()):
            if all(part in row.types or part in row.modifiers for part in rest):
                return row
    return None


def _types(text: str) -> frozenset[str]:
    return frozenset() if text == "-" else frozenset(text.split())


def _expand(text: str) -> frozenset[str]:
    found: set[str] = set()
    for word in text.split():
        if word.startswith("@"):
            members = modifier_sets().get(word[1:])
            if members is None:
                raise TableError(f"unknown modifier set {word}")
            found |= members
        else:
            found.add(word)
    return frozenset(found)
