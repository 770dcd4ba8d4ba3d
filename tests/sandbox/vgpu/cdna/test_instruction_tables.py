"""The instruction tables: without duplicates and unknown values."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.vgpu.cdna import instruction_table
from sandbox.vgpu.cdna.instruction_table import TableError, load_table, read_rows, table_for
from sandbox.vgpu.cdna.semantics.registry import SEMANTICS

_HEADER = "mnemonic\tformat\ttargets\tsemantics\tparameters\tstatus\n"
_GOOD = "v_mov_b32\tVOP1\t*\tmove\ttype=u32\timplemented\n"


def test_every_semantics_function_is_used() -> None:
    assert SEMANTICS.keys() - {row.semantics for row in load_table().values()} == set()


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
