"""Source lines of machine code, from the code object's DWARF line table. The input is hostile."""

from __future__ import annotations

import bisect
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_MAX_ROWS = 2_000_000
_MAX_CALLS = 200_000
_SYSTEM = ("/usr/", "/opt/")


@dataclass(frozen=True)
class SourceLine:
    """``file`` as the compiler was given it."""

    file: str
    line: int


@dataclass(frozen=True)
class InlinedCall:
    """A call that was replaced by the function's code in [``start``, ``end``)."""

    start: int
    end: int
    place: SourceLine


@dataclass(frozen=True)
class LineTable:
    """``starts``: sorted code addresses; from each on, ``lines`` of the same position holds (None: no line).
    ``calls``: inlined ones, outer ones first."""

    starts: tuple[int, ...] = ()
    lines: tuple[SourceLine | None, ...] = ()
    calls: tuple[InlinedCall, ...] = ()

    def find(self, address: int) -> SourceLine | None:
        """The line of the program's own files: of code from a system's header, the line that calls it."""
        position = bisect.bisect_right(self.starts, address) - 1
        line = self.lines[position] if position >= 0 else None
        if line is None or not line.file.startswith(_SYSTEM):
            return line
        chain = [call.place for call in self.calls if call.start <= address < call.end]
        return next((place for place in reversed(chain) if not place.file.startswith(_SYSTEM)), line)


@lru_cache(maxsize=2)
def read_line_table(image: bytes) -> LineTable:
    """Of a code object; empty where it has none, or a damaged one: reports go without a line then."""
    try:
        return _read(image)
    except Exception:  # the parser raises whatever the damage leads to
        return LineTable()


def _read(image: bytes) -> LineTable:
    from elftools.elf.elffile import ELFFile  # only the translator with checks needs it

    elf = ELFFile(io.BytesIO(image))
    if not elf.has_dwarf_info():
        return LineTable()
    dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False)
    rows: list[tuple[int, SourceLine | None]] = []
    calls: list[InlinedCall] = []
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        files = _file_names(program)
        rows += itertools.islice(_read_rows(program, files), _MAX_ROWS - len(rows))
        calls += itertools.islice(_read_calls(dwarf, unit, files), _MAX_CALLS - len(calls))
    rows.sort(key=lambda row: row[0])
    return LineTable(tuple(address for address, _ in rows), tuple(line for _, line in rows), tuple(calls))


def _read_rows(program: Any, files: dict[int, str]) -> Iterator[tuple[int, SourceLine | None]]:
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        name = files.get(state.file, "")
        known = name and state.line and not state.end_sequence
        yield state.address, SourceLine(name, state.line) if known else None


def _read_calls(dwarf: Any, unit: Any, files: dict[int, str]) -> Iterator[InlinedCall]:
    """In the order of the tree, so that outer calls come before those inside them."""
    ranges = dwarf.range_lists()
    for entry in unit.iter_DIEs():
        if entry.tag != "DW_TAG_inlined_subroutine" or "DW_AT_call_line" not in entry.attributes:
            continue
        attributes = entry.attributes
        place = SourceLine(files.get(attributes["DW_AT_call_file"].value, ""), attributes["DW_AT_call_line"].value)
        if "DW_AT_ranges" in attributes:
            for start, end in _ranges(ranges, unit, attributes["DW_AT_ranges"]):
                yield InlinedCall(start, end, place)
        elif "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
            start, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
            yield InlinedCall(start, high.value if high.form == "DW_FORM_addr" else start + high.value, place)


def _ranges(lists: Any, unit: Any, attribute: Any) -> Iterator[tuple[int, int]]:
    base = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    offset = base.value if base is not None else 0
    for entry in lists.get_range_list_at_offset(attribute.value, unit):
        if hasattr(entry, "base_address"):
            offset = entry.base_address
        elif getattr(entry, "is_absolute", False):
            yield entry.begin_offset, entry.end_offset
        else:
            yield offset + entry.begin_offset, offset + entry.end_offset


def _file_names(program: Any) -> dict[int, str]:
    """By the number that rows use: from 0 on in DWARF 5, from 1 on before."""
    header = program.header
    is_five = header.version >= 5
    folders = [_text(folder) for folder in header.include_directory]
    names = {}
    for position, entry in enumerate(header.file_entry):
        folder = entry.dir_index - (0 if is_five else 1)
        name = _text(entry.name)
        least = 1 if is_five else 0  # folder 0 of DWARF 5 is where the compiler ran
        if least <= folder < len(folders) and not name.startswith("/"):
            name = f"{folders[folder]}/{name}"
        names[position + (0 if is_five else 1)] = name
    return names


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
