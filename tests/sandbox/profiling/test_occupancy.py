"""Wavefronts that a compute unit can hold, by hand and as the compiler computes them."""

from __future__ import annotations

import re

import pytest

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.workshop import Workshop
from sandbox.models import KernelFacts, Side
from sandbox.profiling.devices import load_parts
from sandbox.profiling.occupancy import limit_occupancy

# VGPRs, SGPRs, work-items, bytes of LDS: wavefronts of a compute unit and what limits them, on gfx942 and gfx950.
CASES = [
    ((24, 16, 256, 0), (32, "waves"), (32, "waves")),
    ((24, 16, 64, 0), (32, "waves"), (32, "waves")),
    ((24, 16, 65, 0), (32, "waves"), (32, "waves")),
    ((64, 16, 256, 0), (32, "waves"), (32, "waves")),
    ((65, 16, 256, 0), (28, "vgprs"), (28, "vgprs")),
    ((128, 16, 512, 0), (16, "vgprs"), (16, "vgprs")),
    ((512, 16, 256, 0), (4, "vgprs"), (4, "vgprs")),
    ((512, 16, 512, 0), (0, "vgprs"), (0, "vgprs")),  # a work-group of so many registers cannot start
    ((24, 102, 256, 0), (28, "sgprs"), (28, "sgprs")),
    ((24, 16, 256, 16384), (16, "lds"), (32, "waves")),
    ((24, 16, 256, 16385), (12, "lds"), (32, "waves")),
    ((24, 16, 1024, 65536), (16, "lds"), (32, "waves")),
    ((24, 16, 64, 65536), (1, "lds"), (2, "lds")),
    ((24, 16, 64, 1), (32, "waves"), (32, "waves")),
    ((24, 16, 64, 1281), (32, "waves"), (32, "waves")),
    ((24, 16, 1024, 0), (32, "waves"), (32, "waves")),
    ((24, 16, 192, 0), (30, "waves"), (30, "waves")),
]
# One register more than is named is used.
REGISTERS = ("v23", "v63", "v64", "v79", "v80", "v127", "v128", "v255", "s79", "s95", "s99", "a7", "a100", "a255")


@pytest.mark.parametrize(("kernel", "gfx942", "gfx950"), CASES)
def test_limits_by_hand(kernel: tuple[int, int, int, int], gfx942: tuple[int, str], gfx950: tuple[int, str]) -> None:
    vgprs, sgprs, work_items, lds_bytes = kernel
    facts = KernelFacts(name="k", vgprs=vgprs, sgprs=sgprs)
    for target, expected in (("gfx942", gfx942), ("gfx950", gfx950)):
        found = limit_occupancy(facts, work_items, lds_bytes, load_parts()[target])
        assert (found.waves_per_cu, found.limiter) == expected, target
        assert found.percent == 100 * found.waves_per_cu / 32


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_registers_allow_what_the_compiler_says(workshop: Workshop, target: str) -> None:
    kernels = "".join(
        f'__global__ __launch_bounds__(64) void use_{name}(int* p) {{ asm volatile("" ::: "{name}"); *p = 1; }}\n'
        for name in REGISTERS
    )
    source = f"#include <hip/hip_runtime.h>\n{kernels}int main() {{}}\n"
    flags = ("-Rpass-analysis=kernel-resource-usage",)
    recipe = Recipe(files=(("k.hip", source.encode()),), main_files=("k.hip",), flags=flags)
    build = build_program(workshop.bench(), recipe, Side.HIP, target)
    assert build.ok, build.log
    remarks = re.findall(r"Function Name: (\w+).*?Occupancy \[waves/SIMD\]: (\d+)", build.log, re.DOTALL)
    expected = {name: int(waves) for name, waves in remarks}
    part = load_parts()[target]
    found = {facts.name: limit_occupancy(facts, 64, 0, part).waves_per_cu // 4 for facts in build.kernels}
    assert found == expected
    assert len(found) == len(REGISTERS)
    assert {facts.name: facts.agprs for facts in build.kernels}["_Z8use_a100Pi"] == 101
    assert {facts.kernarg_bytes for facts in build.kernels} == {8}
