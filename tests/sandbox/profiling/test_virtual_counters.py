"""Records of the virtual GPU, which the profiled program could have written itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox.models import Dim3, Evidence, KernelFacts
from sandbox.profiling.collect import make_profile, merge_shapes, with_facts
from sandbox.profiling.records import Recording
from sandbox.profiling.rocpd import read_rocpd, write_rocpd
from sandbox.profiling.rocprof_csv import read_rocprof_csv, write_rocprof_csv
from sandbox.profiling.virtual_counters import read_virtual_counters

RECORD = {
    "version": 1,
    "target": "gfx942",
    "dispatch": 1,
    "kernel": "_Z3addPf",
    "grid": [1000, 2, 1],
    "workgroup": [256, 1, 1],
    "lds_bytes": 64,
    "scratch_bytes": 0,
    "counters": {"SQ_WAVES": 32, "W2W_INSTS": 640},
}


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def read(*changes: dict[str, object]) -> Recording:
    return read_virtual_counters(lines(*({**RECORD, **change} for change in changes)))


def test_counters_that_are_not_there_are_0() -> None:
    (record,) = read({}).dispatches
    assert record.counters["SQ_WAVES"] == 32
    assert record.counters["W2W_LDS_READ_CYCLES"] == 0
    assert "SQ_LDS_BANK_CONFLICT" not in record.counters  # only hardware has it
    assert (record.grid, record.workgroup, record.lds_bytes) == (Dim3(x=1000, y=2), Dim3(x=256), 64)


NONSENSE: list[dict[str, object]] = [
    {"version": 2},
    {"target": "gfx1"},
    {"target": 7},
    {"kernel": 7},
    {"grid": [1, 2]},
    {"grid": [1, 2, -3]},
    {"workgroup": [0, 1, 1]},
    {"lds_bytes": "many"},
    {"dispatch": True},
    {"counters": [1]},
    {"counters": {"SQ_WAVES": 1.5}},
    {"counters": {"SQ_WAVES": 1 << 80}},
]


@pytest.mark.parametrize("change", NONSENSE, ids=str)
def test_records_that_make_no_sense_are_dropped(change: dict[str, object]) -> None:
    assert len(read({}, change, {}).dispatches) == 2


def test_lines_that_are_no_records_are_dropped() -> None:
    data = b"\xff\xfe\n" + b"[" * 100_000 + b"\nnull\n7\n{}\n" + lines(RECORD) + b'{"version": 1'
    assert len(read_virtual_counters(data).dispatches) == 1


def test_unknown_counters_and_broken_text_are_kept_out() -> None:
    (record,) = read({"kernel": "\ud800", "counters": {"EVIL": 1, "SQ_WAVES": 2}}).dispatches
    assert record.kernel == "?"
    assert "EVIL" not in record.counters


def test_what_is_over_the_limit_is_said() -> None:
    many = read_virtual_counters(lines(*[RECORD] * 10_001))
    assert (len(many.dispatches), many.truncated) == (10_000, True)
    assert read_virtual_counters(lines(RECORD, {"version": 1, "truncated": True})).truncated
    assert not read({}).truncated


def test_one_parser_reads_what_both_writers_wrote(tmp_path: Path) -> None:
    recording = read({}, {"kernel": "_Z3mulPf", "dispatch": 2}, {"dispatch": 3})
    profile = make_profile(recording, "vgpu:gfx942", Evidence.EMULATED)
    write_rocpd(tmp_path / "a.db", recording.dispatches)
    from_database = make_profile(read_rocpd(tmp_path / "a.db"), "vgpu:gfx942", Evidence.EMULATED)
    csv = read_rocprof_csv(*write_rocprof_csv(recording.dispatches))
    from_csv = make_profile(csv, "vgpu:gfx942", Evidence.EMULATED, target="gfx942")
    assert from_database.kernels == profile.kernels
    # CSV has no empty cells: registers that are not known are written as 0
    bare = [kernel.model_copy(update={"facts": None, "occupancy": None}) for kernel in from_csv.kernels]
    assert bare == list(profile.kernels)


def test_facts_give_occupancy_and_shapes_can_be_merged() -> None:
    recording = read({}, {"dispatch": 2, "grid": [64, 1, 1], "workgroup": [64, 1, 1]})
    facts = KernelFacts(name="_Z3addPf", vgprs=128, sgprs=32, lds_bytes=64)
    profile = with_facts(make_profile(recording, "vgpu:gfx942", Evidence.EMULATED), [facts])
    first, second = profile.kernels
    assert first.facts == second.facts == facts
    assert first.occupancy is not None
    assert (first.occupancy.limiter, first.occupancy.waves_per_cu) == ("vgprs", 16)
    (merged,) = merge_shapes(profile)
    assert (merged.launches, merged.counter("SQ_WAVES"), merged.counter("W2W_INSTS")) == (2, 64, 1280)
