"""The instructions of a code object, disassembled by llvm-objdump as far as they are asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ..translator.frontend import TranslationError
from .assembly import read_listing
from .code_object import CodeObject
from .instruction import Instruction

_LLVM = "/usr/lib/llvm-22/bin"
_TIMEOUT_SECONDS = 120


def find_tool(name: str) -> str:
    """An LLVM program: beside ``$W2W_LLVM``, in the root filesystem's LLVM, or on the path."""
    for folder in (os.environ.get("W2W_LLVM"), _LLVM):
        if folder and (Path(folder) / name).is_file():
            return str(Path(folder) / name)
    found = shutil.which(name)
    if found is None:
        raise TranslationError("compiler-failed", f"{name} is not installed")
    return found


class Disassembly:
    """Instructions by address. ``path`` is a file with the code object's bytes."""

    def __init__(self, code: CodeObject, path: Path) -> None:
        self.code = code
        self.path = path
        self._known: dict[int, Instruction] = {}
        self._done: set[tuple[int, int]] = set()

    def at(self, address: int) -> Instruction | None:
        """The instruction at ``address``, or None where there is no code."""
        if address in self._known:
            return self._known[address]
        if not self.code.is_code(address):
            return None
        span = self.code.range_at(address)
        if (span.address, span.end) not in self._done:
            self._done.add((span.address, span.end))
            self._known.update(self._disassemble(span.address, span.end))
        if address not in self._known:  # reached in the middle of an instruction
            self._known.update(self._disassemble(address, min(span.end, address + 4096)))
        return self._known.get(address)

    def _disassemble(self, start: int, stop: int) -> dict[int, Instruction]:
        command = [
            find_tool("llvm-objdump"),
            "-d",
            f"--mcpu={self.code.target}",
            f"--start-address={start:#x}",
            f"--stop-address={stop:#x}",
            str(self.path),
        ]
        done = subprocess.run(
            command, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=_TIMEOUT_SECONDS
        )
        if done.returncode != 0:
            message = done.stderr.decode(errors="replace").strip()[:300]
            raise TranslationError("bad-image", f"llvm-objdump ended with status {done.returncode}: {message}")
        return read_listing(done.stdout.decode(errors="replace"))
