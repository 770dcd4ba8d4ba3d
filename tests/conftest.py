"""What all tests share: the product's own toolchain."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from sandbox.execution.workshop import Workshop, WorkshopConfig
from sandbox.toolchain import Toolchain, ToolchainConfig, find_toolchain

_SKIP = "WARP2WAVE_TEST_SKIP_TOOLCHAIN"
_ABSENT = "the toolchain is not fetched; python -m sandbox.toolchain fetch"


def pytest_configure(config: pytest.Config) -> None:
    """Tests that start programs of their own take the toolchain from these variables."""
    toolchain = find_toolchain(ToolchainConfig.from_environment())
    if toolchain is not None:
        os.environ.setdefault("WARP2WAVE_TEST_ROOT", str(toolchain.root))
        os.environ.setdefault("WARP2WAVE_TEST_CUDA", str(toolchain.cuda))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Without the toolchain its tests fail rather than pass by being left out, unless that is asked for."""
    if item.get_closest_marker("toolchain") is None or "WARP2WAVE_TEST_ROOT" in os.environ:
        return
    if os.environ.get(_SKIP) == "1":
        pytest.skip(f"{_SKIP}=1")
    pytest.fail(_ABSENT, pytrace=False)


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    """Use it in tests marked ``toolchain`` only."""
    found = find_toolchain(ToolchainConfig.from_environment())
    if found is None:
        pytest.fail(_ABSENT, pytrace=False)
    return found


@pytest.fixture(scope="session")
def workshop(toolchain: Toolchain) -> Iterator[Workshop]:
    """Compilers, sandboxes and virtual devices as the product uses them. Needs the mark ``toolchain``."""
    with Workshop(WorkshopConfig(cache=ToolchainConfig.from_environment().cache)) as opened:
        yield opened
