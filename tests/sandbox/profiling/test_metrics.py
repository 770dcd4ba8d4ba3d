"""What counters come to, from both sources, and the sentence about the bottleneck."""

from __future__ import annotations

import pytest

from sandbox.models import Counter, Dim3, KernelFacts, KernelProfile
from sandbox.profiling.bottleneck import describe_bottleneck
from sandbox.profiling.devices import load_parts
from sandbox.profiling.metrics import compute_metrics
from sandbox.profiling.occupancy import limit_occupancy

MI300X = load_parts()["gfx942"]


def kernel(**counters: float) -> KernelProfile:
    return KernelProfile(
        kernel="k",
        launches=1,
        grid=Dim3(),
        block=Dim3(x=64),
        counters=tuple(Counter(name=name, value=value, unit="") for name, value in counters.items()),
    )


VIRTUAL = kernel(
    SQ_WAVES=10,
    SQ_INSTS_VALU=120,
    SQ_INSTS_MFMA=20,
    SQ_INSTS_SALU=30,
    W2W_INSTS_LDS=8,
    W2W_VALU_LANES=3200,
    W2W_GLOBAL_READ_REQ_32B=30,
    W2W_GLOBAL_READ_REQ_128B=10,
    W2W_GLOBAL_READ_REQ_MIN=8,
    W2W_GLOBAL_WRITE_REQ_MIN=2,
    W2W_GLOBAL_ATOMIC_REQ_32B=100,
    W2W_LDS_READ_CYCLES=30,
    W2W_LDS_WRITE_CYCLES=10,
    W2W_LDS_READ_CONFLICT_CYCLES=10,
    W2W_VALU_FLOPS_F32=100,
    SQ_INSTS_VALU_MFMA_MOPS_F16=2,
    SQ_INSTS_VALU_MFMA_MOPS_I8=5,
    W2W_INSTS_VALU_SMFMAC_MOPS_F16=8,
)
HARDWARE = kernel(
    SQ_WAVES=10,
    SQ_INSTS_VALU=120,
    SQ_INSTS_LDS=8,
    SQ_ACTIVE_INST_VALU=100,
    SQ_THREAD_CYCLES_VALU=3200,
    SQ_LDS_BANK_CONFLICT=10,
    SQ_LDS_IDX_ACTIVE=40,
    TA_TOTAL_WAVEFRONTS=10,
    TCP_TOTAL_ACCESSES=640,
)


@pytest.mark.parametrize("source", [VIRTUAL, HARDWARE], ids=["virtual", "hardware"])
def test_shares_from_both_sources(source: KernelProfile) -> None:
    metrics = compute_metrics(source)
    assert (metrics.active_lanes, metrics.coalescing, metrics.lds_conflicts) == (50, 25, 25)
    assert metrics.instructions["LDS"] == 8
    assert metrics.unit_clocks == {}


def test_figures_of_the_virtual_gpu() -> None:
    metrics = compute_metrics(VIRTUAL, MI300X)
    assert metrics.instructions == {"VALU": 100, "matrix": 20, "SALU": 30, "LDS": 8}
    assert (metrics.requests, metrics.fewest_requests, metrics.lds_cycles) == (40, 10, 40)
    assert metrics.flops == 100 + (2 + 8) * 512
    assert metrics.unit_clocks == {
        "VALU": 100,
        "matrix": 2 * 512 / 2048 + 5 * 512 / 4096 + 8 * 512 / 2048 / 2,
        "LDS": 40,
        "vector memory": 140 * 2,
        "scalar": 30,
    }


def test_nothing_is_made_up() -> None:
    metrics = compute_metrics(kernel(SQ_WAVES=1))
    assert (metrics.active_lanes, metrics.coalescing, metrics.lds_conflicts, metrics.flops) == (None,) * 4
    assert compute_metrics(kernel(SQ_INSTS_VALU=0, W2W_VALU_LANES=0)).active_lanes is None


SENTENCES = {
    "vector memory": (
        {"W2W_GLOBAL_READ_REQ_32B": 64, "W2W_GLOBAL_READ_REQ_MIN": 2, "W2W_GLOBAL_READ_BYTES": 256},
        "Vector memory needs most clocks (100 % of the units' work, modelled): 64 lines requested for 256 bytes where "
        "2 would do (3 % coalesced).",
    ),
    "LDS": (
        {"W2W_LDS_READ_CYCLES": 1000, "W2W_LDS_READ_CONFLICT_CYCLES": 900},
        "LDS needs most clocks (100 % of the units' work, modelled): 1,000 clocks, 90 % of them bank conflicts.",
    ),
    "VALU": (
        {"SQ_INSTS_VALU": 300, "W2W_VALU_LANES": 9600, "SQ_INSTS_SALU": 100, "W2W_SCRATCH_READ_BYTES": 64},
        "The vector ALU needs most clocks (75 % of the units' work, modelled): 300 instructions with 50 % of lanes "
        "active; 64 bytes go through scratch.",
    ),
    "matrix": (
        {"SQ_INSTS_VALU": 2, "SQ_INSTS_MFMA": 2, "SQ_INSTS_VALU_MFMA_MOPS_F16": 32},
        "The matrix unit needs most clocks (100 % of the units' work, modelled): 2 matrix instructions.",
    ),
    "scalar": (
        {"SQ_INSTS_SALU": 90, "SQ_INSTS_VALU": 10},
        "The scalar unit needs most clocks (90 % of the units' work, modelled): 90 scalar instructions beside 10 "
        "vector ones.",
    ),
    "atomics": (
        {"W2W_GLOBAL_ATOMIC_REQ_32B": 4, "W2W_GLOBAL_ATOMIC_LANES": 64, "W2W_GLOBAL_ATOMIC_SAME_ADDRESS": 60},
        "Vector memory needs most clocks (100 % of the units' work, modelled): 64 atomic operations, 60 on a shared "
        "address.",
    ),
}


@pytest.mark.parametrize("unit", SENTENCES)
def test_the_sentence_names_the_unit_with_its_figures(unit: str) -> None:
    counters, sentence = SENTENCES[unit]
    assert describe_bottleneck(kernel(**counters), MI300X) == sentence


def test_the_sentence_says_what_limits_occupancy() -> None:
    facts = KernelFacts(name="k", vgprs=256, sgprs=16)
    crowded = kernel(SQ_INSTS_VALU=1, W2W_VALU_LANES=64).model_copy(
        update={"occupancy": limit_occupancy(facts, 64, 0, MI300X)}
    )
    assert describe_bottleneck(crowded, MI300X).endswith(
        "active; vector registers allow only 8 wavefronts a compute unit."
    )
    assert describe_bottleneck(kernel(SQ_WAVES=1), MI300X) == "The counters do not say what limits it."
    assert describe_bottleneck(kernel(SQ_INSTS_VALU=1), None) == "The counters do not say what limits it."
