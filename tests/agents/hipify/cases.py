"""Cases of translation: one file each under ``tests/cases/hipify``.

Optional first lines ``// flags: FLAG ...`` (keys of ``FLAGS``) and ``// findings: FAULT:LINE:ACTION ...`` (all of
them, in order), the CUDA source, a line ``// output`` and the port. Without that line the source is to stay as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.hipify import Dialect, Options
from agents.hipify.tables import Headers

FOLDER = Path(__file__).parents[2] / "cases" / "hipify"
_MARK = "// output\n"


FLAGS: dict[str, dict[str, Any]] = {
    "naive": {"fix_faults": False},
    "launches": {"hip_launches": True},
    "skip-excluded": {"skip_excluded": True},
    "always-runtime": {"always_runtime": True},
    "define": {"defines": ("WITH=2",)},
}
DIALECT_FLAGS: dict[str, dict[str, Any]] = {
    "roc": {"roc": True},
    "miopen": {"miopen": True},
    "hip-data-types": {"hip_data_types": True},
    "older": {"older": True, "headers": Headers.OLDER},
    "either": {"headers": Headers.EITHER},
}


@dataclass(frozen=True)
class Case:
    name: str
    source: str
    port: str
    findings: tuple[str, ...]
    options: Options


def read_cases() -> list[Case]:
    return [_read(path) for path in sorted(FOLDER.glob("*.cu"))]


def _read(path: Path) -> Case:
    source, mark, port = path.read_text(encoding="utf-8").partition(_MARK)
    flags: list[str] = []
    findings = ""
    while source.startswith(("// flags: ", "// findings: ")):
        line, _, source = source.partition("\n")
        if line.startswith("// flags: "):
            flags = line.removeprefix("// flags: ").split()
        else:
            findings = line.removeprefix("// findings: ")
    options, dialect = Options(), Dialect()
    for flag in flags:
        if flag in DIALECT_FLAGS:
            dialect = replace(dialect, **DIALECT_FLAGS[flag])
        else:
            options = replace(options, **FLAGS[flag])
    options = replace(options, dialect=dialect)
    return Case(path.stem, source, port if mark else source, tuple(findings.split()), options)
