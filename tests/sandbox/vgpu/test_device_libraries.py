"""hipCUB, rocPRIM and rocThrust on the virtual AMD GPU: programs/libraries, called with the sizes to try.

bench/device_libraries.py runs the same programs with more and larger sizes.
"""

from __future__ import annotations

import pytest
from virtual_gpu import VirtualGpu

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

SIZES = ("1", "1000", "40001")
PROGRAMS = {"hipcub_select_histogram": "gfx942", "rocprim": "gfx950"}
ANSWERS = {"hipcub_select_histogram": 15, "rocprim": 15}


@pytest.mark.parametrize("program", PROGRAMS)
def test_algorithms_compute_what_the_host_does(vgpu: VirtualGpu, program: str) -> None:
    outcome = vgpu.run(f"libraries/{program}", PROGRAMS[program], *SIZES)
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr
    assert outcome.stdout.count("PASS\n") == ANSWERS[program] * len(SIZES), outcome.stdout
    assert outcome.fault is None
