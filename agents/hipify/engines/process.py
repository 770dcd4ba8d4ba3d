"""Other people's translators, run as processes in a folder of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

from agents.errors import EngineError
from agents.hipify.engines.engine import EngineOutput

TIMEOUT_SECONDS = 300.0
"""hipify-perl takes minutes for a file of ten thousand lines."""
_FOLDERS = ("bin", "libexec/hipify")


def find_tool(name: str) -> str | None:
    """On the path, or in the ROCm that ``ROCM_PATH`` names or /opt/rocm holds."""
    rocm = Path(os.environ.get("ROCM_PATH", "/opt/rocm"))
    folders = os.pathsep.join([os.environ.get("PATH", ""), *(str(rocm / folder) for folder in _FOLDERS)])
    return shutil.which(name, path=folders)


def run_tool(
    name: str, text: str, path: str, command: Callable[[Path, Path], Sequence[str]], *, to_file: bool
) -> EngineOutput:
    """Run ``command(input, output)``. Its stdout is the translation, or the output file where ``to_file``."""
    with tempfile.TemporaryDirectory(prefix="warp2wave-hipify-") as folder:
        source = Path(folder) / (PurePath(path).name or "input.cu")
        output = Path(folder) / f"{source.name}.out"
        source.write_bytes(text.encode("utf-8", "surrogateescape"))
        try:
            done = subprocess.run(
                list(command(source, output)), cwd=folder, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise EngineError(f"{name} took more than {TIMEOUT_SECONDS:.0f} s for {path}") from error
        except OSError as error:
            raise EngineError(f"{name} cannot be run: {error.strerror}") from error
        messages = done.stderr.decode("utf-8", "replace").replace(f"{folder}{os.sep}", "")
        data = done.stdout
        if to_file:
            data = output.read_bytes() if output.is_file() else b""
        if done.returncode != 0 or (not data and text):
            raise EngineError(f"{name} failed on {path} with exit code {done.returncode}", hint=messages.strip()[-500:])
        return EngineOutput(data.decode("utf-8", "surrogateescape"), messages=messages)
