"""What a translator offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agents.hipify.options import Options
from agents.models import Finding


@dataclass(frozen=True)
class EngineOutput:
    """``findings`` are ours alone; ``messages`` are what another tool printed."""

    text: str
    findings: tuple[Finding, ...] = ()
    messages: str = ""


class Engine(Protocol):
    name: str

    def find(self) -> str | None:
        """Where the translator is, for people; None where it is not installed."""
        ...

    def translate(self, text: str, *, path: str, options: Options) -> EngineOutput:
        """Translate one file. EngineError where the translator is missing, fails or takes too long."""
        ...
