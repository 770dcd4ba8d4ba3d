"""How many wavefronts of a kernel a compute unit can hold, from the kernel's descriptor."""

from __future__ import annotations

from sandbox.models import KernelFacts, Occupancy
from sandbox.profiling.devices import Part


def limit_occupancy(facts: KernelFacts, work_items: int, lds_bytes: int, part: Part) -> Occupancy:
    """``work_items`` of a work-group and its LDS, static and dynamic. Work-groups are resident as a whole; registers
    are shared out for each SIMD (LLVM, AMDGPUBaseInfo.cpp)."""
    waves = max(1, _divide_up(work_items, part.wavefront_size))
    allowed = {
        "waves": part.wave_slots_per_simd * part.simds_per_cu // waves,
        "workgroups": part.max_one_wave_workgroups_per_cu if waves == 1 else part.max_workgroups_per_cu,
        "vgprs": _by_registers(part.vgprs_per_simd, _round_up(facts.vgprs, part.vgpr_granule), waves, part),
        "sgprs": _by_registers(part.sgprs_per_simd, facts.sgprs, waves, part),
    }
    if lds_bytes:
        allowed["lds"] = part.lds_bytes_per_cu // _round_up(lds_bytes, part.lds_granule)
    limiter = min(allowed, key=lambda name: allowed[name])
    return Occupancy(
        waves_per_cu=allowed[limiter] * waves,
        most_waves_per_cu=part.wave_slots_per_simd * part.simds_per_cu,
        workgroups_per_cu=allowed[limiter],
        limiter=limiter,
        workgroups_allowed=allowed,
    )


def _by_registers(registers: int, of_wave: int, waves: int, part: Part) -> int:
    waves_per_simd = min(part.wave_slots_per_simd, registers // max(1, of_wave))
    return waves_per_simd * part.simds_per_cu // waves


def _divide_up(value: int, step: int) -> int:
    return -(-value // step)


def _round_up(value: int, step: int) -> int:
    return _divide_up(value, step) * step
