"""What the tests of the virtual devices share."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from vgpu_root import Root
from virtual_gpu import PROGRAMS, TARGETS, VirtualGpu

from sandbox.execution.workshop import Workshop


@pytest.fixture(scope="session")
def root() -> Root:
    """From WARP2WAVE_TEST_ROOT, which is the fetched toolchain if nothing else was set."""
    path = os.environ.get("WARP2WAVE_TEST_ROOT")
    if not path:
        pytest.skip("WARP2WAVE_TEST_ROOT names no toolchain root")
    return Root(Path(path))


@pytest.fixture(scope="session")
def vgpu(workshop: Workshop) -> VirtualGpu:
    """The virtual AMD GPU and its translator, with all of programs/ compiled."""
    gpu = VirtualGpu(workshop, workshop.runner())
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        builds = [pool.submit(gpu.compile, path.stem, target) for path in PROGRAMS.glob("*.hip") for target in TARGETS]
    for build in builds:
        build.result()
    return gpu
