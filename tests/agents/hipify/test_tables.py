from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agents.errors import DataError
from agents.faults.replacements import load_replacements
from agents.hipify.arguments import load_arguments
from agents.hipify.call_forms import load_call_forms, parse_call_forms
from agents.hipify.tables import Kind, Row, Status, load_names, load_tables, parse_table
from sandbox.toolchain import Toolchain

HEADER = "# x\ncuda\tkind\thip\tstatus\tcuda_versions\tnote\n"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
WORD = re.compile(r"\b[A-Za-z_]\w*")
LIBRARY_NAMES = Path(__file__).parents[2] / "cases" / "hipify_names" / "rocm-7.2.4.txt"
CPLUSPLUS = {"void", "int", "false", "rocrand_device"}
NOT_CHECKED = {"dnn", "nvtx"}
"""MIOpen and roctx have no headers in the toolchain."""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEADER + "a\tfunction\tb\na\tfunction\tc\n", "twice"),
        (HEADER + "a\tverb\tb\n", "verb"),
        (HEADER + "a\ttype\tb\tmaybe\n", "maybe"),
        (HEADER + "a\ttype\tb\t\t\t\tred\n", "bad row"),
        (HEADER + "a\ttype\n", "names nothing"),
        (HEADER + "a\ttype\tb\tunsupported\n", "unsupported but"),
        (HEADER + "a\ttype\tb\t\t12\n", "FIRST-LAST"),
        (HEADER + "\ttype\tb\n", "bad row"),
        (HEADER + "a\ttype\tb \n", "bad row"),
        ("cuda\tkind\thip\n", "LIBRARY"),
        ("# x\n", "column names"),
        ("# x\ncuda\tkind\thip\tcolour\n", "colour"),
        ("# x\n# roc: sometimes\ncuda\tkind\thip\n", "sometimes"),
        ("# x\n# colour: red\ncuda\tkind\thip\n", "cannot read"),
    ],
)
def test_inconsistent_tables_are_rejected(text: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        parse_table("t", text)


@pytest.mark.parametrize(
    "form",
    [
        'cuda = "a"\narguments = 1\nhip = "b"\ncolour = 1',
        'cuda = "a"\narguments = 1\nhip = "b"\ninto = "{0..1}"',
        'cuda = "a"\narguments = 1\nhip = "b"\ntarget = "moon"',
        'cuda = "a"\narguments = 1',
        'cuda = "a"\nhip = "b"',
        'cuda = "a"\narguments = 1\nhip = "b"\n[[form]]\ncuda = "a"\narguments = 1\nhip = "c"',
    ],
)
def test_inconsistent_call_forms_are_rejected(form: str) -> None:
    with pytest.raises(DataError):
        parse_call_forms(f"[[form]]\n{form}\n")


def test_what_the_tables_promise() -> None:
    names = load_names()
    assert len(names.identifiers) > 10_000
    assert names.identifiers["cudaMalloc"].hip == "hipMalloc"
    assert names.identifiers["cudaErrorMemoryAllocation"].hip == "hipErrorOutOfMemory"
    assert names.identifiers["cuMemcpyHtoD"].hip == "hipMemcpyHtoD"
    assert names.identifiers["cudaGraphConditionalHandleCreate"].status is Status.UNSUPPORTED
    assert names.headers["cuda_runtime.h"].hip == "hip/hip_runtime.h"
    assert names.namespaces["cub"].hip == "hipcub"


def test_forms_and_arguments_are_of_names_that_the_tables_know() -> None:
    known = load_names().identifiers
    assert set(load_call_forms()) <= set(known)
    assert {name for positions in load_arguments().values() for name in positions} <= set(known)


def test_what_needs_a_shim_has_one() -> None:
    rows = load_names().identifiers.values()
    missing = {row.cuda for row in rows if row.status is Status.NEEDS_SHIM} - set(load_replacements())
    assert missing == set()


def words_of(files: list[Path]) -> set[str]:
    words: set[str] = set()
    for file in files:
        if file.is_file():
            words |= set(WORD.findall(COMMENT.sub(" ", file.read_text(errors="replace"))))
    return words


@pytest.mark.toolchain
def test_every_hip_name_is_in_the_pinned_headers(toolchain: Toolchain) -> None:
    """A list stands in for the headers of libraries outside the toolchain's core (bench/pinned_names.py)."""
    include = toolchain.root / "usr" / "include"
    own = [f for f in (include / "hip").rglob("*") if not re.search("prof|trace", f.name)]
    own += (toolchain.root / "usr/lib/llvm-22/lib/clang/22/include").glob("__clang_hip*")
    known = words_of(own) | set(LIBRARY_NAMES.read_text().split()) | CPLUSPLUS
    for table in load_tables():
        if table.name not in NOT_CHECKED:
            assert missing_names(table.rows, known, include) == set(), table.name


def missing_names(rows: tuple[Row, ...], known: set[str], include: Path) -> set[str]:
    missing: set[str] = set()
    for row in rows:
        if row.kind is Kind.HEADER:
            for header in (row.hip, row.roc):
                if header and header not in known and not (include / header).is_file():
                    missing.add(header)
        elif row.kind is Kind.NAMESPACE:
            if not (include / row.hip).is_dir():
                missing.add(row.hip)
        else:
            words = set(WORD.findall(f"{row.hip} {row.roc}"))
            missing |= {word for word in words - known if not word.startswith("THRUST_")}
    return missing


@pytest.mark.toolchain
@pytest.mark.parametrize("header", ["cuda_runtime_api.h", "driver_types.h"])
def test_every_name_of_the_runtime_has_a_row(toolchain: Toolchain, header: str) -> None:
    text = COMMENT.sub(" ", (toolchain.cuda / "include" / header).read_text(errors="replace"))
    functions = set(re.findall(r"CUDARTAPI\s+(cuda\w+)\s*\(", text))
    types = set(re.findall(r"\b(?:struct|enum)\s+(?:__device_builtin__\s+)?(cuda\w+)\s*\{", text))
    errors = set(re.findall(r"\b(cudaError\w+|cudaSuccess)\s*=", text))
    unknown = {n for n in functions | types | errors if n not in load_names().identifiers}
    assert {n for n in unknown if not n.endswith(("_ptsz", "_v2", "_st"))} == set()


def test_the_page_of_the_tables_is_up_to_date() -> None:
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, root / "bench" / "hipify_map.py", "--check"], cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
