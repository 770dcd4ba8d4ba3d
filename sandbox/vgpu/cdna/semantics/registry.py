"""Semantics functions by name; the instruction tables refer to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from ..emitter import Emitter
from ..instruction import Instruction

Semantics = Callable[..., None]
P = ParamSpec("P")
SEMANTICS: dict[str, Semantics] = {}


def semantics(
    function: Callable[Concatenate[Emitter, Instruction, P], None],
) -> Callable[Concatenate[Emitter, Instruction, P], None]:
    """Register ``function(emitter, instruction, **parameters)`` under its own name."""
    if function.__name__ in SEMANTICS:
        raise ValueError(f"two semantics functions are called {function.__name__}")
    SEMANTICS[function.__name__] = function
    return function
