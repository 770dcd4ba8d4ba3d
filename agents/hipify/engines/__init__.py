"""Translators behind one interface: ours, and those of others where they are installed."""

from agents.hipify.engines.engine import Engine, EngineOutput
from agents.hipify.engines.registry import ENGINES, find_engines, load_engine

__all__ = ["ENGINES", "Engine", "EngineOutput", "find_engines", "load_engine"]
