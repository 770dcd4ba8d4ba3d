"""Write docs/api-map.md from the tables of the translator.

    python bench/hipify_map.py [--check]

``--check`` writes nothing and fails where the page is not what the tables say.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from agents.hipify.tables import Kind, Row, Status, Table, load_tables

PAGE = Path(__file__).parents[1] / "docs" / "api-map.md"
_FUNCTIONS = frozenset({Kind.FUNCTION, Kind.DEVICE_FUNCTION})
_HEAD = """# CUDA names and their HIP names

Written by `bench/hipify_map.py` from `agents/hipify/tables`: do not edit. Every name is a row there; this page counts
them and lists what is more than a rename.
"""


def write_page() -> str:
    tables = load_tables()
    parts = [_HEAD, *_counts(tables), *_listed(tables, Status.SEMANTICS_DIFFER, "Renamed, but not quite the same")]
    parts += [*_listed(tables, Status.NEEDS_SHIM, "In headers that come with the port"), *_unsupported(tables)]
    return "\n".join(parts)


def _counts(tables: tuple[Table, ...]) -> Iterator[str]:
    yield "| library | names | renamed | differ | shim | unsupported | `--roc`, `--miopen` | other name in ROCm 6.3 |"
    yield "|---|---|---|---|---|---|---|---|"
    total: Counter[str] = Counter()
    for table in tables:
        count = Counter[str](row.status for row in table.rows)
        count["names"] = len(table.rows)
        count["roc"] = sum(bool(row.roc) for row in table.rows)
        count["older"] = sum(bool(row.older) for row in table.rows)
        total += count
        yield _line(f"{table.library} (`{table.name}`)", count)
    yield _line("all", total)
    yield ""


def _line(name: str, count: Counter[str]) -> str:
    columns = ("names", *(status.value for status in Status), "roc", "older")
    return f"| {name} | " + " | ".join(str(count[column]) for column in columns) + " |"


def _listed(tables: tuple[Table, ...], status: Status, title: str) -> Iterator[str]:
    yield f"## {title}\n\n| CUDA | HIP | note |\n|---|---|---|"
    for row in _rows(tables, status):
        hip = f"`{row.hip}`" if row.hip else ""
        yield f"| `{row.cuda}` | {hip} | {row.note} |"
    yield ""


def _unsupported(tables: tuple[Table, ...]) -> Iterator[str]:
    yield "## Functions without an equivalent\n\nEach is a blocking finding.\n"
    for table in tables:
        names = [r.cuda for r in _rows((table,), Status.UNSUPPORTED) if r.kind in _FUNCTIONS]
        if names:
            yield f"**{table.library}**: " + ", ".join(f"`{name}`" for name in names) + ".\n"


def _rows(tables: tuple[Table, ...], status: Status) -> list[Row]:
    return [row for table in tables for row in table.rows if row.status is status]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    page = write_page()
    if not parser.parse_args().check:
        PAGE.write_text(page, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page:
        sys.exit(f"{PAGE.name} is not up to date: run python bench/hipify_map.py")


if __name__ == "__main__":
    main()
