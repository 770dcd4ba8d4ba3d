"""Reads what the virtual GPU writes to ``$W2W_COUNTERS``: a line of JSON for each dispatch (``simt/counting.cpp``).

The program that was profiled can write that file too: lines that make no sense are dropped, and what the rest says
diagnoses and never proves.
"""

from __future__ import annotations

import json
from typing import Any

from sandbox.models import Dim3
from sandbox.profiling.records import DispatchRecord, Recording
from sandbox.profiling.tables import load_counters

VERSION = 1
LAYOUT = f"w2w/{VERSION}"
_MAX_DISPATCHES = 10_000
_LARGEST = 1 << 63


def read_virtual_counters(data: bytes) -> Recording:
    dispatches: list[DispatchRecord] = []
    truncated = False
    for line in data.splitlines():
        try:
            entry = json.loads(line)
            if entry["version"] != VERSION:
                continue
            if entry.get("truncated") is True or len(dispatches) >= _MAX_DISPATCHES:
                truncated = True
            else:
                dispatches.append(_read_dispatch(entry))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return Recording(LAYOUT, tuple(dispatches), truncated)


def _read_dispatch(entry: dict[str, Any]) -> DispatchRecord:
    target = _text(entry["target"])
    known = {name: 0.0 for name, row in load_counters().items() if target in row.targets and row.origin != "hardware"}
    if not known:
        raise ValueError(target)
    for name, value in entry["counters"].items():
        if name in known:
            known[name] = float(_count(value))
    return DispatchRecord(
        dispatch=_count(entry["dispatch"]),
        kernel=_text(entry["kernel"]),
        grid=_sizes(entry["grid"]),
        workgroup=_sizes(entry["workgroup"]),
        target=target,
        lds_bytes=_count(entry["lds_bytes"]),
        scratch_bytes=_count(entry["scratch_bytes"]),
        counters=known,
    )


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise ValueError(value)
    return value


def _text(value: object) -> str:
    """Text that every database can hold."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value.encode("utf-8", "replace").decode()


def _sizes(values: object) -> Dim3:
    if not isinstance(values, list) or len(values) != 3:
        raise ValueError(values)
    x, y, z = (_count(value) for value in values)
    if 0 in (x, y, z):
        raise ValueError(values)
    return Dim3(x=x, y=y, z=z)
