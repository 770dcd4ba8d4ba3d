"""What the counters of a kernel come to: shares in percent, bytes, and clocks that units need.

Each figure is computed from the virtual GPU's counters or, where those were not taken, from rocprofv3's; None where
neither was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sandbox.models import KernelProfile
from sandbox.profiling.devices import Part

KINDS = ("READ", "WRITE", "ATOMIC")
_REQUEST_SIZES = ("32B", "64B", "128B")
_OPERATIONS_PER_UNIT = 512
_QUAD_LANES = 4
_MATRIX_COUNTERS = {
    **{name.lower(): f"SQ_INSTS_VALU_MFMA_MOPS_{name}" for name in ("F64", "F32", "F16", "BF16", "I8", "F8")},
    "xf32": "W2W_INSTS_VALU_MFMA_MOPS_XF32",
    "f8f6f4": "W2W_INSTS_VALU_MFMA_MOPS_F8F6F4",
}
_SPARSE_COUNTERS = {name.lower(): f"W2W_INSTS_VALU_SMFMAC_MOPS_{name}" for name in ("F16", "BF16", "I8", "F8")}
_SPARSE_SPEED = 2
"""Half of a sparse matrix's elements are zero and take no time (AMD matrix instruction calculator)."""
Get = Callable[[str], float | None]


@dataclass(frozen=True)
class Metrics:
    """Percentages are 0 to 100. ``instructions`` by unit, one a wavefront. ``unit_clocks``: clocks of one compute unit
    that each unit needs at its published rate for all the work together, modelled; empty without a part."""

    waves: float | None
    workgroups: float | None
    instructions: dict[str, float]
    active_lanes: float | None
    coalescing: float | None
    requests: float | None
    fewest_requests: float | None
    lds_cycles: float | None
    lds_conflicts: float | None
    global_bytes: float | None
    lds_bytes: float | None
    scratch_bytes: float | None
    atomics: float | None
    atomics_on_one_address: float | None
    flops: float | None
    unit_clocks: dict[str, float]


def compute_metrics(kernel: KernelProfile, part: Part | None = None) -> Metrics:
    values = {counter.name: counter.value for counter in kernel.counters}
    get: Get = values.get
    requests = _total(get, *_request_names("READ", "WRITE"))
    fewest = _total(get, "W2W_GLOBAL_READ_REQ_MIN", "W2W_GLOBAL_WRITE_REQ_MIN")
    return Metrics(
        waves=get("SQ_WAVES"),
        workgroups=get("W2W_WORKGROUPS"),
        instructions=_instructions(get),
        active_lanes=_active_lanes(get),
        coalescing=_first(_percent(fewest, requests), _hardware_coalescing(get)),
        requests=requests,
        fewest_requests=fewest,
        lds_cycles=_first(_total(get, *(f"W2W_LDS_{kind}_CYCLES" for kind in KINDS)), get("SQ_LDS_IDX_ACTIVE")),
        lds_conflicts=_lds_conflicts(get),
        global_bytes=_total(get, *(f"W2W_GLOBAL_{kind}_BYTES" for kind in KINDS)),
        lds_bytes=_total(get, *(f"W2W_LDS_{kind}_BYTES" for kind in KINDS)),
        scratch_bytes=_total(get, *(f"W2W_SCRATCH_{kind}_BYTES" for kind in KINDS)),
        atomics=_total(get, "W2W_GLOBAL_ATOMIC_LANES", "W2W_LDS_ATOMIC_LANES"),
        atomics_on_one_address=_total(get, "W2W_GLOBAL_ATOMIC_SAME_ADDRESS", "W2W_LDS_ATOMIC_SAME_ADDRESS"),
        flops=_flops(get),
        unit_clocks=_unit_clocks(get, part) if part else {},
    )


def _total(get: Get, *names: str) -> float | None:
    values = [value for name in names if (value := get(name)) is not None]
    return sum(values) if values else None


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _percent(part: float | None, whole: float | None) -> float | None:
    return 100 * part / whole if part is not None and whole else None


def _request_names(*kinds: str) -> list[str]:
    return [f"W2W_GLOBAL_{kind}_REQ_{size}" for kind in kinds for size in _REQUEST_SIZES]


