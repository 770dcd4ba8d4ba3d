"""Writes the tables of a program's global and constant variables, with their initial values."""

from __future__ import annotations

from dataclasses import dataclass

from .names import Names, c_string
from .program import Program
from .reachability import Key
from .syntax import Initial, Variable

_BYTES_A_LINE = 24


@dataclass(frozen=True)
class WrittenVariables:
    lines: list[str]
    count: int


def write_variables(program: Program, names: Names) -> WrittenVariables:
    """The C array ``variables`` and what its rows point to."""
    chosen: dict[str, tuple[Key, Variable]] = {}
    for index, module in enumerate(program.modules):
        for variable in module.variables.values():
            if variable.space in ("global", "const"):
                definition = program.find(index, variable.name)
                if definition and isinstance(definition.item, Variable) and definition.item.linkage != "extern":
                    key = (definition.module, variable.name)
                    chosen[names.variable(key)] = (key, definition.item)
    lines: list[str] = []
    slots: list[str] = []
    rows = []
    for slot, (key, variable) in chosen.items():
        data, size = _write_initial(variable, slot)
        relocations = _relocations(variable, key[0], names)
        # A relocation may name a variable that nothing has used so far; its slot must exist as well.
        slots += [r.slot for r in relocations if r.slot and r.slot not in chosen]
        lines += data
        if relocations:
            body = ",".join(r.text for r in relocations)
            lines.append(f"static const struct w2w_relocation {slot}_places[]={{{body}}};")
        rows.append(
            f"{{{c_string(variable.name)},{variable.size}ul,{variable.align},&{slot},"
            f"{f'{slot}_data' if data else '0'},{size}ul,{int(variable.managed)},{len(relocations)},"
            f"{f'{slot}_places' if relocations else '0'}}}"
        )
    body = ",\n".join(rows or ["{0}"])
    return WrittenVariables([*lines, f"static const struct w2w_variable variables[]={{\n{body}\n}};"], len(rows))


def _write_initial(variable: Variable, slot: str) -> tuple[list[str], int]:
    """Definition of the array with the initial bytes, and its length; trailing zeros are left out."""
    content = bytearray()
    for value in variable.initial:
        size = 1 if value.byte is not None else variable.element_size
        bits = 0 if value.symbol else value.bits & ((1 << 8 * size) - 1)
        content += bits.to_bytes(size, "little")
    content = content[: variable.size].rstrip(b"\0")
    if not content:
        return [], 0
    lines = [f"static const u8 {slot}_data[]={{"]
    for start in range(0, len(content), _BYTES_A_LINE):
        lines.append("".join(f"{byte}," for byte in content[start : start + _BYTES_A_LINE]))
    return [*lines, "};"], len(content)


@dataclass(frozen=True)
class _Relocation:
    text: str
    slot: str


def _relocations(variable: Variable, module: int, names: Names) -> list[_Relocation]:
    found = []
    offset = 0
    for value in variable.initial:
        if value.symbol:
            relocation = _relocate(value, offset, module, names)
            if relocation:
                found.append(relocation)
        offset += 1 if value.byte is not None else variable.element_size
    return found


def _relocate(value: Initial, offset: int, module: int, names: Names) -> _Relocation | None:
    byte = -1 if value.byte is None else value.byte
    definition = names.find(module, value.symbol)
    if definition is None:
        return None
    if isinstance(definition.item, Variable):
        if definition.item.space not in ("global", "const"):
            return None
        slot = names.variable((definition.module, definition.item.name))
        return _Relocation(f"{{{offset},&{slot},0,{value.offset}l,{byte}}}", slot)
    if definition.item.is_kernel:
        return None
    function = names.callable(module, value.symbol)
    return _Relocation(f"{{{offset},0,{function},{value.offset}l,{byte}}}", "")
