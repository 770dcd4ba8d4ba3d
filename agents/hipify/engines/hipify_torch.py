"""PyTorch's hipify, in torch.utils or as AMD's hipify_torch: a list of words replaced in the text."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from agents.errors import EngineError
from agents.hipify.engines.engine import EngineOutput
from agents.hipify.engines.process import run_tool
from agents.hipify.options import Options

_MODULES = ("hipify_torch.hipify_python", "hipify_torch.hipify.hipify_python", "torch.utils.hipify.hipify_python")
_PROGRAM = """
import contextlib, importlib, shutil, sys
module, source, output = sys.argv[1:]
with contextlib.redirect_stdout(sys.stderr):
    hipify = importlib.import_module(module).hipify
    results = hipify(
        project_directory=".", output_directory=".", includes=["*"], extra_files=[source],
        is_pytorch_extension=True, hipify_extra_files_only=True,
    )
result = results[source]
path = result["hipified_path"] if isinstance(result, dict) else result.hipified_path
shutil.copyfile(path or source, output)
"""
"""It wants a process of its own: it prints, changes the folder and keeps what it has seen."""


class HipifyTorch:
    name = "hipify_torch"

    def find(self) -> str | None:
        module = _find_module()
        return None if module is None else f"{module} of {sys.executable}"

    def translate(self, text: str, *, path: str, options: Options) -> EngineOutput:
        del options  # it has none of them
        module = _find_module()
        if module is None:
            raise EngineError("hipify_torch is not installed", hint="install torch or hipify_torch beside warp2wave")

        def command(source: Path, output: Path) -> list[str]:
            return [sys.executable, "-c", _PROGRAM, module, str(source), str(output)]

        return run_tool(self.name, text, path, command, to_file=True)


def _find_module() -> str | None:
    for module in _MODULES:
        try:
            if importlib.util.find_spec(module) is not None:
                return module
        except (ImportError, ValueError):
            continue
    return None
