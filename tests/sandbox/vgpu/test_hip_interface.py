"""Each family of HIP's functions, around kernels that really run: programs/api, on AMD's own runtime."""

from __future__ import annotations

import pytest
from virtual_gpu import VirtualGpu

from sandbox.models import Run

pytestmark = pytest.mark.toolchain

PROGRAMS = {"calls": 17, "streams": 8, "graphs": 14, "memory": 13, "modules": 12, "device_calls": 4}


def assert_passes(outcome: Run, times: int) -> None:
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr
    assert outcome.stdout.count("PASS\n") == times, outcome.stdout
    assert outcome.fault is None


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_compute_what_the_host_does(vgpu: VirtualGpu, program: str) -> None:
    assert_passes(vgpu.run(f"api/{program}", "gfx942"), PROGRAMS[program])


def test_several_devices_and_processes(vgpu: VirtualGpu) -> None:
    assert_passes(vgpu.run("api/devices", "gfx950", env={"W2W_DEVICES": "3"}), 16)
