"""One dispatch with its counters, as every source gives it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.errors import ProfileFormatError
from sandbox.models import Dim3

MAX_ROWS = 5_000_000
"""Of a file; more are refused rather than read."""


@dataclass(frozen=True)
class DispatchRecord:
    """``grid`` and ``workgroup`` in work-items; ``target`` is empty and registers are None where the source does not
    say. ``scratch_bytes`` are a work-item's."""

    dispatch: int
    kernel: str
    grid: Dim3
    workgroup: Dim3
    target: str = ""
    lds_bytes: int = 0
    scratch_bytes: int = 0
    vgprs: int | None = None
    agprs: int | None = None
    sgprs: int | None = None
    counters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Recording:
    """What one file holds. ``layout`` names its format and version."""

    layout: str
    dispatches: tuple[DispatchRecord, ...]
    truncated: bool = False


def whole_number(cells: Mapping[str, object], name: str, where: str, default: int | None = None) -> int:
    """A count from a cell. Raises ProfileFormatError, with ``where``."""
    value = cells.get(name)
    if value in (None, "") and default is not None:
        return default
    number = decimal_number(value, f"{where}, {name}")
    if number < 0 or number != int(number):
        raise ProfileFormatError(f"{where}: {name} is {value!r}, no count")
    return int(number)


def decimal_number(value: object, where: str) -> float:
    """Raises ProfileFormatError where ``value`` is no finite number."""
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ProfileFormatError(f"{where}: {value!r} is no number")
    return number
