"""Compile HIP (or CUDA, ported first) programs and list the machine instructions that the translator does not cover.

    python bench/cdna_coverage.py [FILE_OR_FOLDER...] [--target gfx942] [--level O0,O3] [--flag -Idir]

Code objects (ELF files) are taken as they are. Prints unsupported instructions by count, and translation times.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from agents.hipify import translate_text
from sandbox.isolation.protocol import Command, Limits, Mount
from sandbox.isolation.select import choose_sandbox
from sandbox.toolchain import ToolchainConfig, require_toolchain
from sandbox.vgpu.cdna.translate import list_units, unit_translator

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "HIP_PLATFORM": "amd"}
_WORK = PurePosixPath("/w")
_SOURCES = {".hip", ".cu", ".cpp"}


@dataclass
class Tally:
    kernels: int = 0
    instructions: int = 0
    seconds: float = 0.0
    used: Counter[str] = field(default_factory=Counter)
    unsupported: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)


def find_inputs(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in found if each.is_file() and (each.suffix in _SOURCES or is_elf(each)))


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


class Compiler:
    def __init__(self, flags: list[str], folder: Path) -> None:
        self.toolchain = require_toolchain(ToolchainConfig.from_environment())
        self.sandbox = choose_sandbox("auto", self.toolchain.root, digest=self.toolchain.digest)
        self.flags = flags
        self.folder = folder

    def compile(self, source: Path, target: str, level: str) -> bytes | None:
        """The code object, or None if the program does not build."""
        text = source.read_text(errors="surrogateescape")
        if source.suffix == ".cu":
            text, _ = translate_text(text, path=source.name)
        work = Path(tempfile.mkdtemp(dir=self.folder))
        work.chmod(0o777)
        (work / "program.hip").write_text(text, errors="surrogateescape")
        shims = Path(__file__).parents[1] / "agents" / "shims" / "include"
        mounts = [Mount(work, _WORK, writable=True)]
        include: list[str] = []
        if shims.is_dir():
            shutil.copytree(shims, work / "include")
            include = ["-Iinclude"]
        argv = ("hipcc", f"--offload-arch={target}", f"-{level}", "--cuda-device-only", "--no-gpu-bundle-output", "-w")
        argv = (*argv, "-std=c++17", *include, *self.flags, "-c", "program.hip", "-o", "program.co")
        command = Command(argv=argv, root=self.toolchain.root, cwd=_WORK, env=_ENVIRONMENT, mounts=tuple(mounts))
        done = self.sandbox.start(command, Limits()).wait()
        output = work / "program.co"
        if done.exit_code != 0 or not output.is_file():
            last = done.stderr.decode(errors="replace").strip().splitlines()[:1]
            print(f"{source.name} {target} {level}: does not build: {last}", file=sys.stderr)
            return None
        return output.read_bytes()


def translate_all(image: bytes, target: str, folder: Path, tally: Tally) -> None:
    for unit in list_units(image, target):
        translator = unit_translator(image, target, unit, folder)
        started = time.process_time()
        translator.translate()
        tally.seconds += time.process_time() - started
        tally.kernels += 1
        tally.instructions += translator.instruction_count
        tally.used.update(translator.used)
        for lost in translator.unsupported:
            tally.unsupported[lost.instruction.mnemonic] += 1
            tally.reasons[lost.instruction.mnemonic] = f"{lost.instruction.text}: {lost.reason}"


def objdump_of_root(toolchain_root: Path, folder: Path) -> None:
    """The translator runs here on the host, with the toolchain's llvm-objdump."""
    tool = folder / "llvm-objdump"
    loader = toolchain_root / "usr/lib64/ld-linux-x86-64.so.2"
    libraries = toolchain_root / "usr/lib/x86_64-linux-gnu"
    program = toolchain_root / "usr/lib/llvm-22/bin/llvm-objdump"
    tool.write_text(f'#!/bin/sh\nexec {loader} --library-path {libraries} {program} "$@"\n')
    tool.chmod(0o755)
    os.environ["W2W_LLVM"] = str(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("kernels_corpus")])
    parser.add_argument("--target", default="gfx942,gfx950")
    parser.add_argument("--level", default="O3")
    parser.add_argument("--flag", action="append", default=[])
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        compiler = Compiler(options.flag, folder)
        objdump_of_root(compiler.toolchain.root, folder)
        for target in options.target.split(","):
            tally = Tally()
            levels = options.level.split(",")
            jobs = [(path, target, level) for path in find_inputs(options.paths) for level in levels]
            with ThreadPoolExecutor(2) as pool:
                images = list(pool.map(lambda job: image_of(compiler, *job), jobs))
            for image in images:
                if image is not None:
                    translate_all(image, target, folder, tally)
            report(target, tally)
            failed |= bool(tally.unsupported)
    return int(failed)


def image_of(compiler: Compiler, path: Path, target: str, level: str) -> bytes | None:
    return path.read_bytes() if path.suffix not in _SOURCES else compiler.compile(path, target, level)


def report(target: str, tally: Tally) -> None:
    per_instruction = 1e3 * tally.seconds / max(1, tally.instructions)
    print(
        f"{target}: {tally.kernels} kernels, {tally.instructions} instructions, {len(tally.used)} mnemonics, "
        f"{per_instruction:.2f} ms each, {sum(tally.unsupported.values())} unsupported"
    )
    for mnemonic, count in tally.unsupported.most_common():
        print(f"  {count:6} {mnemonic}: {tally.reasons[mnemonic]}")


if __name__ == "__main__":
    sys.exit(main())
