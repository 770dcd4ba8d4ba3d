"""The same program prints the same in every schedule of its waves, and from code of every kind of host and tier."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache

import pytest
from virtual_gpu import VirtualGpu

from sandbox.execution.cpu import instruction_set_level
from sandbox.execution.runner import Runner
from sandbox.execution.runtime import VirtualRuntime
from sandbox.execution.translation import Translator

pytestmark = pytest.mark.toolchain

PROGRAMS = ("vector_add", "block_reduction", "lds_matmul", "histogram", "device_printf", "grid_sync", "hipcub", "bits")
SCHEDULES = {
    "one thread": {"W2W_THREADS": "1"},
    "two threads": {"W2W_THREADS": "2"},
    "two threads again": {"W2W_THREADS": "2"},
    "one thread, last wave first": {"W2W_THREADS": "1", "W2W_WAVE_ORDER": "reverse"},
    "two threads, last wave first": {"W2W_THREADS": "2", "W2W_WAVE_ORDER": "reverse"},
    "fuel 1, last wave first, one thread": {"W2W_FUEL": "1", "W2W_WAVE_ORDER": "reverse", "W2W_THREADS": "1"},
    "fuel 7, two threads, zeroed LDS": {"W2W_FUEL": "7", "W2W_THREADS": "2", "W2W_LDS": "zero"},
}
# Translated anew for each kind of code; hipcub has too many kernels for that.
TRANSLATED_ANEW = tuple(program for program in PROGRAMS if program != "hipcub")
CODES = {
    "AVX2": ("x86-64-v3", "optimised"),
    "AVX-512": ("x86-64-v4", "optimised"),
    "quick": (instruction_set_level(), "quick"),
    "quick AVX2": ("x86-64-v3", "quick"),
}


@dataclass(frozen=True)
class OtherRuntime(VirtualRuntime):
    """Code for ``march``, of one tier, in a cache of its own."""

    tiers: str = "both"

    def translator_arguments(self) -> tuple[str, ...]:
        return (*super().translator_arguments(), f"--tiers={self.tiers}")


@pytest.fixture(scope="module")
def runners(vgpu: VirtualGpu) -> Iterator[dict[str, Runner]]:
    """A runner for each kind of code that this host can execute."""
    runner = vgpu.runner
    with ExitStack() as stack:
        made = {}
        for name, (march, tiers) in CODES.items():
            if march > instruction_set_level():
                continue
            digest = hashlib.sha256(f"{march} {tiers} {runner.runtime.digest}".encode()).hexdigest()
            runtime = OtherRuntime(runner.runtime.folder, digest, march, tiers)
            translator = stack.enter_context(Translator(runner.bench, runtime))
            made[name] = Runner(runner.bench, runtime, translator)
        yield made


@pytest.fixture(scope="module")
def expected_output(vgpu: VirtualGpu) -> Callable[[str], list[str]]:
    """What a program prints by default; sorted, since printf of several groups comes in any order."""

    @cache
    def run(program: str) -> list[str]:
        outcome = vgpu.run(program, "gfx942")
        assert outcome.exit_code == 0, outcome.stdout + outcome.stderr
        assert "PASS" in outcome.stdout
        return sorted(outcome.stdout.splitlines())

    return run


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_no_schedule_changes_the_answer(
    vgpu: VirtualGpu, expected_output: Callable[[str], list[str]], program: str, schedule: str
) -> None:
    outcome = vgpu.run(program, "gfx942", env=SCHEDULES[schedule])
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr
    assert sorted(outcome.stdout.splitlines()) == expected_output(program)


@pytest.mark.parametrize("code", CODES)
def test_no_kind_of_code_changes_the_answer(
    vgpu: VirtualGpu, runners: dict[str, Runner], expected_output: Callable[[str], list[str]], code: str
) -> None:
    if code not in runners:
        pytest.skip(f"this host executes {instruction_set_level()}, not {CODES[code][0]}")
    other = replace(vgpu, runner=runners[code])
    for program in TRANSLATED_ANEW:
        outcome = other.run(program, "gfx942")
        assert outcome.exit_code == 0, f"{program}: {outcome.stdout}{outcome.stderr}"
        assert sorted(outcome.stdout.splitlines()) == expected_output(program), program
