from __future__ import annotations

import pytest
from local_mirror import Mirror, serve_mirror


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    """The mirrors are on this machine, whatever proxy it has."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def mirror() -> Mirror:
    with serve_mirror() as served:
        yield served


@pytest.fixture
def second_mirror() -> Mirror:
    with serve_mirror() as served:
        yield served
