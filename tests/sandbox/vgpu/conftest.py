"""What the tests of the virtual devices share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from vgpu_root import Root


@pytest.fixture(scope="session")
def root() -> Root:
    """Taken from WARP2WAVE_TEST_ROOT."""
    path = os.environ.get("WARP2WAVE_TEST_ROOT")
    if not path:
        pytest.skip("WARP2WAVE_TEST_ROOT names no toolchain root")
    return Root(Path(path))
