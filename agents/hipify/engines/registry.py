"""The translators by name. Each is imported only when it is asked for."""

from __future__ import annotations

import importlib
from typing import cast

from agents.errors import EngineError
from agents.hipify.engines.engine import Engine

ENGINES = {
    "builtin": "agents.hipify.engines.builtin:Builtin",
    "hipify_torch": "agents.hipify.engines.hipify_torch:HipifyTorch",
    "hipify-perl": "agents.hipify.engines.hipify_perl:HipifyPerl",
    "hipify-clang": "agents.hipify.engines.hipify_clang:HipifyClang",
}


def load_engine(name: str) -> Engine:
    """EngineError for a name that is not known."""
    if name not in ENGINES:
        raise EngineError(f"there is no engine {name}", hint=f"the engines are {', '.join(ENGINES)}")
    module, _, kind = ENGINES[name].partition(":")
    return cast(Engine, getattr(importlib.import_module(module), kind)())


def find_engines() -> dict[str, str]:
    """The engines that are installed, with where they are."""
    found = {name: load_engine(name).find() for name in ENGINES}
    return {name: where for name, where in found.items() if where is not None}
