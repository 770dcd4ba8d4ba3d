"""How programs end: while kernels run, by refused dispatches, by touching memory that is not theirs."""

from __future__ import annotations

import signal

import pytest
from hsa_workshop import Workshop

pytestmark = pytest.mark.toolchain

SEGMENTATION_FAULT = 128 + signal.SIGSEGV


@pytest.mark.parametrize("way", ["running", "reset"])
def test_ends_cleanly(workshop: Workshop, way: str) -> None:
    finished = workshop.run(workshop.program("ending"), way)
    assert finished.passed, finished
    assert finished.stderr == ""


@pytest.mark.parametrize(("target", "has", "dynamic"), [("gfx942", 65536, 30 << 10), ("gfx950", 163840, 140 << 10)])
def test_too_much_lds_is_reported(workshop: Workshop, target: str, has: int, dynamic: int) -> None:
    static = 40 << 10
    finished = workshop.run(workshop.program("ending"), "both", str(dynamic), env={"W2W_TARGET": target})
    assert finished.exit_code == 1
    (report,) = finished.reports
    assert report["kind"] == "out-of-resources"
    assert report["kernel"] == "_Z16nothing_with_ldsPi"
    assert report["message"] == f"a work-group needs {static + dynamic} bytes of LDS; {target} has {has}"


def test_all_lds_may_be_used(workshop: Workshop) -> None:
    finished = workshop.run(workshop.program("ending"), "both", str(24 << 10))
    assert finished.passed, finished


def test_a_failing_kernel_fails_the_next_call(workshop: Workshop) -> None:
    finished = workshop.run(workshop.program("ending"), "fail")
    assert finished.exit_code == 1
    assert "hipErrorLaunchFailure" in finished.stdout


@pytest.mark.parametrize("way", ["freed", "beyond"])
def test_foreign_memory_faults(workshop: Workshop, way: str) -> None:
    finished = workshop.run(workshop.program("ending"), way)
    assert finished.stdout == "touching\n"
    assert finished.exit_code in (-signal.SIGSEGV, SEGMENTATION_FAULT)
