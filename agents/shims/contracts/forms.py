"""A CUDA program that runs PTX forms (``ptx_forms.tsv``) on sets of operands, edges first.

It prints one line a form: its name and the FNV-1a hash of its results, or, where they are compared within a bound,
the results themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.errors import DataError

_FOLDER = Path(__file__).parent
_REGISTER = {"r": "r", "f": "r", "l": "l", "d": "l", "h": "h", "e": "h", "b": "h"}
_C_TYPE = {"r": "unsigned", "l": "unsigned long long", "h": "unsigned short"}
_NAN_ALIKE = frozenset({"f", "d", "e", "b", "ee", "bb"})


@dataclass(frozen=True)
class Form:
    """``bound`` is 0 where results must have the same bits (``number`` says as what; ``bits``: as they are)."""

    name: str
    kinds: str
    number: str
    bound: float
    ptx: str


@cache
def load_forms() -> tuple[Form, ...]:
    """DataError for unknown kinds or comparisons and for a name that repeats."""
    return parse_forms((_FOLDER / "ptx_forms.tsv").read_text(encoding="utf-8"))


def parse_forms(text: str) -> tuple[Form, ...]:
    forms: dict[str, Form] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 4 or columns[0] in forms or not set(columns[1]) <= set(_REGISTER):
            raise DataError(f"bad PTX form: {line}")
        name, kinds, comparison, ptx = columns
        number, _, bound = comparison.partition("~")
        if number != "bits" and number not in _NAN_ALIKE:
            raise DataError(f"bad comparison of a PTX form: {line}")
        forms[name] = Form(name, kinds, number, float(bound or 0), ptx)
    return tuple(forms.values())


def write_program(forms: Iterable[Form]) -> str:
    kernels, rows = [], []
    for number, form in enumerate(forms):
        kernels.append(_kernel(number, form))
        rows.append(f'{{"{form.name}", "{form.kinds[1:]}", "{form.number}", {int(form.bound > 0)}, k{number}}},')
    table = (
        "struct Form { const char *name, *kinds, *number; int raw; Kernel kernel; };\nstatic const Form kForms[] = {"
    )
    generated = "\n".join([*kernels, table, *rows, "};"])
    return (_FOLDER / "forms.cu.in").read_text(encoding="utf-8").replace("@KERNELS@", generated)


def asm_text(form: Form) -> str:
    return re.sub(r"\$(\d)", r"%\1", form.ptx.replace("%", "%%"))


def _kernel(number: int, form: Form) -> str:
    result = _REGISTER[form.kinds[0]]
    operands = ", ".join(
        f'"{_REGISTER[kind]}"(({_C_TYPE[_REGISTER[kind]]})in[{k} * kSets + i])' for k, kind in enumerate(form.kinds[1:])
    )
    return (
        f"__global__ void k{number}(const uint64_t* in, uint64_t* out) {{ int i = blockIdx.x * blockDim.x + "
        f'threadIdx.x; {_C_TYPE[result]} d = 0; asm volatile("{asm_text(form)}" : "=&{result}"(d) : {operands}); '
        "out[i] = d; }"
    )
