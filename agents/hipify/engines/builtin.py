"""warp2wave's own translator."""

from __future__ import annotations

from importlib.metadata import version

from agents.hipify.engines.engine import EngineOutput
from agents.hipify.options import Options
from agents.hipify.submission import translate_text


class Builtin:
    name = "builtin"

    def find(self) -> str | None:
        return f"warp2wave {version('warp2wave')}"

    def translate(self, text: str, *, path: str, options: Options) -> EngineOutput:
        translated, findings = translate_text(text, path=path, options=options)
        return EngineOutput(translated, tuple(findings))
