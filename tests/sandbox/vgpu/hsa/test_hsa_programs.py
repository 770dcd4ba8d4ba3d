"""HIP programs, built by stock hipcc, on AMD's own runtime on ours."""

from __future__ import annotations

import pytest
from hsa_workshop import Workshop

pytestmark = pytest.mark.toolchain

TARGETS = ("gfx942", "gfx950")
PROGRAMS = (
    "vector_add",
    "memory",
    "streams",
    "symbols",
    "allocators",
    "occupancy",
    "graphs",
    "device_printf",
    "threads",
    "devices",
    "large_arguments",
    "ipc",
    "many_allocations",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_passes(workshop: Workshop, name: str) -> None:
    finished = workshop.run(workshop.program(name))
    assert finished.passed, finished
    assert finished.reports == []


@pytest.mark.parametrize(
    "variables",
    [
        {"AMD_DIRECT_DISPATCH": "0"},
        {"HIP_LAUNCH_BLOCKING": "1"},
        {"GPU_MAX_HW_QUEUES": "1"},
        {"HIP_FORCE_DEV_KERNARG": "0"},
        {"GPU_FORCE_BLIT_COPY_SIZE": "0"},
        {"HIP_MEM_POOL_USE_VM": "0"},
        {"HSA_XNACK": "1"},
        {"W2W_TARGET": "gfx950"},
    ],
    ids=lambda variables: "-".join(f"{k}={v}" for k, v in variables.items()),
)
@pytest.mark.parametrize("name", ["memory", "allocators", "graphs", "threads"])
def test_program_passes_in_other_modes(workshop: Workshop, name: str, variables: dict[str, str]) -> None:
    finished = workshop.run(workshop.program(name), env=variables)
    assert finished.passed, finished


def test_printf_comes_from_the_host_half(workshop: Workshop) -> None:
    finished = workshop.run(workshop.program("device_printf"))
    lines = finished.stdout.splitlines()
    assert lines[:4] == [f"lane {lane} of 4" for lane in range(4)]
    assert len(lines) == 4 * 21 + 1


@pytest.mark.parametrize(("target", "other"), [TARGETS, TARGETS[::-1]])
def test_modules(workshop: Workshop, target: str, other: str) -> None:
    module = workshop.code_object("module_kernels", target)
    finished = workshop.run(workshop.program("modules"), module, target, other, env={"W2W_TARGET": target})
    assert finished.passed, finished


@pytest.mark.parametrize(("target", "blocks"), [("gfx942", 2), ("gfx950", 5)])
def test_occupancy_follows_lds(workshop: Workshop, target: str, blocks: int) -> None:
    finished = workshop.run(workshop.program("occupancy"), env={"W2W_TARGET": target})
    assert f"blocks with 32 KiB: {blocks}\n" in finished.stdout, finished


def test_memory_pools_beyond_the_file_size_limit(workshop: Workshop) -> None:
    finished = workshop.run(workshop.program("allocators"), shell_limit="-f 1048576")  # KiB
    assert finished.passed, finished


def test_warm_compiler_cache_may_be_read_only(workshop: Workshop) -> None:
    workshop.run(workshop.program("vector_add"))
    cache = workshop.folder / "comgr"
    before = sorted(path.name for path in cache.iterdir())
    cache.chmod(0o555)
    try:
        finished = workshop.run(workshop.program("vector_add"))
    finally:
        cache.chmod(0o755)
    assert finished.passed, finished
    assert finished.stderr == ""
    assert sorted(path.name for path in cache.iterdir()) == before
