"""The engine, with kernels written by hand instead of translated ones."""

from __future__ import annotations

import pytest
from engine_driver import Engine

pytestmark = pytest.mark.toolchain

LDS_PATTERN = 0x7FF5A5A5
KERNARG_POINTER = 1 << 3
SCHEDULES = [
    {},
    {"W2W_THREADS": "1"},
    {"W2W_FUEL": "1"},
    {"W2W_FUEL": "7", "W2W_WAVE_ORDER": "reverse"},
    {"W2W_THREADS": "4", "W2W_LDS": "zero"},
]


@pytest.mark.parametrize("env", SCHEDULES)
def test_every_work_item_runs_once_with_its_id(engine: Engine, env: dict[str, str]) -> None:
    # 5 groups of 192, the last one with 100 work-items: two waves, the second with 36 lanes
    outcome = engine.run("work_items", env=env, group=192, grid=4 * 192 + 100, n=192, words=5 * 192)
    expected = [i % 192 | 0x80000000 for i in range(4 * 192 + 100)] + [0] * 92
    assert outcome.words == expected


def test_ids_in_three_dimensions(engine: Engine) -> None:
    outcome = engine.run("work_items", group=4, group_y=4, group_z=4, grid=4, grid_y=4, grid_z=4, n=64)
    assert outcome.words == [i % 4 | (i // 4 % 4) << 10 | (i // 16) << 20 | 0x80000000 for i in range(64)]


def test_partial_group_in_three_dimensions(engine: Engine) -> None:
    outcome = engine.run("work_items", group=4, group_y=4, group_z=4, grid=3, grid_y=2, grid_z=4, n=64)
    ids = [i % 3 | (i // 3 % 2) << 10 | (i // 6) << 20 | 0x80000000 for i in range(24)]
    assert outcome.words == ids + [0] * 40


def test_user_registers_in_the_order_of_the_abi(engine: Engine) -> None:
    # kernarg first because the test kernels look for it there; then dispatch id, flat scratch, private size
    properties = KERNARG_POINTER | 1 << 4 | 1 << 5 | 1 << 6
    user = 2 + 2 + 2 + 1
    outcome = engine.run(
        "registers",
        properties=properties,
        rsrc2=user << 1 | 0b101 << 7,
        rsrc1=0xF0 << 12 | 1 << 21,
        private=40,
        lds=256,
    )
    kernarg = outcome.pointers["kernarg"]
    assert outcome.words[:10] == [kernarg & 0xFFFFFFFF, kernarg >> 32, 77, 0, 0, 0, 48, 0, 0, 0]
    assert outcome.words[24:28] == [0x1F0, 256, 48, 1]


def test_kernel_arguments_are_preloaded(engine: Engine) -> None:
    # three dwords from the fourth of the kernel arguments, behind the kernarg pointer
    outcome = engine.run("registers", preload=3 << 7 | 3, rsrc2=5 << 1 | 1 << 7, group=64, grid=64)
    assert outcome.words[2:6] == [11, 12, 13, 0]


def test_preload_stops_at_the_user_registers(engine: Engine) -> None:
    outcome = engine.run("registers", preload=3 << 7 | 8, rsrc2=4 << 1)
    assert outcome.words[2:6] == [11, 12, 0, 0]


@pytest.mark.parametrize("env", SCHEDULES)
def test_ended_waves_count_as_arrived_at_the_barrier(engine: Engine, env: dict[str, str]) -> None:
    outcome = engine.run("barrier", env=env, group=256, grid=3 * 256, lds=16, n=4, words=12)
    assert outcome.words == [10, 0, 10, 0] * 3


@pytest.mark.parametrize(("kernel", "total"), [("sync_barrier", 120), ("sync_semaphore", 40), ("sync_release", 39)])
@pytest.mark.parametrize("env", [{}, {"W2W_THREADS": "1"}])
def test_global_wave_sync(engine: Engine, kernel: str, total: int, env: dict[str, str]) -> None:
    outcome = engine.run(kernel, env=env, group=64, grid=64 * 40, n=40, words=3)
    assert outcome.words == [total, 1, 0]


@pytest.mark.parametrize("kernel", ["grid_wait", "grid_wait_sleep", "grid_wait_barrier"])
@pytest.mark.parametrize("env", [{}, {"W2W_THREADS": "1"}, {"W2W_FUEL": "7", "W2W_THREADS": "3"}])
def test_groups_that_wait_for_each_other_make_progress(engine: Engine, kernel: str, env: dict[str, str]) -> None:
    waves = 2 if kernel == "grid_wait_barrier" else 1
    outcome = engine.run(kernel, env=env, group=64 * waves, grid=64 * waves * 700, n=700, words=2)
    assert outcome.words == [700, 700 * waves]


def test_all_groups_that_the_part_holds_can_be_resident(engine: Engine) -> None:
    outcome = engine.run("grid_wait_sleep", target="gfx950", group=64, grid=64 * 256 * 32, n=256 * 32, words=2)
    assert outcome.words == [256 * 32, 256 * 32]


def test_lds_starts_the_same_for_each_group(engine: Engine) -> None:
    assert engine.run("lds_start", grid=64 * 9, lds=64, words=9).words == [LDS_PATTERN] * 9
    assert engine.run("lds_start", env={"W2W_LDS": "zero"}, grid=64 * 9, lds=64, words=9).words == [0] * 9


def test_waves_can_run_last_first(engine: Engine) -> None:
    assert engine.run("order", group=256, grid=256, words=5).words == [4, 0, 1, 2, 3]
    reverse = {"W2W_WAVE_ORDER": "reverse"}
    assert engine.run("order", env=reverse, group=256, grid=256, words=5).words == [4, 3, 2, 1, 0]


def test_rounding_mode_belongs_to_a_wave(engine: Engine) -> None:
    assert engine.run("rounding", group=128, grid=128, words=2).words == [0x4000, 0]


def test_impossible_dispatches_are_refused(engine: Engine) -> None:
    assert engine.run("empty", group=32, group_y=64).status != 0
    assert engine.run("empty", lds=65 << 10).status != 0
    assert engine.run("empty", lds=65 << 10, target="gfx950").status == 0
    assert engine.run("empty", target="gfx90a").status != 0


def test_launches_are_recorded(engine: Engine) -> None:
    outcome = engine.run("empty", env={"W2W_TRACE": "1"}, group=128, grid=1000, lds=256, repeat=2)
    assert len(outcome.reports) == 2
    launch = outcome.reports[0]["launch"]
    assert launch.pop("milliseconds") >= 0
    assert launch == {"kernel": "empty", "grid": [8, 1, 1], "block": [128, 1, 1], "lds_bytes": 256}
    assert engine.run("empty").reports == []
