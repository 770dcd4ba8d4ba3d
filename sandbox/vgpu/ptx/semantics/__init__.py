"""What the instructions do, by topic. The names are those in ``tables/instructions.tsv``."""

from __future__ import annotations

from ..emitter import Semantics
from ..instruction_table import TableError, instruction_rows
from . import (
    atomics,
    barriers,
    bits,
    comparisons,
    control,
    conversions,
    copies,
    floats,
    halves,
    integers,
    matrices,
    mbarriers,
    memory,
    video,
    warps,
)

_MODULES = (
    atomics,
    barriers,
    bits,
    comparisons,
    control,
    conversions,
    copies,
    floats,
    halves,
    integers,
    matrices,
    mbarriers,
    memory,
    video,
    warps,
)


def _collect() -> dict[str, Semantics]:
    """The functions that the table names. Raises TableError for a name that no module, or two, define."""
    found: dict[str, Semantics] = {}
    for row in (row for rows in instruction_rows().values() for row in rows):
        homes = [m for m in _MODULES if getattr(vars(m).get(row.semantics), "__module__", "") == m.__name__]
        if len(homes) != 1:
            raise TableError(f"{len(homes)} modules define the semantics {row.semantics} of {row.opcode}")
        found[row.semantics] = getattr(homes[0], row.semantics)
    return found


SEMANTICS = _collect()
