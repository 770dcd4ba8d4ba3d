"""rocprofv3's database: what is written is read again, and broken databases are refused by name."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from profiling_records import RECORDS

from sandbox.errors import ProfileFormatError
from sandbox.models import Evidence
from sandbox.profiling.collect import make_profile
from sandbox.profiling.rocpd import read_rocpd, write_rocpd
from sandbox.profiling.rocprof_csv import read_rocprof_csv, write_rocprof_csv

# The part of schema 3.0.3 that is about dispatches, with what its tables have beside, and a second die's counter.
SCHEMA_3_0_3 = """
CREATE TABLE "rocpd_metadata_00c0ffee" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "tag" TEXT NOT NULL,
  "value" TEXT NOT NULL);
CREATE TABLE "rocpd_info_agent_00c0ffee" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "nid" INTEGER,
  "pid" INTEGER, "type" TEXT CHECK ("type" IN ('CPU', 'GPU', 'NIC')), "absolute_index" INTEGER, "logical_index" INTEGER,
  "type_index" INTEGER, "uuid" INTEGER, "name" TEXT, "model_name" TEXT, "extdata" JSONB DEFAULT '{}' NOT NULL);
CREATE TABLE "rocpd_info_pmc_00c0ffee" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "nid" INTEGER,
  "pid" INTEGER, "agent_id" INTEGER, "target_arch" TEXT, "event_code" INT, "instance_id" INTEGER, "name" TEXT NOT NULL,
  "symbol" TEXT NOT NULL, "description" TEXT, "units" TEXT DEFAULT '', "value_type" TEXT, "is_derived" INTEGER,
  "spm_support" INTEGER);
CREATE TABLE "rocpd_info_kernel_symbol_00c0ffee" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT,
  "nid" INTEGER, "pid" INTEGER, "code_object_id" INTEGER, "kernel_name" TEXT, "display_name" TEXT,
  "kernel_object" INTEGER, "kernarg_segment_size" INTEGER, "group_segment_size" INTEGER, "private_segment_size" INTEGER,
  "sgpr_count" INTEGER, "arch_vgpr_count" INTEGER, "accum_vgpr_count" INTEGER);
CREATE TABLE "rocpd_event_00c0ffee" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT,
  "category_id" INTEGER, "stack_id" INTEGER, "correlation_id" INTEGER);
CREATE TABLE "rocpd_kernel_dispatch_00c0ffee" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT,
  "nid" INTEGER, "pid" INTEGER, "tid" INTEGER, "agent_id" INTEGER NOT NULL, "kernel_id" INTEGER NOT NULL,
  "dispatch_id" INTEGER NOT NULL, "queue_id" INTEGER, "stream_id" INTEGER, "start" BIGINT, "end" BIGINT,
  "private_segment_size" INTEGER, "group_segment_size" INTEGER, "workgroup_size_x" INTEGER NOT NULL,
  "workgroup_size_y" INTEGER NOT NULL, "workgroup_size_z" INTEGER NOT NULL, "grid_size_x" INTEGER NOT NULL,
  "grid_size_y" INTEGER NOT NULL, "grid_size_z" INTEGER NOT NULL, "graph_exec_id" INTEGER NOT NULL DEFAULT 0,
  "region_name_id" INTEGER, "event_id" INTEGER);
CREATE TABLE "rocpd_pmc_event_00c0ffee" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT,
  "event_id" INTEGER, "sample_id" INTEGER, "pmc_id" INTEGER NOT NULL, "value" REAL DEFAULT 0.0, "xcc" INTEGER);
CREATE VIEW "rocpd_metadata" AS SELECT * FROM "rocpd_metadata_00c0ffee";
CREATE VIEW "rocpd_info_agent" AS SELECT * FROM "rocpd_info_agent_00c0ffee";
CREATE VIEW "rocpd_info_pmc" AS SELECT * FROM "rocpd_info_pmc_00c0ffee";
CREATE VIEW "rocpd_info_kernel_symbol" AS SELECT * FROM "rocpd_info_kernel_symbol_00c0ffee";
CREATE VIEW "rocpd_event" AS SELECT * FROM "rocpd_event_00c0ffee";
CREATE VIEW "rocpd_kernel_dispatch" AS SELECT * FROM "rocpd_kernel_dispatch_00c0ffee";
CREATE VIEW "rocpd_pmc_event" AS SELECT * FROM "rocpd_pmc_event_00c0ffee";
INSERT INTO "rocpd_metadata_00c0ffee" (tag, value) VALUES ('schema_version', '3.0.3'), ('guid', 'x');
INSERT INTO "rocpd_info_agent_00c0ffee" (id, type, name) VALUES (1, 'CPU', 'AMD EPYC'), (2, 'GPU', 'gfx942');
INSERT INTO "rocpd_info_pmc_00c0ffee" (id, name, symbol) VALUES (7, 'SQ_WAVES', 'SQ_WAVES'),
  (8, 'GRBM_GUI_ACTIVE', 'GRBM_GUI_ACTIVE');
