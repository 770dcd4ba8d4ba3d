"""AMD's hipify-perl: regular expressions over the text."""

from __future__ import annotations

from pathlib import Path

from agents.errors import EngineError
from agents.hipify.engines.engine import EngineOutput
from agents.hipify.engines.process import find_tool, run_tool
from agents.hipify.options import Options


class HipifyPerl:
    name = "hipify-perl"

    def find(self) -> str | None:
        return find_tool(self.name)

    def translate(self, text: str, *, path: str, options: Options) -> EngineOutput:
        tool = self.find()
        if tool is None:
            raise EngineError("hipify-perl is not installed", hint="it comes with ROCm, in bin")
        flags = {
            "-roc": options.dialect.roc,
            "-experimental": options.dialect.older,
            "-hip-kernel-execution-syntax": options.hip_launches,
        }

        def command(source: Path, _: Path) -> list[str]:
            return [tool, *(flag for flag, wanted in flags.items() if wanted), str(source)]

        return run_tool(self.name, text, path, command, to_file=False)
