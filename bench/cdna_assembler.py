"""Record which instructions LLVM's assembler accepts for each target, by asking the toolchain's own.

    python bench/cdna_assembler.py [--check]

Writes tests/sandbox/vgpu/cdna/assembler_mnemonics.tsv (mnemonic, targets); --check only compares. The names are those
of the assembler's own table, which libLLVM holds as strings with their length before them; one is accepted for a target
if llvm-mc finds fault with its operands but not with its name. Names of encodings (v_add_f32_e64) count as the
instruction.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.toolchain import ToolchainConfig, require_toolchain
from sandbox.vgpu.cdna.instruction_table import TARGETS

DATA = Path(__file__).parents[1] / "tests/sandbox/vgpu/cdna/assembler_mnemonics.tsv"
_LIBRARY = "usr/lib/x86_64-linux-gnu/libLLVM.so.22.1"
_ANCHOR = b"v_mfma_f32_32x32x1_2b_f32"
_NAME = re.compile(rb"[a-z@][a-z0-9_.]*")
_ENCODING = re.compile(r"_(e64_dpp|e32|e64|dpp|sdwa)$")
_REFUSED_NAME = re.compile(r"names\.s:(\d+):\d+: error: (?:instruction not supported on this GPU|invalid instruction)")


def names_of_assembler(library: bytes) -> set[str]:
    """All mnemonics of all AMD GPUs. Raises ValueError if the table is not where it should be."""
    anchor = library.find(bytes([len(_ANCHOR)]) + _ANCHOR)
    if anchor < 0:
        raise ValueError("the library has no table of mnemonics")
    names = []
    at = anchor
    while _NAME.fullmatch(name := library[at + 1 : at + 1 + library[at]]):
        names.append(name)
        at += 1 + len(name)
    at = anchor
    while (start := _start_of_name_before(library, at)) is not None:
        names.append(library[start + 1 : at])
        at = start
    return {name.decode() for name in names}


def _start_of_name_before(library: bytes, end: int) -> int | None:
    for length in range(2, 64):
        start = end - 1 - length
        if library[start] == length and _NAME.fullmatch(library[start + 1 : end]):
            return start
    return None


def accepted(root: Path, target: str, names: list[str], folder: Path) -> set[str]:
    (folder / "names.s").write_text("\n".join(names) + "\n")
    loader = [str(root / "usr/lib64/ld-linux-x86-64.so.2"), "--library-path", str(root / "usr/lib/x86_64-linux-gnu")]
    tool = [str(root / "usr/lib/llvm-22/bin/llvm-mc"), "-triple=amdgcn-amd-amdhsa", f"-mcpu={target}", "names.s"]
    done = subprocess.run([*loader, *tool], cwd=folder, capture_output=True, text=True, check=False)
    refused = {names[int(line) - 1] for line in _REFUSED_NAME.findall(done.stderr)}
    return {_ENCODING.sub("", name) for name in names if name not in refused}


def record(root: Path) -> str:
    names = sorted(names_of_assembler((root / _LIBRARY).read_bytes()))
    with tempfile.TemporaryDirectory() as name:
        by_target = {target: accepted(root, target, names, Path(name)) for target in TARGETS}
    lines = ["mnemonic\ttargets"]
    for mnemonic in sorted(set().union(*by_target.values())):
        lines.append(f"{mnemonic}\t{','.join(target for target in TARGETS if mnemonic in by_target[target])}")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = record(require_toolchain(ToolchainConfig.from_environment()).root)
    if options.check:
        return int(DATA.read_text() != text)
    DATA.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
