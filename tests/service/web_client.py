"""Starlette's test client, without its advice to move to another HTTP library."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="Using `httpx`")
    from starlette.testclient import TestClient

__all__ = ["TestClient"]
