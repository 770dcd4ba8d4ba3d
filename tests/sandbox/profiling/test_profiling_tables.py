"""The data files: complete, without contradictions, and refused where they are wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.profiling import devices, tables
from sandbox.profiling.devices import load_parts
from sandbox.profiling.tables import TableError, columns_of, load_counters, load_layouts
from sandbox.vgpu.cdna.counting import load_classes
from sandbox.vgpu.cdna.instruction_table import TARGETS

VGPU = Path(tables.__file__).parents[1] / "vgpu"


def test_every_counter_of_the_virtual_gpu_is_defined() -> None:
    names = re.findall(r"^COUNTER\((\w+)\)", (VGPU / "simt/counter_names.inc").read_text(), re.MULTILINE)
    written = {*names, *(name for name, _ in load_classes())}
    assert len(names) == len(set(names))
    assert written == {name for name, row in load_counters().items() if row.origin != "hardware"}


def test_names_say_whose_they_are() -> None:
    for name, row in load_counters().items():
        assert name.startswith("W2W_") == (row.source == "this project"), name
        assert not (row.origin == "modelled" and not name.startswith("W2W_")), name


def test_what_depends_on_a_model_is_called_modelled() -> None:
    modelled = {name for name, row in load_counters().items() if row.origin == "modelled"}
    assert {
        name for name in load_counters() if re.search(r"_REQ_|_CYCLES", name) and name.startswith("W2W")
    } <= modelled


def test_every_target_has_a_part() -> None:
    assert set(load_parts()) == set(TARGETS)
    assert (load_parts()["gfx942"].compute_units, load_parts()["gfx950"].lds_bytes_per_cu) == (304, 163840)
    assert load_parts()["gfx950"].matrix_ops_per_clock["f16"] == 4096


def test_the_page_of_counters_is_up_to_date() -> None:
    script = Path(__file__).parents[3] / "bench/counters_page.py"
    done = subprocess.run([sys.executable, str(script), "--check"], check=False)
    assert done.returncode == 0, "run bench/counters_page.py"


def test_layouts_name_no_column_twice() -> None:
    assert {row.layout for row in load_layouts()} == {"csv", "csv-0.6", "rocpd-3"}
    assert [row.column for row in columns_of("csv", "counter_collection")][:3] == [
        "Correlation_Id",
        "Dispatch_Id",
        "Agent_Id",
    ]


COUNTER_HEAD = "name\tunit\ttargets\torigin\treduce\tdefinition\tsource\n"
COUNTER = "A\tb\tgfx942\tcounted\tsum\td\ts\n"
WRONG_COUNTERS = {
    "head": "name\n",
    "twice": COUNTER_HEAD + COUNTER + COUNTER,
    "target": COUNTER_HEAD + COUNTER.replace("gfx942", "gfx1"),
    "origin": COUNTER_HEAD + COUNTER.replace("counted", "guessed"),
    "reduce": COUNTER_HEAD + COUNTER.replace("sum", "least"),
    "no source": COUNTER_HEAD + COUNTER.replace("\ts\n", "\t\n"),
    "cells": COUNTER_HEAD + "A\tb\n",
}


@pytest.mark.parametrize("case", WRONG_COUNTERS)
def test_wrong_counters_are_refused(case: str, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(WRONG_COUNTERS[case])
    with pytest.raises(TableError, match=r"t\.tsv"):
        load_counters(path)


def test_wrong_layouts_are_refused(tmp_path: Path) -> None:
    head, row = "layout\ttable\tcolumn\tfield\trequired\tsource\n", "csv\tt\tc\tf\tyes\ts\n"
    path = tmp_path / "t.tsv"
    for text in (head + row + row, head + row.replace("yes", "perhaps")):
        path.write_text(text)
        with pytest.raises(TableError, match="duplicate or an unknown value"):
            load_layouts.__wrapped__(path)


WRONG_DEVICES = {
    "twice": lambda text: text + text.splitlines()[1] + "\n",
    "two devices": lambda text: text.replace("MI300X", "MI325X", 1),
    "no number": lambda text: text.replace("\t304\t", "\tmany\t"),
    "zero": lambda text: text.replace("\t304\t", "\t0\t"),
    "unknown": lambda text: text.replace("compute_units", "computing_units"),
    "missing": lambda text: "".join(line for line in text.splitlines(True) if "lds_banks" not in line),
}


@pytest.mark.parametrize("case", WRONG_DEVICES)
def test_wrong_devices_are_refused(case: str, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(WRONG_DEVICES[case](devices.DEVICES.read_text()))
    with pytest.raises(TableError, match=r"t\.tsv"):
        load_parts(path)
