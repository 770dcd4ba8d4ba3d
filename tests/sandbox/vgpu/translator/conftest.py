"""A translator process a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from translator_process import Translator


@pytest.fixture
def translator(tmp_path: Path) -> Iterator[Translator]:
    with Translator(tmp_path) as running:
        yield running
