"""The library exports what NVIDIA's does, at the same version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from virtual_cuda import VirtualCuda

TABLES = Path(__file__).parents[4] / "sandbox" / "vgpu" / "cudart" / "tables"


def _listed() -> set[str]:
    functions = re.findall(r"^W2W_FUNCTION\((\w+)\)$", (TABLES / "functions.inc").read_text(), re.MULTILINE)
    pairs = re.findall(r"^W2W_PER_THREAD\((\w+), (\w+)\)$", (TABLES / "per_thread.inc").read_text(), re.MULTILINE)
    return {*functions, *(f"{name}_{suffix}" for name, suffix in pairs)}


def _exported(path: Path) -> set[str]:
    with path.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        return {s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF" and re.match(r"(__)?cuda", s.name)}


def test_tables_have_no_duplicates() -> None:
    for name, pattern in (("functions.inc", r"^W2W_FUNCTION\((\w+)\)$"), ("errors.inc", r"^W2W_ERROR\((\w+),")):
        found = re.findall(pattern, (TABLES / name).read_text(), re.MULTILINE)
        assert len(found) == len(set(found)) > 100


@pytest.mark.toolchain
def test_every_function_of_nvidias_library_is_there(cuda: VirtualCuda) -> None:
    theirs = _exported(cuda.workshop.bench().toolchain.cuda / "lib" / "libcudart.so.13")
    ours = _exported(cuda.runner.runtime.folder / "lib" / "libcudart.so.13")
    assert theirs == _listed()
    assert theirs - ours == set()
    assert ours - theirs == set()
