"""Checks of the virtual AMD GPU: each finds what is wrong in a program, and nothing in one that looks alike."""

from __future__ import annotations

import signal
import tomllib
from pathlib import Path

import pytest
from virtual_gpu import PROGRAMS, VirtualGpu

from sandbox.models import Check

pytestmark = pytest.mark.toolchain

_TABLE = tomllib.loads(Path(__file__).with_name("check_cases.toml").read_text())
CASES = [(program, case) for program, cases in _TABLE.items() for case in cases]
CHECKS_FAILED = 123


RIGHT_PROGRAMS = ("vector_add", "block_reduction", "lds_matmul", "histogram", "device_printf", "grid_sync", "hipcub")


@pytest.mark.parametrize("program", RIGHT_PROGRAMS)
def test_right_programs_have_no_findings(vgpu: VirtualGpu, program: str) -> None:
    outcome = vgpu.run(program, "gfx950", check=Check.ON)
    assert outcome.findings == ()
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize(("program", "case"), CASES)
def test_checks_find_what_is_wrong_and_nothing_else(vgpu: VirtualGpu, program: str, case: str) -> None:
    expected = _TABLE[program][case]
    outcome = vgpu.run(program, "gfx942", case, check=Check.RACE if program == "check_races" else Check.ON)
    assert outcome.stdout == "done\n", outcome.stderr  # it went on
    assert outcome.fault is None
    kinds = {finding.kind for finding in outcome.findings}
    if not expected:
        assert kinds == set()
        assert outcome.exit_code == 0
        return
    assert kinds == {expected["kind"]}
    assert outcome.exit_code == CHECKS_FAILED
    finding = outcome.findings[0]
    assert expected["says"] in finding.message
    assert finding.kernel
    assert finding.pc.startswith("0x")
    assert finding.instruction
    name, line = finding.source.split(":")
    source = (PROGRAMS / name).read_text().splitlines()[int(line) - 1]
    assert expected["line"] in source, source
    assert f"warp2wave: {finding.kind}: " in outcome.stderr


def test_lanes_that_wait_for_their_own_wave_are_found_soon(vgpu: VirtualGpu) -> None:
    outcome = vgpu.run("check_livelock", "gfx942", "lock_by_lane", check=Check.ON)
    assert outcome.signal == signal.SIGABRT
    assert outcome.fault is not None
    assert (outcome.fault.kind, outcome.fault.kernel) == ("livelock", "_Z12lock_by_lanePiS_")
    assert "(EXEC 0xfffffffffffffffe) until work-item (0, 0, 0) in lane 0" in outcome.fault.message
    assert "in work-group (0, 0, 0)" in outcome.fault.message
    assert outcome.fault.pc.startswith("0x")
    name, line = outcome.fault.source.split(":")
    assert "while (atomicCAS(lock, 0, 1) != 0)" in (PROGRAMS / name).read_text().splitlines()[int(line) - 1]


@pytest.mark.parametrize(
    "case", ["lock_in_turns", "lock_by_group", "wait_for_group", "wait_for_host"], ids=lambda case: case
)
def test_waits_that_end_are_no_livelock(vgpu: VirtualGpu, case: str) -> None:
    outcome = vgpu.run("check_livelock", "gfx942", case, check=Check.ON)
    assert (outcome.stdout, outcome.exit_code) == ("done\n", 0), outcome.stderr
    assert outcome.fault is None
    assert outcome.findings == ()
