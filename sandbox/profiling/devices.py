"""Facts of the parts that programs run on, from ``devices.tsv``: limits and rates of one compute unit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sandbox.profiling.tables import TableError, read_table

DEVICES = Path(__file__).with_name("devices.tsv")
DEVICE_COLUMNS = ["device", "target", "parameter", "value", "unit", "source"]
_MATRIX = re.compile(r"matrix_(\w+)_ops_per_clock")


@dataclass(frozen=True)
class Part:
    """``target``'s part. Registers are a lane's, sizes in bytes, rates a clock and compute unit;
    ``matrix_ops_per_clock`` by type of the operands."""

    target: str
    device: str
    compute_units: int
    simds_per_cu: int
    wave_slots_per_simd: int
    wavefront_size: int
    vgprs_per_simd: int
    vgpr_granule: int
    sgprs_per_simd: int
    max_workgroups_per_cu: int
    max_one_wave_workgroups_per_cu: int
    max_workgroup_size: int
    lds_bytes_per_cu: int
    lds_granule: int
    lds_banks: int
    cache_line_bytes: int
    valu_clocks: int
    slow_valu_clocks: int
    l1_bytes_per_clock: int
    matrix_ops_per_clock: dict[str, int] = field(default_factory=dict)


@cache
def load_parts(path: Path = DEVICES) -> dict[str, Part]:
    """Every part by target. Raises TableError on a duplicate, unknown or missing parameter, or a value that is no
    positive whole number."""
    parts: dict[str, dict[str, int]] = {}
    devices: dict[str, str] = {}
    for number, cells in enumerate(read_table(path, DEVICE_COLUMNS), 2):
        device, target, parameter, value, _, _ = cells
        values = parts.setdefault(target, {})
        if parameter in values or devices.setdefault(target, device) != device:
            raise TableError(f"{path.name}:{number}: {parameter} of {target} stands twice")
        if not value.isdecimal() or int(value) == 0:
            raise TableError(f"{path.name}:{number}: {value} is no positive whole number")
        values[parameter] = int(value)
    return {target: _make_part(path, target, devices[target], values) for target, values in parts.items()}


def _make_part(path: Path, target: str, device: str, values: dict[str, int]) -> Part:
    matrix = {match[1]: value for name, value in values.items() if (match := _MATRIX.fullmatch(name))}
    others = {name: value for name, value in values.items() if not _MATRIX.fullmatch(name)}
    try:
        return Part(target=target, device=device, matrix_ops_per_clock=matrix, **others)
    except TypeError as error:
        raise TableError(f"{path.name}: {target}: {error}") from error
