"""Write docs/cdna-coverage.md from the translator's instruction tables and the list of what the assembler accepts.

    python bench/cdna_coverage_page.py [--check]

--check compares instead of writing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from sandbox.vgpu.cdna.evidence import load_corrections, load_presumptions
from sandbox.vgpu.cdna.instruction_table import TARGETS, load_table, table_for

_ROOT = Path(__file__).parents[1]
PAGE = _ROOT / "docs/cdna-coverage.md"
_ASSEMBLER = _ROOT / "tests/sandbox/vgpu/cdna/assembler_mnemonics.tsv"


def write_page() -> str:
    parts = [_HEAD, *_coverage(), "\n## Not executed\n", *_unsupported(), _CORRECTED, *_corrections(), _PRESUMED]
    return "\n".join([*parts, *_presumptions()]) + "\n"


_HEAD = """# Instructions of the virtual AMD GPU

Written by `bench/cdna_coverage_page.py` from the tables in `sandbox/vgpu/cdna/`; a test keeps it up to date. "Accepted"
counts the mnemonics that LLVM's assembler knows for a target (`bench/cdna_assembler.py` asked it).

| target | accepted | executed | share |
|---|---|---|---|"""

_CORRECTED = """
## Other than documented

AMD's documents are wrong or silent here, and another source settles the matter.

| instructions | documents | what is done | source |
|---|---|---|---|"""

_PRESUMED = """
## Presumed

No source that we know settles these.

| instructions | what is done | why |
|---|---|---|"""


def _coverage() -> list[str]:
    accepted = dict.fromkeys(TARGETS, 0)
    for line in _ASSEMBLER.read_text().splitlines()[1:]:
        for target in line.split("\t")[1].split(","):
            accepted[target] += 1
    lines = []
    for target, total in accepted.items():
        executed = sum(row.implemented for row in table_for(target).values())
        lines.append(f"| {target} | {total} | {executed} | {100 * executed / total:.1f} % |")
    lines += ["", f"| format | {' | '.join(TARGETS)} |", "|---|" + "---|" * len(TARGETS)]
    counts = {target: Counter(row.format for row in table_for(target).values()) for target in TARGETS}
    for name in sorted({row.format for row in load_table().values()}):
        lines.append(f"| {name} | {' | '.join(str(counts[target][name]) for target in TARGETS)} |")
    return lines


def _unsupported() -> list[str]:
    missing = [row for row in load_table().values() if not row.implemented]
    return [f"- `{row.mnemonic}` ({', '.join(sorted(row.targets))}): {row.status}" for row in missing]


def _corrections() -> list[str]:
    return [f"| {_code(c.mnemonics)} | {c.document} | {c.behaviour} | {c.source} |" for c in load_corrections()]


def _presumptions() -> list[str]:
    return [f"| {_code(p.mnemonics)} | {p.fact} | {p.reason} |" for p in load_presumptions()]


def _code(mnemonics: tuple[str, ...]) -> str:
    return ", ".join(f"`{mnemonic}`" for mnemonic in mnemonics)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = write_page()
    if options.check:
        return int(PAGE.read_text() != text)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
