"""Runs memory instructions one after the other on the same memory, and holds registers and memory against the model."""

from __future__ import annotations

import itertools
import random
import struct

from instruction_batch import Case, make_wave
from kernel_workshop import KernelSource, Workshop
from memory_model import SCRATCH_BYTES, Memories, execute_memory
from wave_model import LANES, Wave

REGION_WORDS = 16384
LDS_BYTES = 16384
_RECORD = 1024
_LOADED = [*range(10, 34), 36, 37, *range(40, 44)]

_HEAD = """
v_lshlrev_b32 v9, 2, v0
s_mov_b64 s[62:63], s[0:1]
s_mov_b64 s[60:61], s[0:1]
"""
_LOAD = """
global_load_dword v{register}, v9, s[60:61]
s_add_u32 s60, s60, 256
s_addc_u32 s61, s61, 0
"""
_POINTERS = """
s_mov_b32 s33, 0x40
s_mov_b32 s34, 0x80
v_mov_b32 v47, s63
v_add_co_u32 v38, vcc, s62, v36
v_addc_co_u32 v39, vcc, 0, v47, vcc
v_add_co_u32 v48, vcc, s62, v37
v_addc_co_u32 v49, vcc, 0, v47, vcc
v_mov_b32 v34, v36
s_mov_b64 s[64:65], src_shared_base
v_mov_b32 v35, s65
v_mov_b32 v44, v36
s_mov_b64 s[64:65], src_private_base
v_mov_b32 v45, s65
s_mov_b32 m0, 0x200
"""
_CASE = """
v_mov_b32 v0, v40
v_mov_b32 v1, v41
v_mov_b32 v2, v42
v_mov_b32 v3, v43
s_mov_b64 exec, s[4:5]
{line}
s_mov_b64 exec, -1
global_store_dword v9, v0, s[2:3]
global_store_dword v9, v1, s[2:3] offset:256
global_store_dword v9, v2, s[2:3] offset:512
global_store_dword v9, v3, s[2:3] offset:768
s_add_u32 s2, s2, 1024
s_addc_u32 s3, s3, 0
"""


def check_memory(workshop: Workshop, name: str, target: str, cases: list[Case], seeds: list[int]) -> list[str]:
    """What differs from the model, in sentences."""
    unit = f"{name}_{target}"
    body = _HEAD + "".join(_LOAD.format(register=r) for r in _LOADED) + _POINTERS
    body += "".join(_CASE.format(line=case.text) for case in cases)
    image = workshop.assemble(unit, target, [KernelSource(unit, body)])
    problems = workshop.translate(image, target, unit, unit)
    if problems:
        return problems
    workshop.compile([unit])
    starts = [_make(seed) for seed in seeds]
    outputs = workshop.run([(unit, _encode(*start), _RECORD * len(cases), LDS_BYTES) for start in starts])
    for (wave, region), output in zip(starts, outputs, strict=True):
        problems += _differences(cases, wave, region, output)
    return problems


def _make(seed: int) -> tuple[Wave, list[int]]:
    """A wave, and the region, which begins with its registers."""
    chance = random.Random(seed)
    wave = make_wave(seed)
    places = [1024 + 16 * k for k in range(LANES)]
    chance.shuffle(places)
    for register in (10, 11, 15, 17, 30, 31):  # sums must not be NaN: its sign and payload are not specified
        wave.v[register] = [value & 0xBFFFBFFF for value in wave.v[register]]
    wave.v[9] = [4 * lane for lane in range(LANES)]
    wave.v[36] = places
    wave.v[37] = [1024 + 16 * chance.randrange(5) for _ in range(LANES)]
    registers = list(itertools.chain.from_iterable(wave.v[r] for r in _LOADED))
    rest = [chance.getrandbits(32) for _ in range(REGION_WORDS - len(registers))]
    return wave, registers + rest


def _encode(wave: Wave, region: list[int]) -> bytes:
    return struct.pack(f"<{128 + len(region)}I", *wave.s, *region)


def _differences(cases: list[Case], wave: Wave, region: list[int], output: bytes) -> list[str]:
    packed = bytearray(struct.pack(f"<{len(region)}I", *region))
    memories = Memories(packed, packed[:LDS_BYTES], [bytearray(SCRATCH_BYTES) for _ in range(LANES)])
    wave.m0, wave.s[33], wave.s[34] = 0x200, 0x40, 0x80
    problems = []
    for position, case in enumerate(cases):
        for register in range(4):
            wave.v[register] = list(wave.v[40 + register])
        execute_memory(wave, memories, case.text)
        words = struct.unpack_from("<256I", output, _RECORD * position)
        for register, lane in itertools.product(range(4), range(LANES)):
            if words[64 * register + lane] != wave.v[register][lane]:
                got, want = words[64 * register + lane], wave.v[register][lane]
                problems.append(f"{case.text}: v{register} lane {lane} is {got:#x} instead of {want:#x}")
                break
    after = output[_RECORD * len(cases) :]
    if after[:LDS_BYTES] != memories.lds:
        problems.append(f"LDS differs at byte {_first_difference(after[:LDS_BYTES], memories.lds)}")
    if after[LDS_BYTES:] != memories.region:
        problems.append(f"memory differs at byte {_first_difference(after[LDS_BYTES:], memories.region)}")
    return problems


def _first_difference(a: bytes, b: bytes | bytearray) -> int:
    return next(k for k, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)
