"""The table of PTX instructions: ``instructions.tsv``, checked when it is read.

A pattern is an opcode whose parts may be choices: ``{T:u32|s32}`` must be there, ``[.R:rn|rz]`` may be there (with
``=rn`` at its end for what stands for nothing), ``[.ftz]`` is a flag. After ``~`` the parts may come in any order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from agents.errors import DataError
from agents.shims.inline_ptx.types import C_TYPES, OPERAND_WORDS

_FOLDER = Path(__file__).parent
_FILE = _FOLDER / "instructions.tsv"
_REGISTERS = _FOLDER / "special_registers.tsv"
_PIECE = re.compile(
    r"\[(?P<optional>\.[^\]]+)\]|\{(?P<choice>\w+:[^}]+)\}|(?P<text>[^\[\]{}]+)",
)


@dataclass(frozen=True)
class Row:
    """One instruction form.

    ``operands`` describe the operands in order, ``form`` is the C++ that replaces it: an expression whose value the
    first operand gets, statements where it ends with ``;`` or ``}``, or the name of a writer after ``!``.
    """

    pattern: str
    operands: tuple[str, ...]
    form: str
    fault: str
    note: str
    regex: re.Pattern[str] = field(repr=False, compare=False)
    defaults: Mapping[str, str] = field(repr=False, compare=False)
    unordered: tuple[tuple[str, frozenset[str], bool], ...] = field(repr=False, compare=False, default=())

    @property
    def opcode(self) -> str:
        return self.pattern.lstrip("~").split(".")[0].split("[")[0].split("{")[0]

    def match(self, parts: tuple[str, ...]) -> dict[str, str] | None:
        """What the pattern's names stand for in an opcode; None where it is another instruction."""
        if self.unordered:
            return self._match_unordered(parts)
        found = self.regex.fullmatch(".".join(parts))
        if found is None:
            return None
        return {**self.defaults, **{name: value for name, value in found.groupdict().items() if value is not None}}

    def _match_unordered(self, parts: tuple[str, ...]) -> dict[str, str] | None:
        if parts[0] != self.opcode:
            return None
        found: dict[str, str] = {}
        for part in parts[1:]:
            name = next((n for n, words, _ in self.unordered if part in words and n not in found), None)
            if name is None:
                return None
            found[name] = part
        if any(required and name not in found for name, _, required in self.unordered):
            return None
        return {**self.defaults, **found}


@dataclass(frozen=True)
class SpecialRegister:
    name: str
    form: str
    size: int
    shim: str
    fault: str


@cache
def load_rows() -> Mapping[str, tuple[Row, ...]]:
    """The rows by opcode. DataError for patterns and operands that mean nothing and for a row that repeats."""
    return parse_rows(_FILE.read_text(encoding="utf-8"))


def parse_rows(text: str) -> Mapping[str, tuple[Row, ...]]:
    rows: dict[str, list[Row]] = {}
    seen: set[tuple[str, str]] = set()
    for columns in _columns(text):
        if len(columns) not in (4, 5):
            raise DataError(f"a row of inline PTX has {len(columns)} columns: {columns[0]}")
        pattern, operands, form, fault = columns[:4]
        row = _row(pattern, operands, form, fault, columns[4] if len(columns) > 4 else "")
        if (pattern, operands) in seen:
            raise DataError(f"{pattern} {operands} stands there twice")
        seen.add((pattern, operands))
        rows.setdefault(row.opcode, []).append(row)
    return {opcode: tuple(found) for opcode, found in rows.items()}


@cache
def load_special_registers() -> Mapping[str, SpecialRegister]:
    """By name, without the percent sign. DataError as for the instructions."""
    found: dict[str, SpecialRegister] = {}
    for columns in _columns(_REGISTERS.read_text(encoding="utf-8")):
        if len(columns) != 5 or columns[0] in found:
            raise DataError(f"special_registers.tsv: bad row {columns}")
        found[columns[0]] = SpecialRegister(columns[0], columns[1], int(columns[2]), columns[3], columns[4])
    return found


def _columns(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def _row(pattern: str, operands: str, form: str, fault: str, note: str) -> Row:
    words = tuple(operands.split())
    for word in words:
        if OPERAND_WORDS.fullmatch(word) is None:
            raise DataError(f"{pattern}: no operand is described by {word}")
    regex, defaults, unordered = _compile(pattern.lstrip("~"))
    return Row(pattern, words, form, fault, note, regex, defaults, unordered if pattern.startswith("~") else ())


def _compile(
    pattern: str,
) -> tuple[re.Pattern[str], dict[str, str], tuple[tuple[str, frozenset[str], bool], ...]]:
    text, defaults = "", {}
    groups: list[tuple[str, frozenset[str], bool]] = []
    position = 0
    while position < len(pattern):
        piece = _PIECE.match(pattern, position)
        if piece is None:
            raise DataError(f"the pattern {pattern} cannot be read")
        position = piece.end()
        if piece["text"] is not None:
            text += re.escape(piece["text"])
            words = [word for word in piece["text"].split(".") if word]
            groups += [(word, frozenset({word}), True) for word in (words if groups else words[1:])]
            if not groups and not text:
                raise DataError(f"the pattern {pattern} names no opcode")
        elif piece["choice"] is not None:
            name, _, choices = piece["choice"].partition(":")
            text += f"(?P<{name}>{_alternatives(choices)})"
            groups.append((name, frozenset(choices.split("|")), True))
        else:
            name, choices, default = _optional(piece["optional"][1:])
            text += rf"(?:\.(?P<{name}>{_alternatives(choices)}))?"
            groups.append((name, frozenset(choices.split("|")), False))
            if default:
                defaults[name] = default
    try:
        return re.compile(text), defaults, tuple(groups)
    except re.error as error:
        raise DataError(f"the pattern {pattern} cannot be read: {error}") from error


def _optional(text: str) -> tuple[str, str, str]:
    name, colon, choices = text.partition(":")
    if not colon or choices.startswith(":"):
        return text.split(".")[0].split(":")[0], text, ""
    choices, _, default = choices.partition("=")
    return name, choices, default


def _alternatives(choices: str) -> str:
    return "|".join(re.escape(choice) for choice in choices.split("|"))


def c_type(name: str) -> str:
    """The C++ type of a PTX type. DataError where there is none."""
    if name not in C_TYPES:
        raise DataError(f"there is no C++ type for .{name}")
    return C_TYPES[name]
