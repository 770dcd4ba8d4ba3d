"""Programs built by stock hipcc run unmodified on the virtual AMD GPU, from their machine code."""

from __future__ import annotations

import signal

import pytest
from virtual_gpu import TARGETS, VirtualGpu

from sandbox.models import Dim3

pytestmark = pytest.mark.toolchain

PROGRAMS = {
    "vector_add": 4,
    "block_reduction": 1,
    "lds_matmul": 2,
    "histogram": 4,
    "device_printf": 1,
    "grid_sync": 2,
    "whole_elements": 8,
    "hipcub": 9,
    "bits": 5,
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_compute_what_the_host_does(vgpu: VirtualGpu, program: str, target: str) -> None:
    outcome = vgpu.run(program, target)
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr
    assert outcome.stdout.count("PASS\n") == PROGRAMS[program]
    assert outcome.fault is None


def test_device_printf_comes_out_whole(vgpu: VirtualGpu) -> None:
    lines = sorted(vgpu.run("device_printf", "gfx942").stdout.splitlines())
    expected = [
        f"block {block} thread {thread:3}: text 0.625 1099511627776" for block in (0, 1) for thread in (0, 40, 80)
    ]
    assert lines == [*expected, "host PASS"]


FAULTS = [
    ("past_the_end", "memory-fault", "past the end of the allocation"),
    ("past_a_part_page", "memory-fault", "past the end of the allocation of 4000 bytes"),
    ("freed", "memory-fault", "inside the allocation of 4000 bytes at 0x"),
    ("freed", "memory-fault", ", which was freed"),
    ("null_pointer", "memory-fault", "a null pointer"),
    ("asserts", "trap", "trapped"),
    ("traps", "trap", "trapped"),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("fault", "kind", "words"), FAULTS)
def test_faults_are_named(vgpu: VirtualGpu, fault: str, kind: str, words: str, target: str) -> None:
    outcome = vgpu.run("faults", target, fault)
    assert outcome.signal == signal.SIGABRT, outcome.stderr
    assert "survived" not in outcome.stdout
    assert outcome.fault is not None
    assert outcome.fault.kind == kind
    assert fault in outcome.fault.kernel
    assert int(outcome.fault.pc, 16) > 0
    assert words in outcome.fault.message


def test_a_failed_assertion_is_printed(vgpu: VirtualGpu) -> None:
    outcome = vgpu.run("faults", "gfx942", "asserts")
    assert "Device-side assertion `n < 0' failed" in outcome.stderr


def test_launches_are_traced(vgpu: VirtualGpu) -> None:
    trace = vgpu.run("lds_matmul", "gfx942", trace=True).trace
    assert trace is not None
    assert [launch.grid for launch in trace.launches] == [Dim3(x=6, y=6)] * 2
    assert [launch.block for launch in trace.launches] == [Dim3(x=16, y=16)] * 2
    assert [launch.lds_bytes for launch in trace.launches] == [2048] * 2


def test_a_warm_cache_needs_no_translator(vgpu: VirtualGpu) -> None:
    vgpu.run("vector_add", "gfx942")
    outcome = vgpu.run("vector_add", "gfx942", env={"W2W_TRANSLATOR": ""})
    assert outcome.exit_code == 0, outcome.stderr
