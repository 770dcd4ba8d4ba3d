"""What the runtime answers when a program does something wrong, as recorded on an H200."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from virtual_cuda import VirtualCuda

pytestmark = pytest.mark.toolchain

HERE = Path(__file__).parent
ANSWERS: dict[str, Any] = tomllib.loads((HERE / "fault_answers.toml").read_text())
CONFIGURATIONS = (
    "block too large",
    "block zero",
    "grid zero",
    "grid y too large",
    "block z too large",
    "over launch bounds",
    "shared over default",
    "shared over limit",
)


@pytest.mark.parametrize("fault", ANSWERS)
def test_a_kernels_fault_is_the_error_of_all_later_calls(cuda: VirtualCuda, fault: str) -> None:
    outcome = cuda.run("faults", fault)
    error = ANSWERS[fault]["error"]
    assert outcome.stdout.splitlines() == [
        "launch: cudaSuccess",
        f"synchronize: {error}",
        f"malloc after: {error}",
        f"last: {error}",
        "last again: cudaSuccess",
        "reset: cudaSuccess",
        "malloc after reset: cudaErrorDevicesUnavailable",
    ]
    assert outcome.exit_code == 0
    assert outcome.fault is not None
    assert outcome.fault.kind == ANSWERS[fault]["kind"]
    for words in ANSWERS[fault]["words"]:
        assert words in outcome.fault.message


def test_reports_name_kernel_ptx_line_instruction_and_source_line(cuda: VirtualCuda) -> None:
    fault = cuda.run("faults", "misaligned").fault
    assert fault is not None
    assert fault.kernel == "_Z16store_misalignedPc"
    assert fault.instruction == "st.global.u32"
    assert int(fault.pc) > 0
    source = (HERE / "programs" / "faults.cu").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if "void store_misaligned" in text)
    assert f"faults.cu:{line}" in fault.message


def test_every_failing_lane_prints_its_assertion(cuda: VirtualCuda) -> None:
    lines = [line for line in cuda.run("faults", "assert").stderr.splitlines() if line.startswith("faults.cu:")]
    source = (HERE / "programs" / "faults.cu").read_text().splitlines()
    number = next(number for number, text in enumerate(source, 1) if "void assertion" in text)
    assert lines == [
        f"faults.cu:{number}: void assertion(int *): block: [0,0,0], thread: [{lane},0,0] "
        "Assertion `p[threadIdx.x] == 7` failed."
        for lane in range(32)
    ]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_wrong_configurations_fail_the_launch_alone(cuda: VirtualCuda, configuration: str) -> None:
    lines = cuda.run("faults", configuration).stdout.splitlines()
    assert lines[:3] == ["launch: cudaErrorInvalidValue", "synchronize: cudaSuccess", "malloc after: cudaSuccess"]


def test_host_calls_answer_as_on_an_h200(cuda: VirtualCuda) -> None:
    answers = (HERE / "host_call_answers.txt").read_text().splitlines()
    assert cuda.run("faults", "host calls").stdout.splitlines()[: len(answers)] == answers


def test_output_of_kernels_that_nothing_waited_for_is_lost(cuda: VirtualCuda) -> None:
    assert cuda.run("faults", "print unsynchronised").stdout == ""


DEADLOCK = b"""#include "check.h"
__global__ void half() { if (threadIdx.x < 32) asm volatile("bar.sync 3, 64;"); else asm volatile("bar.sync 4, 64;"); }
int main() { half<<<1, 64>>>(); printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize())); }
"""


def test_threads_that_wait_for_each_other_are_reported(cuda: VirtualCuda) -> None:
    build = cuda.build("deadlock", DEADLOCK)
    outcome = cuda.run_program(build.program, env={"W2W_THREADS": "1"})
    assert outcome.stdout == "cudaErrorLaunchTimeout\n"
    assert outcome.fault is not None
    assert outcome.fault.kind == "barrier-deadlock"
    assert "64 at a barrier" in outcome.fault.message
