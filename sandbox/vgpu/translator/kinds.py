"""The kinds of device code that can be translated: the name in requests, and the front end's module."""

from __future__ import annotations

import importlib
from typing import cast

from .frontend import FrontEnd

KINDS = {"cdna": "..cdna.translate", "ptx": "..ptx.translate"}


def load_front_end(kind: str) -> FrontEnd:
    """Import the front end of ``kind``. Raises KeyError or ImportError."""
    return cast(FrontEnd, importlib.import_module(KINDS[kind], __package__))
