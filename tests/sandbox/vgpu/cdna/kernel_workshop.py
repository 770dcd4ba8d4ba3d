"""Assembles kernels, translates them on the host, compiles them in the root, and runs them on one wave."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from vgpu_root import VGPU, Root

from sandbox.vgpu.cdna import disassembly
from sandbox.vgpu.cdna.translate import unit_translator

_LLVM = "/usr/lib/llvm-22/bin"
_CLANG = f"{_LLVM}/clang -Wno-override-module -ffp-contract=off -fno-math-errno -fPIC -march=x86-64-v3"
_COMPILE_IR = f"{_CLANG} -x ir -O1 -mno-vzeroupper -fno-vectorize -fno-slp-vectorize -fno-unroll-loops"

_KERNEL = """
.text
.p2align 8
.globl {name}
.type {name},@function
{name}:
{body}
s_endpgm
.Lend_{name}:
.size {name}, .Lend_{name}-{name}
.amdhsa_kernel {name}
  .amdhsa_next_free_vgpr 160
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 128
  .amdhsa_float_denorm_mode_32 {denormals}
  .amdhsa_ieee_mode {ieee}
.end_amdhsa_kernel
"""


@dataclass(frozen=True)
class KernelSource:
    """``denormals``: MODE's field for singles; 3 keeps them, 0 flushes them. ``ieee``: MODE's IEEE bit."""

    name: str
    body: str
    denormals: int = 3
    ieee: int = 1

    @property
    def text(self) -> str:
        return _KERNEL.format(name=self.name, body=self.body, denormals=self.denormals, ieee=self.ieee)


class Workshop:
    """``folder`` is writable and is /w in the root."""

    def __init__(self, root: Root, folder: Path) -> None:
        self.root = root
        self.folder = folder
        disassembly_tools = folder / "tools"
        disassembly_tools.mkdir()
        loader = root.path / "usr/lib64/ld-linux-x86-64.so.2"
        libraries = root.path / "usr/lib/x86_64-linux-gnu"
        tool = disassembly_tools / "llvm-objdump"
        tool.write_text(f'#!/bin/sh\nexec {loader} --library-path {libraries} {root.path}{_LLVM}/llvm-objdump "$@"\n')
        tool.chmod(0o755)
        self.tools = disassembly_tools

    def build_runner(self) -> None:
        here = Path(__file__).parent
        (self.folder / "runner.c").write_text((here / "runner.c").read_text())
        simt = "/opt/w2w/vgpu/simt"
        helpers = sorted(path.stem for path in (VGPU / "simt").glob("helpers_*.c"))
        self._each(helpers, f"{_CLANG} -std=gnu17 -O2 -Wall -Wextra -Werror -c {simt}/@.c -o @.o")
        objects = " ".join(f"{helper}.o" for helper in helpers)
        self._shell(f"{_CLANG} -std=gnu17 -O2 -I{simt} runner.c {objects} -rdynamic -lm -o runner")

    def _shell(self, script: str) -> None:
        self.root.run(self.folder, "sh", "-ec", script)

    def _each(self, names: list[str], script: str) -> None:
        """``script`` with each name in place of ``@``, two at a time."""
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda name: self._shell(script.replace("@", name)), names))

    def assemble(self, name: str, target: str, kernels: list[KernelSource], extra: str = "") -> bytes:
        """The code object with these kernels, and what ``extra`` says."""
        header = f'.amdgcn_target "amdgcn-amd-amdhsa--{target}"\n.amdhsa_code_object_version 5\n'
        (self.folder / f"{name}.s").write_text(header + "".join(kernel.text for kernel in kernels) + extra)
        assemble = f"{_LLVM}/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu={target} -filetype=obj {name}.s -o {name}.o"
        self._shell(f"{assemble} && {_LLVM}/ld.lld -shared {name}.o -o {name}.co")
        return (self.folder / f"{name}.co").read_bytes()

    def translate(self, image: bytes, target: str, unit: str, name: str) -> list[str]:
        """Write ``name``.ll; the texts of what could not be translated."""
        found = disassembly.find_tool
        disassembly.find_tool = lambda tool: str(self.tools / tool)
        try:
            translator = unit_translator(image, target, unit, self.tools)
            (self.folder / f"{name}.ll").write_text(translator.translate())
        finally:
            disassembly.find_tool = found
        return [f"{u.instruction.text}: {u.reason}" for u in translator.unsupported]

    def compile(self, names: list[str]) -> None:
        """``name``.ll to ``name``.so, two at a time."""
        self._each(names, f"{_COMPILE_IR} -c @.ll -o @.o && {_LLVM}/ld.lld -shared -Bsymbolic @.o -o @.so")

    def run(self, runs: list[tuple[str, bytes, int, int]]) -> list[bytes]:
        """Each (unit, input, bytes of output, bytes of LDS); what the kernels left in output and LDS."""
        commands = []
        for number, (unit, data, output_bytes, lds_bytes) in enumerate(runs):
            (self.folder / f"in{number}").write_bytes(data)
            commands.append(f"./runner ./{unit}.so in{number} out{number} {output_bytes} {lds_bytes}")
        self._shell("\n".join(commands))
        return [(self.folder / f"out{number}").read_bytes() for number in range(len(runs))]
