"""Cases of translation: one file each under ``tests/cases/hipify``.

Optional first lines ``// flags: naive`` and ``// findings: FAULT:LINE:ACTION ...`` (all of them, in order), the
CUDA source, a line ``// output`` and the port. Without that line the source is to stay as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "cases" / "hipify"
_MARK = "// output\n"


@dataclass(frozen=True)
class Case:
    name: str
    source: str
    port: str
    findings: tuple[str, ...]
    naive: bool


def read_cases() -> list[Case]:
    return [_read(path) for path in sorted(FOLDER.glob("*.cu"))]


def _read(path: Path) -> Case:
    source, mark, port = path.read_text(encoding="utf-8").partition(_MARK)
    naive, findings = False, ""
    while source.startswith(("// flags: ", "// findings: ")):
        line, _, source = source.partition("\n")
        naive = naive or line == "// flags: naive"
        findings = line.removeprefix("// findings: ") if line.startswith("// findings: ") else findings
    return Case(path.stem, source, port if mark else source, tuple(findings.split()), naive)
