"""AMD's hipify-clang: clang's parse tree. It needs a CUDA toolkit that its clang knows."""

from __future__ import annotations

import os
from pathlib import Path

from agents.errors import EngineError
from agents.hipify.engines.engine import EngineOutput
from agents.hipify.engines.process import find_tool, run_tool
from agents.hipify.options import Options


class HipifyClang:
    name = "hipify-clang"

    def find(self) -> str | None:
        return find_tool(self.name)

    def translate(self, text: str, *, path: str, options: Options) -> EngineOutput:
        tool = self.find()
        if tool is None:
            raise EngineError("hipify-clang is not installed", hint="it comes with ROCm, in bin")
        flags = {
            "--roc": options.dialect.roc,
            "--miopen": options.dialect.miopen,
            "--use-hip-data-types": options.dialect.hip_data_types,
            "--experimental": options.dialect.older,
            "--hip-kernel-execution-syntax": options.hip_launches,
            "--skip-excluded-preprocessor-conditional-blocks": options.skip_excluded,
        }
        toolkit = os.environ.get("CUDA_PATH")

        def command(source: Path, output: Path) -> list[str]:
            arguments = [tool, str(source), "-o", str(output), *(flag for flag, wanted in flags.items() if wanted)]
            arguments += [f"--cuda-path={toolkit}"] if toolkit else []
            return [*arguments, "--", "-x", "cuda", *(f"-D{define}" for define in options.defines)]

        return run_tool(self.name, text, path, command, to_file=True)
