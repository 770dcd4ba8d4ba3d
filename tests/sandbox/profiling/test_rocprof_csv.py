"""rocprofv3's CSV files of several versions, whole and broken."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from profiling_records import RECORDS

from sandbox.errors import ProfileFormatError
from sandbox.models import Dim3, Evidence
from sandbox.profiling.collect import make_profile
from sandbox.profiling.rocprof_csv import read_rocprof_csv, write_rocprof_csv

# As rocprofv3 of ROCm 6.3 wrote it: no Accum_VGPR_Count, no timestamps.
OCTOBER_2024 = """\
"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name",\
"Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name","Counter_Value"
1,1,4,1,77,77,1024,10,"add(float*, float*)",64,512,0,8,16,"SQ_WAVES",16.000000
1,1,4,1,77,77,1024,10,"add(float*, float*)",64,512,0,8,16,"SQ_INSTS_VALU",160.000000
2,2,4,1,77,77,1024,10,"add(float*, float*)",64,512,0,8,16,"SQ_WAVES",16.000000
"""
TRACE_6_3 = """\
"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp",\
"End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z",\
"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH",4,1,77,1,10,"add(float*, float*)",1,100,200,24,512,8,8,1,32,32,1
"""
# As ROCm 7.0 writes it, with a counter that each die has.
ROCM_7 = """\
"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name",\
"Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name",\
"Counter_Value","Start_Timestamp","End_Timestamp"
1,1,"Agent 4",1,77,77,1024,10,"add",64,512,32,8,4,16,"SQ_WAVES",6,100,200
1,1,"Agent 4",1,77,77,1024,10,"add",64,512,32,8,4,16,"SQ_WAVES",10,100,200
1,1,"Agent 4",1,77,77,1024,10,"add",64,512,32,8,4,16,"GRBM_GUI_ACTIVE",900,100,200
1,1,"Agent 4",1,77,77,1024,10,"add",64,512,32,8,4,16,"GRBM_GUI_ACTIVE",1000,100,200
"""


def test_the_layout_of_rocm_6_3() -> None:
    first, second = read_rocprof_csv(OCTOBER_2024).dispatches
    assert first.counters == {"SQ_WAVES": 16, "SQ_INSTS_VALU": 160}
    assert second.counters == {"SQ_WAVES": 16}
    assert (first.kernel, first.grid, first.workgroup) == ("add(float*, float*)", Dim3(x=1024), Dim3(x=64))
    assert (first.vgprs, first.agprs, first.sgprs, first.lds_bytes) == (8, None, 16, 512)


def test_a_trace_gives_sizes_by_dimension() -> None:
    first, second = read_rocprof_csv(OCTOBER_2024, TRACE_6_3).dispatches
    assert (first.grid, first.workgroup, first.scratch_bytes) == (Dim3(x=32, y=32), Dim3(x=8, y=8), 24)
    assert second.grid == Dim3(x=1024)


def test_the_layout_of_rocm_7_and_values_of_several_dies() -> None:
    (record,) = read_rocprof_csv(ROCM_7).dispatches
    assert record.counters == {"SQ_WAVES": 16, "GRBM_GUI_ACTIVE": 1000}
    assert (record.vgprs, record.agprs, record.scratch_bytes) == (8, 4, 32)


def test_columns_may_stand_in_any_order_beside_unknown_ones() -> None:
    lines = [line.split(",") for line in ROCM_7.splitlines()]
    order = list(range(len(lines[0])))
    random.Random(1).shuffle(order)
    shuffled = "".join(
        ",".join(["Extra" if n == 0 else "1"] + [line[k] for k in order]) + "\n" for n, line in enumerate(lines)
    )
    assert read_rocprof_csv(shuffled) == read_rocprof_csv(ROCM_7)


@pytest.mark.parametrize(
    "column", ["Dispatch_Id", "Grid_Size", "Kernel_Name", "Workgroup_Size", "Counter_Name", "Counter_Value"]
)
def test_a_missing_column_is_named(column: str) -> None:
    with pytest.raises(ProfileFormatError, match=f"lacks.*{column}"):
        read_rocprof_csv(ROCM_7.replace(f'"{column}"', '"Other"', 1))


BROKEN = {
    "nothing": ("", "lacks"),
    "an unknown layout": ("a,b\n1,2\n", "lacks Dispatch_Id"),
    "a short row": (ROCM_7 + "1,1\n", "line 6.*as many cells"),
    "a long row": (ROCM_7 + ROCM_7.splitlines()[1] + ",9\n", "as many cells"),
    "a value that is no number": (ROCM_7.replace('"SQ_WAVES",6', '"SQ_WAVES",six'), "'six' is no number"),
    "an infinite value": (ROCM_7.replace('"SQ_WAVES",6', '"SQ_WAVES",inf'), "is no number"),
    "a size that is no count": (ROCM_7.replace(",1024,", ",-3,"), "Grid_Size|grid is '-3'"),
    "an open quote": (ROCM_7 + '"', "no CSV"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused(case: str) -> None:
    text, message = BROKEN[case]
    with pytest.raises(ProfileFormatError, match=message):
        read_rocprof_csv(text)


def test_a_trace_of_an_unknown_layout_is_refused() -> None:
    with pytest.raises(ProfileFormatError, match=r"kernel_trace\.csv.*lacks Workgroup_Size_Y"):
        read_rocprof_csv(ROCM_7, TRACE_6_3.replace("Workgroup_Size_Y", "Workgroup_Y"))
    with pytest.raises(ProfileFormatError, match="a column for LDS"):
        read_rocprof_csv(ROCM_7, TRACE_6_3.replace("Group_Segment_Size", "Group_Size"))


def test_what_is_written_is_read_again() -> None:
    counters, trace = write_rocprof_csv(RECORDS)
    expected = tuple(replace(record, target="") for record in RECORDS)
    assert read_rocprof_csv(counters, trace).dispatches == expected


def test_equal_launches_are_summed() -> None:
    counters, trace = write_rocprof_csv(RECORDS)
    profile = make_profile(read_rocprof_csv(counters, trace), "rocm", Evidence.HARDWARE, target="gfx942")
    copy, tile = profile.kernels
    assert (copy.launches, copy.grid, copy.block) == (2, Dim3(x=4), Dim3(x=256))
    assert (tile.launches, tile.grid, tile.block) == (1, Dim3(x=2, y=4, z=2), Dim3(x=32, y=8))
    assert {counter.name: (counter.value, counter.unit) for counter in copy.counters} == {
        "SQ_WAVES": (32, "waves"),
        "W2W_GLOBAL_READ_BYTES": (8000, "bytes"),
        "MY_OWN": (1, ""),
    }
    assert copy.facts is not None
    assert (copy.facts.vgprs, copy.facts.agprs, copy.facts.sgprs) == (16, 4, 20)
    assert copy.occupancy is not None
