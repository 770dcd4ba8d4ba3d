"""What the tests of the virtual devices share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from vgpu_root import Root
from virtual_gpu import PROGRAMS, VirtualGpu


@pytest.fixture(scope="session")
def root() -> Root:
    """From WARP2WAVE_TEST_ROOT, which is the fetched toolchain if nothing else was set."""
    path = os.environ.get("WARP2WAVE_TEST_ROOT")
    if not path:
        pytest.skip("WARP2WAVE_TEST_ROOT names no toolchain root")
    return Root(Path(path))


@pytest.fixture(scope="session")
def vgpu(root: Root, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualGpu]:
    """A virtual AMD GPU with its library built, a translator running, and all of programs/ compiled."""
    made = VirtualGpu(root, tmp_path_factory.mktemp("vgpu"), "x86-64-v3")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        programs = [pool.submit(made.compile, path.stem) for path in PROGRAMS.glob("*.hip")]
        made.build_libraries()
        for program in programs:
            program.result()
    made.start_translator()
    yield made
    made.stop_translator()
