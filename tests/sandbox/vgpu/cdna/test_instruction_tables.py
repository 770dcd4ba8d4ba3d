"""The instruction tables: complete, without duplicates, and in agreement with LLVM's assembler."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from kernel_workshop import Workshop

from sandbox.vgpu.cdna import instruction_table
from sandbox.vgpu.cdna.instruction_table import TARGETS, TableError, load_table, read_rows, table_for
from sandbox.vgpu.cdna.semantics.registry import SEMANTICS

_HEADER = "mnemonic\tformat\ttargets\tsemantics\tparameters\tstatus\n"
_GOOD = "v_mov_b32\tVOP1\t*\tmove\ttype=u32\timplemented\n"


def test_every_semantics_function_is_used() -> None:
    assert SEMANTICS.keys() - {row.semantics for row in load_table().values()} == set()


@pytest.mark.parametrize("target", TARGETS)
def test_most_instructions_are_implemented(target: str) -> None:
    rows = table_for(target).values()
    missing = [row for row in rows if not row.implemented]
    assert len(missing) < 0.16 * len(rows)
    assert all(len(row.status) > 10 for row in missing), "each needs a reason"


def test_instructions_of_one_target_only() -> None:
    assert "v_bitop3_b32" in table_for("gfx950")
    assert "v_bitop3_b32" not in table_for("gfx942")
    assert "v_mfma_f32_16x16x8_xf32" not in table_for("gfx950")


@pytest.mark.parametrize(
    "row",
    [
        _GOOD.replace("move", "teleport"),
        _GOOD.replace("VOP1", "VOP9"),
        _GOOD.replace("*", "gfx1100"),
        _GOOD.replace("type=u32", "type=u33"),
        _GOOD.replace("type=u32", "kind=u32"),
        _GOOD.replace("type=u32", ""),
        _GOOD.replace("type=u32", "type=u32 type=u32"),
        _GOOD.replace("\timplemented", "\t"),
        _GOOD.replace("\timplemented", ""),
    ],
)
def test_wrong_rows_are_refused(tmp_path: Path, row: str) -> None:
    table = tmp_path / "bad.tsv"
    table.write_text(_HEADER + row)
    with pytest.raises(TableError, match=r"bad\.tsv:2"):
        read_rows(table)


def test_duplicates_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.tsv").write_text(_HEADER + _GOOD)
    (tmp_path / "b.tsv").write_text(_HEADER + _GOOD)
    monkeypatch.setattr(instruction_table, "_TABLES", tmp_path)
    with pytest.raises(TableError, match="v_mov_b32 is listed twice"):
        load_table.__wrapped__()


def test_corrections_name_known_instructions() -> None:
    path = Path(instruction_table.__file__).with_name("corrections.toml")
    for correction in tomllib.loads(path.read_text())["correction"]:
        assert correction.keys() == {"mnemonics", "document", "behaviour", "source"}
        for pattern in correction["mnemonics"]:
            assert fnmatch.filter(load_table(), pattern), pattern


@pytest.mark.toolchain
@pytest.mark.parametrize("target", TARGETS)
def test_tables_agree_with_the_assembler(workshop: Workshop, target: str) -> None:
    """The assembler knows each mnemonic of the table for its targets, and no other of it."""
    names = sorted(load_table())
    (workshop.folder / "names.s").write_text("\n".join(names) + "\n")
    tool = f"/usr/lib/llvm-22/bin/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu={target} names.s"
    done: subprocess.CompletedProcess[str] = workshop.root.run(workshop.folder, "sh", "-c", tool, check=False)
    unknown = {
        names[int(line) - 1]
        for line, message in re.findall(r"names\.s:(\d+):\d+: error: (.*)", done.stderr)
        if "not supported on this GPU" in message or "invalid instruction" in message
    }
    assert set(names) - unknown == set(table_for(target))
