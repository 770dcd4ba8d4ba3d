"""The engine's driver program, built once."""

from __future__ import annotations

import pytest
from engine_driver import Engine
from vgpu_root import Root


@pytest.fixture(scope="session")
def engine(root: Root, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    made = Engine(root, tmp_path_factory.mktemp("engine"))
    made.build()
    return made
