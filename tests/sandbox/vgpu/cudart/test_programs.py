"""Self-checking programs built by stock nvcc run unmodified on the virtual CUDA device. All pass on an H200."""

from __future__ import annotations

import pytest
from virtual_cuda import VirtualCuda

from sandbox.models import Dim3

pytestmark = pytest.mark.toolchain

PROGRAMS = ("memory", "streams", "warps", "barriers", "atomics", "control", "matrices", "printing", "divergence")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(("threads", "generator"), [("1", "vector"), ("3", "vector"), ("3", "scalar")])
def test_programs_compute_what_the_host_does(cuda: VirtualCuda, program: str, threads: str, generator: str) -> None:
    outcome = cuda.run(program, env={"W2W_THREADS": threads, "W2W_PTX_GENERATOR": generator})
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr
    assert outcome.stdout.splitlines()[-1] == "PASS"
    assert outcome.fault is None


def test_conflicting_stores_end_as_on_an_h200(cuda: VirtualCuda) -> None:
    outcome = cuda.run("conflicts")
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr


def test_an_unknown_generator_is_refused(cuda: VirtualCuda) -> None:
    outcome = cuda.run("printing", env={"W2W_PTX_GENERATOR": "other"})
    assert outcome.fault is not None
    assert (outcome.fault.kind, outcome.exit_code) == ("translation-failed", 125)
    assert "scalar" in outcome.fault.message


def test_device_printf_appears_when_the_program_synchronises(cuda: VirtualCuda) -> None:
    assert cuda.run("printing").stdout.splitlines() == [
        "before",
        "launched",
        "-7    42|42   |00042 -1 3000000000 beef BEEF 10 z % text",
        "-5000000000 18446744073709551615 123456789abc 7 -3",
        "2.500000 2.500   2.50e+00|2.5 1E-10 0x1p+0",
        "    42|42    |%.*f",
        "no arguments",
        *(f"block 0 thread {thread}" for thread in range(3)),
        "xsecond 0 = 0",
        *(f"block 1 thread {thread}" for thread in range(3)),
        "xsecond 1 = 0",
        "PASS",
    ]


def test_launches_are_traced(cuda: VirtualCuda) -> None:
    trace = cuda.run("printing", trace=True).trace
    assert trace is not None
    assert [launch.kernel for launch in trace.launches] == ["_Z11conversionsf", "_Z5orderi"]
    assert trace.launches[1].grid == Dim3(x=2)
    assert trace.launches[1].block == Dim3(x=64)
