"""The instruction tables against LLVM's assembler, and the page that tells of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from vgpu_root import Root

from sandbox.vgpu.cdna.evidence import load_corrections, load_presumptions, presumptions_of
from sandbox.vgpu.cdna.instruction_table import TARGETS, TableError, table_for

_REPOSITORY = Path(__file__).parents[4]
_DATA = Path(__file__).with_name("assembler_mnemonics.tsv")
_REASONS = ("image: ", "trap handler: ", "privileged: ")


def _accepted(target: str) -> set[str]:
    rows = [line.split("\t") for line in _DATA.read_text().splitlines()[1:]]
    assert len({mnemonic for mnemonic, _ in rows}) == len(rows)
    return {mnemonic for mnemonic, targets in rows if target in targets.split(",")}


def _script(name: str, *arguments: str) -> int:
    command = [sys.executable, str(_REPOSITORY / "bench" / name), *arguments]
    environment = os.environ | {"PYTHONPATH": str(_REPOSITORY)}
    return subprocess.run(command, env=environment, check=False).returncode


@pytest.mark.parametrize("target", TARGETS)
def test_the_table_has_what_the_assembler_accepts(target: str) -> None:
    assert set(table_for(target)) == _accepted(target)


@pytest.mark.parametrize("target", TARGETS)
def test_nearly_all_is_executed(target: str) -> None:
    rows = table_for(target).values()
    missing = [row for row in rows if not row.implemented]
    assert len(missing) <= 0.02 * len(rows)
    for row in missing:
        assert row.status.startswith(_REASONS), row
        assert len(row.status) > 20, "needs a reason"


@pytest.mark.toolchain
def test_the_recorded_mnemonics_are_those_of_the_assembler(root: Root) -> None:
    assert _script("cdna_assembler.py", "--check") == 0


def test_the_page_is_written_from_the_table() -> None:
    assert _script("cdna_coverage_page.py", "--check") == 0, "run bench/cdna_coverage_page.py"


def test_evidence_names_known_instructions() -> None:
    assert load_corrections()
    assert load_presumptions()
    assert [p.fact for p in presumptions_of("ds_gws_barrier")] != []
    assert presumptions_of("s_mov_b32") == []


@pytest.mark.parametrize(
    "text",
    [
        '[[presumption]]\nmnemonics = ["v_teleport"]\nfact = "f"\nreason = "r"',
        '[[presumption]]\nmnemonics = ["s_mov_b32"]\nfact = "f"',
        '[[presumption]]\nmnemonics = ["s_mov_b32"]\nfact = ""\nreason = "r"',
        '[[presumption]]\nmnemonics = ["s_mov_b32"]\nfact = "f"\nreason = "r"\nsource = "s"',
        '[[fact]]\nmnemonics = ["s_mov_b32"]\nfact = "f"\nreason = "r"',
        2 * '[[presumption]]\nmnemonics = ["s_mov_b32"]\nfact = "f"\nreason = "r"\n',
    ],
)
def test_wrong_evidence_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(TableError, match=r"bad\.toml"):
        load_presumptions(path)