INSERT INTO "rocpd_info_kernel_symbol_00c0ffee" (id, kernel_name, display_name, sgpr_count, arch_vgpr_count,
  accum_vgpr_count) VALUES (5, '_Z3addPf.kd', 'add(float*)', 16, 8, 4);
INSERT INTO "rocpd_event_00c0ffee" (id) VALUES (30), (31);
INSERT INTO "rocpd_kernel_dispatch_00c0ffee" (id, agent_id, kernel_id, dispatch_id, private_segment_size,
  group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z,
  event_id) VALUES (1, 2, 5, 1, 32, 512, 8, 8, 1, 32, 32, 1, 30), (2, 2, 5, 2, 32, 512, 8, 8, 1, 32, 32, 1, 31);
INSERT INTO "rocpd_pmc_event_00c0ffee" (event_id, pmc_id, value) VALUES (30, 7, 6), (30, 7, 10), (30, 8, 900),
  (30, 8, 1000), (31, 7, 16);
"""


def make(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    return path


def test_a_database_of_schema_3_0_3(tmp_path: Path) -> None:
    recording = read_rocpd(make(tmp_path / "a.db", SCHEMA_3_0_3))
    first, second = recording.dispatches
    assert recording.layout == "rocpd/3.0.3"
    assert first.counters == {"SQ_WAVES": 16, "GRBM_GUI_ACTIVE": 1000}
    assert second.counters == {"SQ_WAVES": 16}
    assert (first.kernel, first.target, first.lds_bytes, first.scratch_bytes) == ("_Z3addPf", "gfx942", 512, 32)
    assert (first.vgprs, first.agprs, first.sgprs) == (8, 4, 16)
    (kernel,) = make_profile(recording, "rocm", Evidence.HARDWARE).kernels
    assert (kernel.launches, kernel.grid.x, kernel.grid.y) == (2, 4, 4)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write_rocpd(tmp_path / "a.db", RECORDS)
    write_rocpd(tmp_path / "a.db", RECORDS)
    assert read_rocpd(tmp_path / "a.db").dispatches == RECORDS


def test_both_layouts_give_the_same_profile(tmp_path: Path) -> None:
    write_rocpd(tmp_path / "a.db", RECORDS)
    from_database = make_profile(read_rocpd(tmp_path / "a.db"), "rocm", Evidence.HARDWARE)
    from_csv = make_profile(read_rocprof_csv(*write_rocprof_csv(RECORDS)), "rocm", Evidence.HARDWARE, target="gfx942")
    assert from_database.kernels == from_csv.kernels


BROKEN = {
    "a missing view": ("DROP VIEW rocpd_info_pmc", "rocpd_info_pmc lacks id, name"),
    "a missing column": (
        "DROP VIEW rocpd_pmc_event; "
        "CREATE VIEW rocpd_pmc_event AS SELECT id, event_id, pmc_id FROM rocpd_pmc_event_00c0ffee",
        "rocpd_pmc_event lacks value",
    ),
    "an unknown version": ("UPDATE rocpd_metadata_00c0ffee SET value = '4.1.0' WHERE tag = 'schema_version'", "4.1.0"),
    "no version": ("DELETE FROM rocpd_metadata_00c0ffee", "version nothing of the rocpd schema"),
    "a counter without a name": ("DELETE FROM rocpd_info_pmc_00c0ffee WHERE id = 8", "names counter 8"),
    "a dispatch without a kernel": ("DELETE FROM rocpd_info_kernel_symbol_00c0ffee", "kernel 5 is not in"),
    "a value that is no number": ("UPDATE rocpd_pmc_event_00c0ffee SET value = 'many'", "'many' is no number"),
    "a size that is no count": ("UPDATE rocpd_kernel_dispatch_00c0ffee SET grid_size_x = -1", "no count"),
    "a view that never ends": (
        "DROP VIEW rocpd_metadata; CREATE VIEW rocpd_metadata AS WITH RECURSIVE t(id, tag, value) AS "
        "(SELECT 1, 'x', 'y' UNION ALL SELECT id + 1, tag, value FROM t) SELECT * FROM t WHERE id < 0",
        "cannot be read as a rocpd database",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_databases_are_refused(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.profiling.rocpd._MAX_STEPS", 5_000_000)
    script, message = BROKEN[case]
    path = make(tmp_path / "a.db", SCHEMA_3_0_3)
    make(path, script)
    with pytest.raises(ProfileFormatError, match=message):
        read_rocpd(path)


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("no database at all, but longer than its header would be " * 9)
    with pytest.raises(ProfileFormatError, match="cannot be read"):
        read_rocpd(tmp_path / "a.db")
    with pytest.raises(ProfileFormatError, match="there is no file"):
        read_rocpd(tmp_path / "b.db")
