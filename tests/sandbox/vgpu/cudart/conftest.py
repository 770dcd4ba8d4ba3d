"""What the tests of the virtual CUDA device share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from virtual_cuda import PROGRAMS, VirtualCuda

from sandbox.execution.workshop import Workshop, WorkshopConfig
from sandbox.toolchain import cache_folder


@pytest.fixture(scope="session")
def cuda() -> Iterator[VirtualCuda]:
    """The virtual CUDA device and its translator, with all of programs/ compiled."""
    with Workshop(WorkshopConfig(cache=cache_folder())) as workshop:
        device = VirtualCuda(workshop, workshop.runner())
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            builds = [pool.submit(device.compile, path.stem) for path in PROGRAMS.glob("*.cu")]
        for build in builds:
            build.result()
        yield device
