"""From a front end's source to a shared object: opt, clang and lld, as subprocesses."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .frontend import SourceUnit, TranslationError

_SUFFIX = {"ir": ".ll", "c": ".c"}
_LANGUAGE_FLAGS = {
    # Functions that keep all registers of their caller must not clear the upper halves of these; the engine does that
    # where a wave leaves the CPU.
    "ir": (
        *("-x", "ir", "-Wno-override-module", "-mno-vzeroupper"),
        *("-Xclang", "-disable-llvm-passes", "-mllvm", "-disable-lsr"),
    ),
    "c": ("-x", "c", "-std=gnu17", "-w"),
}
_QUICK_FLAGS = ("-x", "ir", "-Wno-override-module", "-mno-vzeroupper", "-O0")
_IR_PASSES = (
    "always-inline",
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse,simplifycfg)",
)
"""The front end writes vectors, and loops that are what they should be. What is left to do is to make values of local
variables and to fold; clang's own pipeline takes twice the time, in proportion to the square of large functions."""
_LARGE_UNIT_INSTRUCTIONS = 6000
"""Above this, time in the optimiser of C grows faster than the code gets better: -O1."""
_BASIC_ALLOCATION_INSTRUCTIONS = 6000
"""Above this, where values that live long were placed by the front end, registers are allocated in the quick way. It
takes two thirds of the time, and costs a small loop up to half of its speed."""


@dataclass(frozen=True)
class Compiler:
    """``llvm`` is the folder with clang and ld.lld; ``march`` a psABI level, x86-64-v3 or x86-64-v4.

    ``helpers``: folder with ``<kind>.bc``, or None.
    """

    llvm: Path
    march: str
    helpers: Path | None = None

    def build(
        self, kind: str, source: SourceUnit, workdir: Path, *, quick: bool = False
    ) -> tuple[Path, dict[str, float]]:
        """The object and milliseconds per phase. ``quick``: less time, slower code. Raises TranslationError
        ``compiler-failed``."""
        text = workdir / f"unit{_SUFFIX[source.language]}"
        text.write_text(source.text, encoding="utf-8")
        started = time.monotonic()
        if source.passes:
            self._compile_with_passes(kind, source, text, workdir)
        else:
            self._compile(kind, source, text, workdir, quick)
        compiled = time.monotonic()
        _run([str(self.llvm / "ld.lld"), *_LINK_FLAGS, "unit.o", "-o", "unit.so"], workdir)
        linked = time.monotonic()
        return workdir / "unit.so", {"clang": 1e3 * (compiled - started), "link": 1e3 * (linked - compiled)}

    def _compile(self, kind: str, source: SourceUnit, text: Path, workdir: Path, quick: bool) -> None:
        if source.language == "ir" and not quick:
            _run([str(self.llvm / "opt"), f"-passes={','.join(_IR_PASSES)}", str(text), "-o", "unit.bc"], workdir)
            text = workdir / "unit.bc"
        _run([str(self.llvm / "clang"), *self.flags(kind, source, quick), "-c", str(text), "-o", "unit.o"], workdir)

    def _compile_with_passes(self, kind: str, source: SourceUnit, text: Path, workdir: Path) -> None:
        clang = str(self.llvm / "clang")
        # Where variables end would have to be told on every way out of their block.
        to_ir = ["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers"]
        to_ir += ["-emit-llvm", "-c", str(text), "-o", "plain.bc"]
        _run([clang, *self.flags(kind, source, quick=False), *to_ir], workdir)
        _run([str(self.llvm / "opt"), f"-passes={source.passes}", "plain.bc", "-o", "unit.bc"], workdir)
        to_code = ["-x", "ir", "-O2", "-Wno-override-module", "-Xclang", "-disable-llvm-passes"]
        to_code += [*_CODE_FLAGS, f"-march={self.march}", "-mllvm", "-disable-machine-licm"]
        to_code += ["-fno-omit-frame-pointer"]  # else spilled vectors are not aligned
        if source.instructions > _BASIC_ALLOCATION_INSTRUCTIONS:
            to_code += ["-mllvm", "-regalloc=basic"]
        _run([clang, *to_code, "-c", "unit.bc", "-o", "unit.o"], workdir)

    def flags(self, kind: str, source: SourceUnit, quick: bool) -> list[str]:
        is_large = source.language == "c" and source.instructions > _LARGE_UNIT_INSTRUCTIONS
        level = "-O1" if is_large else "-O2"
        language = _QUICK_FLAGS if quick else (*_LANGUAGE_FLAGS[source.language], level)
        flags = [*language, *_CODE_FLAGS, f"-march={self.march}"]
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
