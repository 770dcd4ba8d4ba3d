"""Dispatches for the tests of profiles."""

from __future__ import annotations

from sandbox.models import Dim3
from sandbox.profiling.records import DispatchRecord

COPY = DispatchRecord(
    dispatch=1,
    kernel="_Z4copyPKfPf",
    grid=Dim3(x=1000),
    workgroup=Dim3(x=256),
    target="gfx942",
    lds_bytes=512,
    scratch_bytes=16,
    vgprs=12,
    agprs=4,
    sgprs=20,
    counters={"SQ_WAVES": 16.0, "W2W_GLOBAL_READ_BYTES": 4000.0, "MY_OWN": 0.5},
)
TILE = DispatchRecord(
    dispatch=2,
    kernel='tile<float, "x,y">(float*)',
    grid=Dim3(x=64, y=32, z=2),
    workgroup=Dim3(x=32, y=8, z=1),
    target="gfx942",
    vgprs=64,
    agprs=0,
    sgprs=32,
    counters={"SQ_WAVES": 64.0, "SQ_LDS_BANK_CONFLICT": 30.0, "SQ_LDS_IDX_ACTIVE": 120.0},
)
AGAIN = DispatchRecord(**{**COPY.__dict__, "dispatch": 3})
RECORDS = (COPY, TILE, AGAIN)
