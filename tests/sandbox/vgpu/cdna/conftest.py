"""What the translator's tests share."""

from __future__ import annotations

import pytest
from kernel_workshop import Workshop
from vgpu_root import Root


@pytest.fixture(scope="session")
def workshop(root: Root, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Assembler, compiler and a program that runs one wave."""
    made = Workshop(root, tmp_path_factory.mktemp("cdna"))
    made.build_runner()
    return made