def _instructions(get: Get) -> dict[str, float]:
    """Instructions by unit. Those of the vector ALU leave the matrix instructions out."""
    valu, matrix = get("SQ_INSTS_VALU"), get("SQ_INSTS_MFMA")
    found = {
        "VALU": valu - (matrix or 0) if valu is not None else None,
        "matrix": matrix,
        "SALU": get("SQ_INSTS_SALU"),
        "scalar memory": get("SQ_INSTS_SMEM"),
        "vector memory": get("SQ_INSTS_VMEM"),
        "LDS": _first(get("W2W_INSTS_LDS"), get("SQ_INSTS_LDS")),
        "branch": _total(get, "SQ_INSTS_BRANCH", "W2W_INSTS_CALL"),
        "other": _total(get, "SQ_INSTS_SENDMSG", "W2W_INSTS_OTHER"),
    }
    return {unit: count for unit, count in found.items() if count is not None}


def _active_lanes(get: Get) -> float | None:
    lanes, valu = get("W2W_VALU_LANES"), get("SQ_INSTS_VALU")
    if lanes is not None and valu is not None:
        return _percent(lanes, 64 * (valu - (get("SQ_INSTS_MFMA") or 0)))
    cycles = get("SQ_ACTIVE_INST_VALU")
    return _percent(get("SQ_THREAD_CYCLES_VALU"), 64 * cycles if cycles else None)


def _hardware_coalescing(get: Get) -> float | None:
    """Accesses of four lanes that the cache would see at best, over those that it saw (ROCm Compute Profiler, "vL1D
    coalescing")."""
    waves, accesses = get("TA_TOTAL_WAVEFRONTS"), get("TCP_TOTAL_ACCESSES")
    return _percent(64 * waves if waves is not None else None, _QUAD_LANES * accesses if accesses else None)


def _lds_conflicts(get: Get) -> float | None:
    """Share of LDS clocks that are lost to conflicts."""
    conflicts = _total(get, *(f"W2W_LDS_{kind}_CONFLICT_CYCLES" for kind in KINDS))
    cycles = _total(get, *(f"W2W_LDS_{kind}_CYCLES" for kind in KINDS))
    if conflicts is not None:
        return _percent(conflicts, cycles)
    return _percent(get("SQ_LDS_BANK_CONFLICT"), get("SQ_LDS_IDX_ACTIVE"))


def _flops(get: Get) -> float | None:
    vector = _total(get, *(f"W2W_VALU_FLOPS_F{bits}" for bits in (16, 32, 64)))
    counters = (*_MATRIX_COUNTERS.items(), *_SPARSE_COUNTERS.items())
    matrix = _total(get, *(name for kind, name in counters if kind != "i8"))
    if vector is None:
        return None
    return vector + _OPERATIONS_PER_UNIT * (matrix or 0)


def _unit_clocks(get: Get, part: Part) -> dict[str, float]:
    """Clocks of one compute unit. The vector cache passes whole lines; a scalar instruction takes one clock of the
    sequencer that four SIMDs share."""
    slow = _total(get, *(f"SQ_INSTS_VALU_TRANS_F{bits}" for bits in (16, 32, 64)), "SQ_INSTS_VALU_CVT") or 0
    valu = _instructions(get).get("VALU", 0)
    lines = _total(get, *_request_names(*KINDS)) or 0
    scalar = _total(get, "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_BRANCH", "W2W_INSTS_CALL") or 0
    return {
        "VALU": (part.valu_clocks * (valu - slow) + part.slow_valu_clocks * slow) / part.simds_per_cu,
        "matrix": _matrix_clocks(get, part, _MATRIX_COUNTERS)
        + _matrix_clocks(get, part, _SPARSE_COUNTERS) / _SPARSE_SPEED,
        "LDS": _total(get, *(f"W2W_LDS_{kind}_CYCLES" for kind in KINDS)) or 0,
        "vector memory": lines * part.cache_line_bytes / part.l1_bytes_per_clock,
        "scalar": scalar,
    }


def _matrix_clocks(get: Get, part: Part, counters: dict[str, str]) -> float:
    return sum(
        _OPERATIONS_PER_UNIT * (get(name) or 0) / part.matrix_ops_per_clock[kind]
        for kind, name in counters.items()
        if kind in part.matrix_ops_per_clock
    )
