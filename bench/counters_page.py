"""Write docs/counters.md from the tables of sandbox/profiling.

    python bench/counters_page.py [--check]

--check compares instead of writing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sandbox.profiling.devices import DEVICE_COLUMNS, DEVICES
from sandbox.profiling.tables import CounterRow, load_counters, read_table
from sandbox.vgpu.cdna.counting import load_rules
from sandbox.vgpu.cdna.instruction_table import FORMATS

PAGE = Path(__file__).parents[1] / "docs/counters.md"

_HEAD = """# Counters

Written by `bench/counters_page.py` from `sandbox/profiling/counters.tsv` and `sandbox/vgpu/cdna/counter_rules.tsv`; a
test keeps it up to date. [profiling.md](profiling.md) says how they are taken.

A name of rocprofv3's is used only where definition and unit are the same; the others begin with `W2W_`. *counted*: each
event is counted. *modelled*: computed from addresses by what is published of the hardware, and never measured.
"""
_SECTIONS = {
    "counted": "## Counted by the virtual GPU",
    "modelled": "## Modelled by the virtual GPU",
    "hardware": "## Read from rocprofv3 only\n\nMetrics are computed from these where the virtual GPU's are not there.",
}
_RULES = """
## Which instructions count

An instruction adds the amount to each counter whose expression fits its whole mnemonic; per lane: once for each active
lane. `words`: the bytes of a scalar access; `matrix`: multiplications and additions of the dense matrices over 512.

| counter | per | formats | mnemonics | amount |
|---|---|---|---|---|"""
_DEVICES = """
## Facts of the parts

| target | parameter | value | unit | source |
|---|---|---|---|---|"""


def write_page() -> str:
    lines = [_HEAD]
    for origin, title in _SECTIONS.items():
        lines += [title, "", "| counter | unit | definition | source |", "|---|---|---|---|"]
        lines += [_counter(row) for row in load_counters().values() if row.origin == origin]
        lines.append("")
    lines.append(_RULES.strip("\n"))
    for rule in load_rules():
        formats = "all" if rule.formats == FORMATS else ", ".join(sorted(rule.formats))
        per = "lane" if rule.per_lane else "wave"
        mnemonics = rule.mnemonics.pattern.replace("|", "\\|")
        lines.append(f"| {rule.counter} | {per} | {formats} | `{mnemonics}` | {rule.weight} |")
    lines.append(_DEVICES)
    for _, target, parameter, value, unit, source in read_table(DEVICES, DEVICE_COLUMNS):
        lines.append(f"| {target} | {parameter} | {value} | {unit} | {source} |")
    return "\n".join(lines) + "\n"


def _counter(row: CounterRow) -> str:
    return f"| {row.name} | {row.unit} | {row.definition} | {row.source} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        return int(PAGE.read_text(encoding="utf-8") != write_page())
    PAGE.write_text(write_page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
