"""How the engine ends a program: every fault is named, with kernel, place and cause."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from engine_driver import Engine, Outcome

pytestmark = pytest.mark.toolchain


def the_fault(outcome: Outcome) -> dict[str, Any]:
    assert len(outcome.reports) == 1, outcome.stderr
    assert outcome.reports[0]["message"] in outcome.stderr
    return outcome.reports[0]


# kernel, options, kind, pc, words of the message
MEMORY_FAULTS = [
    ("lds_bounds", {"lds": 64, "n": 64}, "0x1a4", "LDS offset 64, but the work-group has 64 bytes"),
    ("lds_bounds", {"lds": 64, "n": 2_000_000_000}, "0x1a4", "LDS offset 2000000000"),
    ("lds_bounds", {"lds": 0, "n": 0}, "0x1a4", "LDS offset 0, but the work-group has 0 bytes"),
    ("past_end", {"words": 64, "n": 64}, "0x1a8", "0 bytes past the end of the allocation of 256 bytes"),
    ("past_end", {"words": 64, "n": 70}, "0x1a8", "24 bytes past the end of the allocation of 256 bytes"),
    ("null_pointer", {"n": 12}, "0x1ac", "a null pointer plus 12 bytes"),
    ("not_canonical", {"n": 16}, "0x1b0", "not canonical"),
    ("scratch_bounds", {"private": 48}, "0x0", "private memory of the wave's last work-item (48 bytes each)"),
]


@pytest.mark.parametrize(("kernel", "options", "pc", "words"), MEMORY_FAULTS)
def test_memory_faults(engine: Engine, kernel: str, options: dict[str, Any], pc: str, words: str) -> None:
    outcome = engine.run(kernel, **options)
    assert outcome.returncode == 128 + signal.SIGABRT
    fault = the_fault(outcome)
    assert (fault["kind"], fault["kernel"], fault["pc"]) == ("memory-fault", kernel, pc)
    assert words in fault["message"]
    assert "work-group (0, 0, 0)" in fault["message"]


def test_the_last_bytes_of_lds_are_there(engine: Engine) -> None:
    assert engine.run("lds_bounds", lds=64, n=60).words[0] == 0x7FF5A5A5
    assert engine.run("lds_bounds", lds=64 << 10, n=(64 << 10) - 4).words[0] == 0x7FF5A5A5


@pytest.mark.parametrize("threads", ["1", "2"])
def test_stack_overflow(engine: Engine, threads: str) -> None:
    outcome = engine.run("stack_overflow", env={"W2W_THREADS": threads}, n=100_000, grid=64 * 8)
    assert outcome.returncode == 128 + signal.SIGABRT
    assert outcome.reports[0]["kind"] == "out-of-resources"
    assert "overflowed its stack" in outcome.reports[0]["message"]


def test_trap(engine: Engine) -> None:
    outcome = engine.run("trap")
    assert outcome.returncode == 128 + signal.SIGABRT
    fault = the_fault(outcome)
    assert (fault["kind"], fault["pc"], fault["instruction"]) == ("trap", "0x1b4", "s_trap 2")


def test_unsupported_instruction(engine: Engine) -> None:
    outcome = engine.run("unsupported")
    assert outcome.returncode == 125
    fault = the_fault(outcome)
    assert fault["kind"] == "unsupported-instruction"
    assert fault["instruction"] == "v_frobnicate_b32 v0, v1"
    assert fault["pc"] == "0x1b8"


def test_translated_code_that_cannot_run_here_is_our_failure(engine: Engine) -> None:
    outcome = engine.run("illegal")
    assert outcome.returncode == 125
    assert the_fault(outcome)["kind"] == "translation-failed"


def test_missing_translation_is_our_failure(engine: Engine) -> None:
    engine.add_kernel("empty")
    outcome = engine.run("empty", env={"W2W_CACHE": "/tmp/w/elsewhere"})
    assert outcome.returncode == 125
    assert the_fault(outcome)["message"].startswith("no-translator")


def test_faults_outside_kernels_are_the_programs_own(engine: Engine) -> None:
    outcome = engine.run("empty", own_handler=1)
    assert (outcome.returncode, outcome.stdout, outcome.reports) == (3, "own handler\n", [])


@pytest.mark.parametrize("threads", ["1", "2"])
def test_waves_that_only_spin_are_named(engine: Engine, threads: str) -> None:
    env = {"W2W_LIVELOCK": "abort", "W2W_LIVELOCK_SECONDS": "0.3", "W2W_THREADS": threads}
    outcome = engine.run("forever", env=env, grid=64 * 4)
    assert outcome.returncode == 128 + signal.SIGABRT
    fault = the_fault(outcome)
    assert (fault["kind"], fault["kernel"], fault["pc"]) == ("livelock", "forever", "0x1bc")
    assert "a wave of work-group (" in fault["message"]


def test_a_long_computation_is_no_livelock(engine: Engine) -> None:
    env = {"W2W_LIVELOCK": "abort", "W2W_LIVELOCK_SECONDS": "0.1"}
    outcome = engine.run("compute", env=env, n=400, grid=64)
    assert (outcome.returncode, outcome.reports) == (0, [])
