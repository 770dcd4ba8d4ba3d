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
_FORMS_OF_A_KERNEL = 32
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


@cache
def load_api_forms() -> tuple[Form, ...]:
    """Functions of CUDA's instead of PTX, as C++ expressions (``api_forms.tsv``). DataError as for the others."""
    return parse_forms((_FOLDER / "api_forms.tsv").read_text(encoding="utf-8"))


def write_program(forms: Iterable[Form], *, api: bool = False, group: int = _FORMS_OF_A_KERNEL) -> str:
    """The program for PTX forms, or, with ``api``, for those of ``api_forms.tsv``. A kernel holds ``group`` forms,
    since each kernel costs its translation."""
    forms = tuple(forms)
    kernels, rows = [], []
    for first in range(0, len(forms), group):
        kernels.append(_kernel(first // group, forms[first : first + group], api=api))
    for number, form in enumerate(forms):
        kernel, case = divmod(number, group)
        rows.append(
            f'{{"{form.name}", "{form.kinds[1:]}", "{form.number}", {int(form.bound > 0)}, k{kernel}, {case}}},'
        )
    table = "struct Form { const char *name, *kinds, *number; int raw; Kernel kernel; int which; };"
    start = [(_FOLDER / "api.cu.in").read_text(encoding="utf-8")] if api else []
    generated = "\n".join([*start, *kernels, table, "static const Form kForms[] = {", *rows, "};"])
    return (_FOLDER / "forms.cu.in").read_text(encoding="utf-8").replace("@KERNELS@", generated)


def asm_text(form: Form) -> str:
    return re.sub(r"\$(\d)", r"%\1", form.ptx.replace("%", "%%"))


def _kernel(number: int, forms: tuple[Form, ...], *, api: bool) -> str:
    cases = [
        f"    case {case}: {{ {_api_statement(form) if api else _asm_statement(form)} break; }}"
        for case, form in enumerate(forms)
    ]
    head = f"__global__ void k{number}(const uint64_t* in, uint64_t* out, int which) {{"
    place = "  int i = blockIdx.x * blockDim.x + threadIdx.x;"
    return "\n".join([head, place, "  switch (which) {", *cases, "  }", "}"])


def _operand(form: Form, at: int) -> str:
    return f"({_C_TYPE[_REGISTER[form.kinds[at]]]})in[{at - 1} * kSets + i]"


def _asm_statement(form: Form) -> str:
    result = _REGISTER[form.kinds[0]]
    operands = ", ".join(f'"{_REGISTER[kind]}"({_operand(form, at)})' for at, kind in enumerate(form.kinds[1:], 1))
    return f'{_C_TYPE[result]} d = 0; asm volatile("{asm_text(form)}" : "=&{result}"(d) : {operands}); out[i] = d;'


def _api_statement(form: Form) -> str:
    expression = re.sub(r"\$(\d)", lambda found: f"({_operand(form, int(found[1]))})", form.ptx)
    return f"out[i] = bits({expression});"
