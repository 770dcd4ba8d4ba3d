"""Writes a CUDA program that runs each instruction form of ``instruction_forms.tsv`` on 1024 sets of operands.

The program prints one line a form, its name and the FNV-1a hash of its results. With a file name as argument it
also writes the results, 8 bytes each, form by form.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

FORMS = Path(__file__).with_name("instruction_forms.tsv")
TEMPLATE = Path(__file__).with_name("vectors.cu.in")

_REGISTER = {"r": "r", "f": "r", "l": "l", "d": "l", "h": "h", "e": "h", "b": "h"}
_C_TYPE = {"r": "unsigned", "l": "unsigned long long", "h": "unsigned short"}


@dataclass(frozen=True)
class Form:
    name: str
    kinds: str
    ptx: str


def read_forms(path: Path = FORMS) -> list[Form]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Form(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def write_program(forms: list[Form]) -> str:
    kernels = [_write_kernel(number, form) for number, form in enumerate(forms)]
    rows = [f'{{"{form.name}", "{form.kinds[1:]}", k{number}}},' for number, form in enumerate(forms)]
    table = "struct Form { const char* name; const char* kinds; Kernel kernel; };\nstatic const Form kForms[] = {\n"
    generated = "\n".join([*kernels, table + "\n".join(rows), "};"])
    return TEMPLATE.read_text(encoding="utf-8").replace("@KERNELS@", generated)


def _write_kernel(number: int, form: Form) -> str:
    result = _REGISTER[form.kinds[0]]
    operands = ", ".join(
        f'"{_REGISTER[kind]}"(({_C_TYPE[_REGISTER[kind]]})in[{k} * kSets + i])' for k, kind in enumerate(form.kinds[1:])
    )
    asm = re.sub(r"\$(\d)", r"%\1", form.ptx.replace("%", "%%"))
    return (
        f"__global__ void k{number}(const uint64_t* in, uint64_t* out) {{ int i = blockIdx.x * blockDim.x + "
        f'threadIdx.x; {_C_TYPE[result]} d = 0; asm volatile("{asm}" : "=&{result}"(d) : {operands}); out[i] = d; }}'
    )


if __name__ == "__main__":
    sys.stdout.write(write_program(read_forms()))
