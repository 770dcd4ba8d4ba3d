"""The table of public programs: how each is built and run, what its output must hold, what a GPU said.

Needs nothing but Python, so that it also works on a machine that has only a GPU and nvcc.
"""

from __future__ import annotations

import csv
import re
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

TABLE = Path(__file__).with_name("public_programs.tsv")
FAILURE = re.compile(r"\bFAIL|\bmismatch", re.IGNORECASE)


@dataclass(frozen=True)
class Program:
    """One row. Paths are relative to the checkout and separated by spaces, the argument lists of several runs by ;;.

    ``passes`` is how often ``pattern`` must match in the output of all runs together, as counted on the GPU;
    ``hip_passes`` the same for the twin, from its source, as it tests less in some programs.
    """

    name: str
    cuda_sources: str
    hip_sources: str
    arguments: str
    cuda_flags: str
    hip_flags: str
    pattern: str
    passes: int
    hip_passes: int
    h200: str

    def runs(self) -> list[tuple[str, ...]]:
        return [tuple(words.split()) for words in self.arguments.split(";;")]

    def sources(self, side: str) -> list[str]:
        return (self.cuda_sources if side == "cuda" else self.hip_sources).split()

    def flags(self, side: str) -> list[str]:
        return (self.cuda_flags if side == "cuda" else self.hip_flags).split()

    def include_folders(self, side: str) -> list[str]:
        """A twin shares headers with the original: those folders, its own first."""
        own = dict.fromkeys(str(Path(source).parent) for source in self.sources(side))
        return list(own | dict.fromkeys(str(Path(source).parent) for source in self.sources("cuda")))

    def count(self, output: str) -> int:
        return len(re.findall(self.pattern, output))


def load_programs(path: Path = TABLE) -> list[Program]:
    """Raises ValueError where a name stands twice, a column is missing or unknown, or a value is none of its kind."""
    with path.open(newline="") as file:
        reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        expected = [field.name for field in fields(Program)]
        if reader.fieldnames != expected:
            raise ValueError(f"{path.name}: columns are {reader.fieldnames}, not {expected}")
        programs = []
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(f"{path.name}: line {reader.line_num} has not {len(expected)} columns")
            passes, hip_passes = int(row.pop("passes")), int(row.pop("hip_passes"))
            programs.append(Program(**row, passes=passes, hip_passes=hip_passes))
    names = [program.name for program in programs]
    for program in programs:
        re.compile(program.pattern)
        if names.count(program.name) > 1:
            raise ValueError(f"{path.name}: {program.name} stands twice")
        if program.h200 not in ("PASS", "unknown") and not program.h200.startswith("FAIL"):
            raise ValueError(f"{path.name}: {program.name}: {program.h200!r} is no result")
    return programs


def save_programs(programs: list[Program], path: Path = TABLE) -> None:
    names = [field.name for field in fields(Program)]
    lines = ["\t".join(names)] + ["\t".join(str(asdict(p)[name]) for name in names) for p in programs]
    path.write_text("\n".join(lines) + "\n")


def with_result(program: Program, passes: int, h200: str) -> Program:
    return replace(program, passes=passes, h200=h200)
