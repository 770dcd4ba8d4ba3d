"""Counters of kernels whose numbers follow from their source (programs/counted.hip), on both targets."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from vgpu_root import Root
from virtual_gpu import PROGRAMS, TARGETS, VirtualGpu

from sandbox.execution.devices import hip_device
from sandbox.execution.runner import RunRequest
from sandbox.isolation.protocol import Limits
from sandbox.models import KernelProfile, Profile

pytestmark = pytest.mark.toolchain

WAVES = 16  # of a launch of 1024 work-items
# The counters of one space and direction that are not listed are 0.
GROUPS = ("W2W_GLOBAL_READ", "W2W_GLOBAL_WRITE", "W2W_GLOBAL_ATOMIC", "W2W_LDS_READ", "W2W_LDS_WRITE", "W2W_LDS_ATOMIC")
TILE = {
    "SQ_WAVES": 4,
    "W2W_WORKGROUPS": 1,
    "W2W_GLOBAL_READ_BYTES": 4096,
    "W2W_GLOBAL_READ_REQ_128B": 32,
    "W2W_GLOBAL_READ_REQ_MIN": 32,
    "W2W_GLOBAL_WRITE_BYTES": 4096,
    "W2W_GLOBAL_WRITE_REQ_128B": 32,
    "W2W_GLOBAL_WRITE_REQ_MIN": 32,
    "W2W_LDS_WRITE_BYTES": 4096,
    "W2W_LDS_WRITE_CYCLES": 32,
    "W2W_LDS_READ_BYTES": 4096,
}
EXPECTED: dict[str, dict[str, int]] = {
    "coalesced_copy": {  # two launches; a wave's 256 bytes are two lines
        "SQ_WAVES": 2 * WAVES,
        "SQ_WAVES_EQ_64": 2 * WAVES,
        "SQ_WAVES_LT_64": 0,
        "W2W_WORKGROUPS": 8,
        "W2W_INSTS_VMEM_LOAD": 2 * WAVES,
        "W2W_INSTS_VMEM_STORE": 2 * WAVES,
        "W2W_GLOBAL_READ_BYTES": 8192,
        "W2W_GLOBAL_READ_REQ_128B": 4 * WAVES,
        "W2W_GLOBAL_READ_REQ_MIN": 4 * WAVES,
        "W2W_GLOBAL_WRITE_BYTES": 8192,
        "W2W_GLOBAL_WRITE_REQ_128B": 4 * WAVES,
        "W2W_GLOBAL_WRITE_REQ_MIN": 4 * WAVES,
    },
    "strided_copy": {  # each lane asks for 32 bytes of a line of its own
        "W2W_GLOBAL_READ_BYTES": 4096,
        "W2W_GLOBAL_READ_REQ_32B": 1024,
        "W2W_GLOBAL_READ_REQ_MIN": 2 * WAVES,
        "W2W_GLOBAL_WRITE_BYTES": 4096,
        "W2W_GLOBAL_WRITE_REQ_32B": 1024,
        "W2W_GLOBAL_WRITE_REQ_MIN": 2 * WAVES,
    },
    "vector_copy": {  # a wave's 1024 bytes are eight lines
        "W2W_GLOBAL_READ_BYTES": 16384,
        "W2W_GLOBAL_READ_REQ_128B": 8 * WAVES,
        "W2W_GLOBAL_READ_REQ_MIN": 8 * WAVES,
        "W2W_GLOBAL_WRITE_BYTES": 16384,
        "W2W_GLOBAL_WRITE_REQ_128B": 8 * WAVES,
        "W2W_GLOBAL_WRITE_REQ_MIN": 8 * WAVES,
    },
    "shifted_copy": {  # 31 dwords of a line, all of the next, one of the third
        "W2W_GLOBAL_READ_BYTES": 4096,
        "W2W_GLOBAL_READ_REQ_32B": WAVES,
        "W2W_GLOBAL_READ_REQ_128B": 2 * WAVES,
        "W2W_GLOBAL_READ_REQ_MIN": 2 * WAVES,
        "W2W_GLOBAL_WRITE_BYTES": 4096,
        "W2W_GLOBAL_WRITE_REQ_128B": 2 * WAVES,
        "W2W_GLOBAL_WRITE_REQ_MIN": 2 * WAVES,
    },
    # 16 reads of 32 words of one bank, twice: 64 clocks each instead of 2
    "transpose": {**TILE, "W2W_LDS_READ_CYCLES": 1024, "W2W_LDS_READ_CONFLICT_CYCLES": 992},
    "padded_transpose": {**TILE, "W2W_LDS_READ_CYCLES": 32},
    "histogram": {  # 64 lanes on 8 words of 32 bytes
        "W2W_GLOBAL_ATOMIC_BYTES": 4096,
        "W2W_GLOBAL_ATOMIC_REQ_32B": WAVES,
        "W2W_GLOBAL_ATOMIC_REQ_MIN": WAVES,
        "W2W_GLOBAL_ATOMIC_LANES": 1024,
        "W2W_GLOBAL_ATOMIC_SAME_ADDRESS": 56 * WAVES,
        "W2W_INSTS_VMEM_ATOMIC": WAVES,
    },
    "lds_histogram": {  # a phase has 4 lanes on each of 8 words; one wave of a group sets and reads the 8 bins
        "W2W_LDS_ATOMIC_BYTES": 4096,
        "W2W_LDS_ATOMIC_CYCLES": 8 * WAVES,
        "W2W_LDS_ATOMIC_CONFLICT_CYCLES": 6 * WAVES,
        "W2W_LDS_ATOMIC_LANES": 1024,
        "W2W_LDS_ATOMIC_SAME_ADDRESS": 48 * WAVES,
        "W2W_LDS_WRITE_BYTES": 128,
        "W2W_LDS_WRITE_CYCLES": 4,
        "W2W_LDS_READ_BYTES": 128,
        "W2W_LDS_READ_CYCLES": 4,
        "W2W_GLOBAL_WRITE_BYTES": 128,
        "W2W_GLOBAL_WRITE_REQ_32B": 4,
        "W2W_GLOBAL_WRITE_REQ_MIN": 4,
        "W2W_INSTS_BARRIER": 2 * WAVES,
    },
    "divergent": {  # lane l of 64 multiplies and adds l times
        "W2W_VALU_FLOPS_F32": WAVES * 2 * sum(range(64)),
        "W2W_GLOBAL_READ_BYTES": 4096,
        "W2W_GLOBAL_READ_REQ_128B": 2 * WAVES,
        "W2W_GLOBAL_READ_REQ_MIN": 2 * WAVES,
        "W2W_GLOBAL_WRITE_BYTES": 4096,
        "W2W_GLOBAL_WRITE_REQ_128B": 2 * WAVES,
        "W2W_GLOBAL_WRITE_REQ_MIN": 2 * WAVES,
    },
    "partial": {  # 100 work-items, 70 of which add
        "SQ_WAVES": 2,
        "SQ_WAVES_EQ_64": 1,
        "SQ_WAVES_LT_64": 1,
        "W2W_VALU_FLOPS_F32": 70,
        "W2W_GLOBAL_READ_BYTES": 280,
        "W2W_GLOBAL_READ_REQ_32B": 1,
        "W2W_GLOBAL_READ_REQ_128B": 2,
        "W2W_GLOBAL_READ_REQ_MIN": 3,
        "W2W_GLOBAL_WRITE_BYTES": 280,
        "W2W_GLOBAL_WRITE_REQ_32B": 1,
        "W2W_GLOBAL_WRITE_REQ_128B": 2,
        "W2W_GLOBAL_WRITE_REQ_MIN": 3,
    },
}
SCHEDULES = {
    "one thread": {"W2W_THREADS": "1"},
    "checks": {"W2W_CHECK": "on"},
    "fuel 1, reverse": {"W2W_FUEL": "1", "W2W_WAVE_ORDER": "reverse", "W2W_THREADS": "2"},
}


def profile(vgpu: VirtualGpu, target: str, env: dict[str, str] | None = None, name: str = "counted") -> Profile:
    request = RunRequest(counters=True, environment=tuple((env or {}).items()), limits=Limits(wall_seconds=200))
    run = vgpu.runner.run(vgpu.compile(name, target), hip_device(target), request)
    assert run.exit_code == 0, run.stdout + run.stderr
    assert run.profile is not None
    return run.profile


@pytest.fixture(scope="module", params=TARGETS)
def counted(request: pytest.FixtureRequest, vgpu: VirtualGpu) -> Profile:
    return profile(vgpu, request.param)


def kernel_of(counted: Profile, name: str) -> KernelProfile:
    (found,) = [kernel for kernel in counted.kernels if re.search(rf"\d{name}P", kernel.kernel)]
    return found


@pytest.mark.parametrize("kernel", EXPECTED)
def test_counters_by_hand(counted: Profile, kernel: str) -> None:
    expected = EXPECTED[kernel]
    values = {counter.name: counter.value for counter in kernel_of(counted, kernel).counters}
    listed = {name: value for name, value in values.items() if name in expected or name.startswith(GROUPS)}
    assert listed == {**dict.fromkeys(listed, 0), **expected}


def test_a_profile_says_what_was_launched(counted: Profile) -> None:
    copy = kernel_of(counted, "coalesced_copy")
    assert (copy.launches, copy.grid.x, copy.block.x, copy.lds_bytes) == (2, 4, 256, 0)
    assert kernel_of(counted, "transpose").lds_bytes == 4096
    assert kernel_of(counted, "padded_transpose").lds_bytes == 4224
    assert (counted.evidence, counted.layout, counted.truncated) == ("emulated", "w2w/1", False)


def test_units_sum_up_to_all_instructions(counted: Profile) -> None:
    units = ("VALU", "SALU", "SMEM", "VMEM", "BRANCH", "SENDMSG")
    names = [*(f"SQ_INSTS_{unit}" for unit in units), *(f"W2W_INSTS_{unit}" for unit in ("LDS", "CALL", "OTHER"))]
    for kernel in counted.kernels:
        assert sum(kernel.counter(name) or 0 for name in names) == kernel.counter("W2W_INSTS")


def test_instructions_are_those_of_the_listing(counted: Profile, root: Root, tmp_path: Path) -> None:
    """Kernels without branches run each of their instructions once a wave."""
    for name in ("check.h", "counted.hip"):
        (tmp_path / name).write_bytes((PROGRAMS / name).read_bytes())
    command = ("hipcc", "-S", "--cuda-device-only", f"--offload-arch={counted.target}", "-O3", "-Wno-unused-result")
    root.run(tmp_path, *command, "counted.hip", "-o", "counted.s", env={"HIP_PLATFORM": "amd"})
    listing = (tmp_path / "counted.s").read_text()
    for name in ("coalesced_copy", "strided_copy", "vector_copy", "shifted_copy"):
        kernel = kernel_of(counted, name)
        body = re.search(rf"^{kernel.kernel}:[^\n]*\n(.*?)s_endpgm", listing, re.MULTILINE | re.DOTALL)
        assert body is not None
        mnemonics = [*re.findall(r"^\t([a-z]\w+)", body[1], re.MULTILINE), "s_endpgm"]
        expected = Counter(map(unit_of, mnemonics))
        waves = kernel.counter("SQ_WAVES") or 0
        names = {"SQ_INSTS_VALU", "SQ_INSTS_SMEM", "SQ_INSTS_VMEM", "SQ_INSTS_SALU", "SQ_INSTS_SENDMSG"}
        assert {each: kernel.counter(each) for each in names} == {each: expected[each] * waves for each in names}
        assert kernel.counter("W2W_INSTS") == len(mnemonics) * waves
        assert kernel.counter("W2W_VALU_LANES") == 64 * expected["SQ_INSTS_VALU"] * waves


def unit_of(mnemonic: str) -> str:
    prefixes = {"v_": "SQ_INSTS_VALU", "global_": "SQ_INSTS_VMEM", "s_load": "SQ_INSTS_SMEM"}
    for prefix, unit in prefixes.items():
        if mnemonic.startswith(prefix):
            return unit
    if mnemonic == "s_endpgm":
        return "SQ_INSTS_SENDMSG"
    return "other" if mnemonic in ("s_waitcnt", "s_nop") else "SQ_INSTS_SALU"


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_no_schedule_changes_the_counters(vgpu: VirtualGpu, schedule: str) -> None:
    assert profile(vgpu, "gfx942", SCHEDULES[schedule]).kernels == profile(vgpu, "gfx942").kernels


@pytest.mark.parametrize("program", ["lds_matmul", "device_printf", "grid_sync"])
def test_counting_changes_no_answer(vgpu: VirtualGpu, program: str) -> None:
    assert profile(vgpu, "gfx950", name=program).kernels


def test_records_are_bounded(vgpu: VirtualGpu, tmp_path: Path) -> None:
    request = RunRequest(
        args=("10003",),
        environment=(("W2W_COUNTERS", "/work/counters.jsonl"),),
        output_files=("counters.jsonl",),
        keep=tmp_path,
        limits=Limits(wall_seconds=200),
    )
    run = vgpu.runner.run(vgpu.compile("many_launches", "gfx942"), hip_device("gfx942"), request)
    assert run.exit_code == 0, run.stderr
    records = [json.loads(line) for line in (tmp_path / "counters.jsonl").read_text().splitlines()]
    assert [record.get("dispatch") for record in records] == [*range(1, 10001), None]
    assert records[-1] == {"version": 1, "truncated": True}
