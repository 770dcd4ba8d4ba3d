"""From a front end's source to a shared object: clang and lld, as subprocesses."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .frontend import SourceUnit, TranslationError

LARGE_UNIT_INSTRUCTIONS = 6000
"""Above this, time in the optimiser grows faster than the code gets better: -O1."""

_SUFFIX = {"ir": ".ll", "c": ".c"}
_LANGUAGE_FLAGS = {
    # The front end vectorises itself, 64 lanes wide; more of it only costs time.
    "ir": ("-x", "ir", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-Wno-override-module"),
    "c": ("-x", "c", "-std=gnu17", "-w"),
}


@dataclass(frozen=True)
class Compiler:
    """``llvm`` is the folder with clang and ld.lld; ``march`` a psABI level, x86-64-v3 or x86-64-v4.

    ``helpers``: folder with ``<kind>.bc``, or None.
    """

    llvm: Path
    march: str
    helpers: Path | None = None

    def build(self, kind: str, source: SourceUnit, workdir: Path) -> tuple[Path, dict[str, float]]:
        """The object and milliseconds per phase. Raises TranslationError ``compiler-failed``."""
        text = workdir / f"unit{_SUFFIX[source.language]}"
        text.write_text(source.text, encoding="utf-8")
        started = time.monotonic()
        _run([str(self.llvm / "clang"), *self.flags(kind, source), "-c", str(text), "-o", "unit.o"], workdir)
        compiled = time.monotonic()
        _run([str(self.llvm / "ld.lld"), *_LINK_FLAGS, "unit.o", "-o", "unit.so"], workdir)
        linked = time.monotonic()
        return workdir / "unit.so", {"clang": 1e3 * (compiled - started), "link": 1e3 * (linked - compiled)}

    def flags(self, kind: str, source: SourceUnit) -> list[str]:
        level = "-O1" if source.instructions > LARGE_UNIT_INSTRUCTIONS else "-O2"
        flags = [*_LANGUAGE_FLAGS[source.language], level, *_CODE_FLAGS, f"-march={self.march}"]
        bitcode = self.helpers / f"{kind}.bc" if self.helpers else None
        if source.helpers and bitcode and bitcode.is_file():
            flags += ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(bitcode)]
        return [*flags, *source.flags]


_CODE_FLAGS = (
    "--target=x86_64-linux-gnu",
    "-fPIC",
    "-ffp-contract=off",  # what is fused is written as a fused operation
    "-fno-math-errno",
    "-fno-stack-protector",
    "-fomit-frame-pointer",
    "-fvisibility=default",
)
_LINK_FLAGS = ("-shared", "-Bsymbolic", "-z", "now", "--hash-style=gnu", "--build-id=none")


def _run(command: list[str], workdir: Path) -> None:
    done = subprocess.run(command, cwd=workdir, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return
    output = done.stderr.decode(errors="replace").strip().splitlines()
    cause = next((line for line in output if "error" in line), output[0] if output else "no message")
    program = Path(command[0]).name
    raise TranslationError("compiler-failed", f"{program} ended with status {done.returncode}: {cause[:500]}")
