"""What one memory access costs: cache lines and LDS banks, by hand and against a model in other words."""

from __future__ import annotations

import ctypes
import random
from collections import defaultdict
from pathlib import Path

import pytest
from vgpu_root import Root

pytestmark = pytest.mark.toolchain

ALL = (1 << 64) - 1
READ, WRITE, ATOMIC = 0, 1, 2
LINE = 0x7F0000000000  # at the start of a cache line
TARGETS = ("gfx942", "gfx950")

# Lanes of each phase as AMD's blog posts and HipKittens' experiments give them, one tuple of ranges a phase.
SWIZZLED = (((0, 4), (20, 24)), ((4, 8), (16, 20)), ((8, 12), (28, 32)), ((12, 16), (24, 28)))
WIDE_READ_950 = (((0, 4), (12, 16), (20, 28)), ((4, 12), (16, 20), (28, 32)))


class Cost(ctypes.Structure):
    _fields_ = (
        ("requests", ctypes.c_uint32 * 3),
        *((name, ctypes.c_uint32) for name in ("fewest", "same_address", "cycles", "conflict_cycles")),
    )


@pytest.fixture(scope="module")
def costs(root: Root, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("costs")
    here = ("--ro-bind", str(Path(__file__).parent), "/opt/w2w/test")
    command = ("gcc", "-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I/opt/w2w/vgpu")
    root.run(folder, *command, "/opt/w2w/test/costs.c", "-o", "costs.so", binds=(here,))
    return ctypes.CDLL(str(folder / "costs.so"))


def global_cost(costs: ctypes.CDLL, addresses: list[int], size: int, exec_mask: int = ALL) -> tuple[int, ...]:
    """Requests of 32, 64 and 128 bytes, the fewest lines, and lanes that touch what others did."""
    cost = Cost()
    costs.global_cost(ctypes.c_uint64(exec_mask), (ctypes.c_uint64 * 64)(*addresses), size, ctypes.byref(cost))
    return (*cost.requests, cost.fewest, cost.same_address)


def lds_cost(
    costs: ctypes.CDLL, target: str, kind: int, addresses: list[int], size: int, exec_mask: int = ALL
) -> tuple[int, int, int]:
    """Clocks, those of conflicts, and lanes that share the words of an earlier one."""
    cost = Cost()
    lanes = (ctypes.c_uint32 * 64)(*addresses)
    costs.lds_cost(target.encode(), kind, ctypes.c_uint64(exec_mask), lanes, size, ctypes.byref(cost))
    return cost.cycles, cost.conflict_cycles, cost.same_address


def lanes(stride: int, start: int = 0) -> list[int]:
    return [start + stride * lane for lane in range(64)]


GLOBAL_CASES = {
    "64 floats side by side": (lanes(4, LINE), 4, ALL, (0, 0, 2, 2, 0)),
    "the same, one float off": (lanes(4, LINE + 4), 4, ALL, (1, 0, 2, 2, 0)),
    "64 doubles": (lanes(8, LINE), 8, ALL, (0, 0, 4, 4, 0)),
    "64 vectors of 16 bytes": (lanes(16, LINE), 16, ALL, (0, 0, 8, 8, 0)),
    "every second float": (lanes(8, LINE), 4, ALL, (0, 0, 4, 2, 0)),
    "a float a line": (lanes(128, LINE), 4, ALL, (64, 0, 0, 2, 0)),
    "a float each 4 KiB": (lanes(4096, LINE), 4, ALL, (64, 0, 0, 2, 0)),
    "all lanes one float": ([LINE + 8] * 64, 4, ALL, (1, 0, 0, 1, 63)),
    "64 bytes": (lanes(1, LINE), 1, ALL, (0, 1, 0, 1, 48)),
    "16 lanes of floats": (lanes(4, LINE), 4, 0xFFFF, (0, 1, 0, 1, 0)),
    "lanes 8 to 23": (lanes(4, LINE), 4, 0xFFFF00, (0, 0, 1, 1, 0)),
    "one lane": (lanes(4, LINE), 4, 1 << 63, (1, 0, 0, 1, 0)),
    "backwards": (lanes(4, LINE)[::-1], 4, ALL, (0, 0, 2, 2, 0)),
    "a vector across two lines": ([LINE + 120] * 64, 16, 1, (2, 0, 0, 1, 0)),
    "12 bytes a lane": (lanes(12, LINE), 12, ALL, (0, 0, 6, 6, 0)),
}


@pytest.mark.parametrize("case", GLOBAL_CASES)
def test_lines_by_hand(costs: ctypes.CDLL, case: str) -> None:
    addresses, size, exec_mask, expected = GLOBAL_CASES[case]
    assert global_cost(costs, addresses, size, exec_mask) == expected


def model_of_lines(addresses: list[int], size: int, exec_mask: int) -> tuple[int, ...]:
    dwords: set[int] = set()
    same = 0
    for lane in range(64):
        if exec_mask >> lane & 1:
            own = set(range(addresses[lane] // 4, (addresses[lane] + size - 1) // 4 + 1))
            same += own <= dwords
            dwords |= own
    requests = dict.fromkeys((32, 64, 128), 0)
    for line in {dword // 32 for dword in dwords}:
        places = {dword % 32 * 4 for dword in dwords if dword // 32 == line}
        requests[next(part for part in (32, 64, 128) if min(places) // part == max(places) // part)] += 1
    return (*requests.values(), -(-4 * len(dwords) // 128), same)


@pytest.mark.parametrize("seed", range(60))
def test_lines_of_random_accesses(costs: ctypes.CDLL, seed: int) -> None:
    chance = random.Random(seed)
    size = chance.choice([1, 2, 4, 8, 12, 16])
    reach = chance.choice([64, 1 << 10, 1 << 14, 1 << 30])
    aligned = chance.choice([1, size])
    addresses = [LINE + chance.randrange(reach) // aligned * aligned for _ in range(64)]
    exec_mask = chance.choice([ALL, chance.getrandbits(64), 1 << chance.randrange(64)])
    assert global_cost(costs, addresses, size, exec_mask) == model_of_lines(addresses, size, exec_mask)


# ---- LDS ------------------------------------------------------------------------------------------------------------


def expected_phases(target: str, write: bool, size: int) -> tuple[int, list[set[int]]]:
    def both_halves(ranges: tuple[tuple[tuple[int, int], ...], ...]) -> list[set[int]]:
        phases = [{lane for start, stop in phase for lane in range(start, stop)} for phase in ranges]
        return [{lane + half for lane in phase} for half in (0, 32) for phase in phases]

    if target == "gfx950" and not write and size == 16:
        return 64, both_halves(WIDE_READ_950)
    if target == "gfx950" and not write and size == 8:
        return 64, [set(range(32)), set(range(32, 64))]
    if not write and size in (12, 16):
        return 32, both_halves(SWIZZLED)
    count = {4: 32, 8: 16, 12: 8, 16: 8}[size]
    return 32, [set(range(start, start + count)) for start in range(0, 64, count)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("size", [4, 8, 12, 16])
def test_phases_are_those_that_are_published(costs: ctypes.CDLL, target: str, write: bool, size: int) -> None:
    row = (ctypes.c_uint64 * 9)()
    assert costs.phases_of_row(target.encode(), int(write), size, row) == 1
    banks, *masks = row
    phases = [{lane for lane in range(64) if mask >> lane & 1} for mask in masks if mask]
    assert (banks, phases) == expected_phases(target, write, size)
    assert sorted(lane for phase in phases for lane in phase) == list(range(64))


def column(width: int) -> list[int]:
    """A column of a tile of ``width`` floats a row: lane l reads row l % 32, column l // 32."""
    return [4 * (lane % 32 * width + lane // 32) for lane in range(64)]


LDS_CASES = {
    "floats side by side": (READ, lanes(4), 4, ALL, {"*": (2, 0, 0)}),
    "a column of 32 floats a row": (READ, column(32), 4, ALL, {"*": (64, 62, 0)}),
    "a column of 33 floats a row": (READ, column(33), 4, ALL, {"*": (2, 0, 0)}),
    "every second float": (READ, lanes(8), 4, ALL, {"*": (4, 2, 0)}),
    "one float for all": (READ, [64] * 64, 4, ALL, {"*": (2, 0, 62)}),
    "a float a bank of 32, two words": (READ, lanes(128), 4, 0b11, {"*": (2, 1, 0)}),
    "doubles side by side": (READ, lanes(8), 8, ALL, {"gfx942": (4, 0, 0), "gfx950": (2, 0, 0)}),
    "doubles written side by side": (WRITE, lanes(8), 8, ALL, {"*": (4, 0, 0)}),
    "every second double": (READ, lanes(16), 8, ALL, {"gfx942": (8, 4, 0), "gfx950": (4, 2, 0)}),
    "vectors side by side": (READ, lanes(16), 16, ALL, {"gfx942": (8, 0, 0), "gfx950": (4, 0, 0)}),
    "vectors written side by side": (WRITE, lanes(16), 16, ALL, {"*": (8, 0, 0)}),
    "vectors of 128-byte rows": (READ, lanes(128), 16, ALL, {"gfx942": (64, 56, 0), "gfx950": (32, 28, 0)}),
    "bytes of 16 words": (READ, lanes(1), 1, ALL, {"*": (2, 0, 48)}),
    "half the lanes": (READ, lanes(4), 4, 0xFFFFFFFF, {"*": (1, 0, 0)}),
    "atomics side by side": (ATOMIC, lanes(4), 4, ALL, {"*": (2, 0, 0)}),
    "atomics on one word": (ATOMIC, [64] * 64, 4, ALL, {"*": (64, 62, 62)}),
    "atomics on two words of one bank": (ATOMIC, [lane % 2 * 128 for lane in range(64)], 4, ALL, {"*": (64, 62, 60)}),
    "outside of LDS": (READ, [0xFFFFFFF0] * 64, 4, ALL, {"*": (0, 0, 0)}),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", LDS_CASES)
def test_banks_by_hand(costs: ctypes.CDLL, case: str, target: str) -> None:
    kind, addresses, size, exec_mask, expected = LDS_CASES[case]
    assert lds_cost(costs, target, kind, addresses, size, exec_mask) == expected.get(target, expected.get("*"))


def model_of_banks(target: str, kind: int, addresses: list[int], size: int, exec_mask: int) -> tuple[int, int, int]:
    banks, phases = expected_phases(target, kind != READ, max(4, size))
    cycles = conflicts = same = 0
    for phase in phases:
        asked: dict[int, list[int]] = defaultdict(list)
        for lane in sorted(lane for lane in phase if exec_mask >> lane & 1):
            own = range(addresses[lane] // 4, (addresses[lane] + size - 1) // 4 + 1)
            same += all(word in asked[word % banks] for word in own)
            for word in own:
                asked[word % banks].append(word)
        clocks = max((len(words) if kind == ATOMIC else len(set(words)) for words in asked.values()), default=0)
        cycles += clocks
        conflicts += max(0, clocks - 1)
    return cycles, conflicts, same


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(40))
def test_banks_of_random_accesses(costs: ctypes.CDLL, seed: int, target: str) -> None:
    chance = random.Random(seed)
    kind = chance.choice([READ, WRITE, ATOMIC])
    size = chance.choice([4, 8]) if kind == ATOMIC else chance.choice([1, 2, 4, 8, 12, 16])
    reach = chance.choice([64, 1024, 60000])
    aligned = chance.choice([1, size])
    addresses = [chance.randrange(reach) // aligned * aligned for _ in range(64)]
    exec_mask = chance.choice([ALL, chance.getrandbits(64), 1 << chance.randrange(64)])
    expected = model_of_banks(target, kind, addresses, size, exec_mask)
    assert lds_cost(costs, target, kind, addresses, size, exec_mask) == expected
