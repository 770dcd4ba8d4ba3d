"""The HSA runtime under test. Builds are kept in pytest's cache folder."""

from __future__ import annotations

import pytest
from hsa_workshop import Workshop
from vgpu_root import Root


@pytest.fixture(scope="session")
def workshop(root: Root, request: pytest.FixtureRequest) -> Workshop:
    made = Workshop(root, request.config.cache.mkdir("virtual-hsa"))
    (made.folder / "comgr").mkdir(exist_ok=True)
    made.library()
    return made
