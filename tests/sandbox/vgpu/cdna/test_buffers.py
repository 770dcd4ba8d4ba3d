"""Buffer instructions: addresses, ranges, partial results, atomics, and loads to LDS."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from buffer_model import Descriptor, Lane, in_range, place
from kernel_workshop import Workshop
from memory_model import atomic_result
from register_program import LANES, Program, Registers, Step, names, random_registers, run_with_memory

_MEMORY_BYTES = 16384
_SCALAR = 0x44
_M0 = 0x30
_DESCRIPTORS = {
    "s[4:7]": Descriptor(records=900),
    "s[8:11]": Descriptor(stride=20, records=45),
    "s[12:15]": Descriptor(stride=32, records=50, swizzled=True, index_stride=16),
    "s[16:19]": Descriptor(stride=28, adds_lane=True),
    "s[20:23]": Descriptor(stride=64, adds_lane=True, swizzled=True, index_stride=64),
    "s[24:27]": Descriptor(),
}
_SIZES = {"ubyte": 1, "sbyte": -1, "byte": 1, "ushort": 2, "sshort": -2, "short": 2, "dword": 4}
_SIZES |= {"dwordx2": 8, "dwordx3": 12, "dwordx4": 16}
"""Bytes; negative: with a sign."""


def _based(descriptors: dict[str, Descriptor]) -> tuple[dict[int, int], str]:
    """SGPRs with the descriptors, and code that points them at the memory."""
    sgprs, code = {28: _SCALAR}, f"s_mov_b32 m0, {_M0}\n"
    for text, descriptor in descriptors.items():
        first = int(text[2:].split(":")[0])
        sgprs |= {first + k: word for k, word in enumerate(descriptor.words)}
        code += f"s_add_u32 s{first}, s{first}, s92\ns_addc_u32 s{first + 1}, s{first + 1}, s93\n"
    return sgprs, code


def _start(chance: random.Random) -> Registers:
    """v[4:5]: index and offset in a record; v6: offsets into all of a raw buffer; v7: the same for bytes. No two lanes
    meet: which of several stores remains is open."""
    registers = random_registers(chance, "v[8:15]")
    registers["v4"] = random.Random(2).sample(range(80), LANES)
    registers["v5"] = [4 * chance.randrange(4) for _ in range(LANES)]
    places = random.Random(1).sample(range(1, 66), LANES)
    registers["v6"] = [16 * k for k in places]
    registers["v7"] = [16 * k + chance.randrange(14) for k in places]
    return registers


@dataclass
class _Access:
    """One buffer instruction, taken apart."""

    text: str
    what: str
    data: str
    address: str
    descriptor: str
    constant: int

    @classmethod
    def parse(cls, text: str) -> _Access:
        match = re.match(r"buffer_(\w+) (?:(v\S+), )?(\S+), (s\[\S+\]), (s28|0)(.*)", text)
        assert match, text
        offset = re.search(r"offset:(\d+)", match[6])
        return cls(text, match[1], match[2] or "", match[3], match[4], int(offset[1]) if offset else 0)

    def lane(self, start: Registers, number: int) -> Lane:
        registers = names(self.address)
        index = start[registers.pop(0)][number] if "idxen" in self.text else None
        offset = start[registers.pop(0)][number] if "offen" in self.text else None
        return Lane(number, index, offset, self.constant, _SCALAR if ", s28" in self.text else 0)


def _addressing() -> list[str]:
    """Pairs of a vector address and the rest of an instruction."""
    raw = [
        "v6, s[4:7], 0 offen",
        "v6, s[4:7], s28 offen offset:36",
        "off, s[4:7], s28 offset:896",
        "v6, s[24:27], 0 offen",
    ]
    structured = ["v4, s[8:11], s28 idxen", "v[4:5], s[8:11], 0 idxen offen offset:4"]
    swizzled = ["v4, s[12:15], 0 idxen offset:8", "v[4:5], s[12:15], s28 idxen offen offset:12"]
    private = ["off, s[16:19], s28", "v5, s[16:19], 0 offen offset:8", "v5, s[20:23], 0 offen offset:16"]
    return [*raw, *structured, *swizzled, *private]


def _load_lines() -> list[str]:
    lines = [f"buffer_load_dword v40, {address}" for address in _addressing()]
    for small in ("ubyte", "sbyte", "ushort", "sshort"):
        lines.append(f"buffer_load_{small} v40, v7, s[4:7], s28 offen offset:1")
    for half in ("ubyte_d16", "sbyte_d16", "short_d16", "ubyte_d16_hi", "sbyte_d16_hi", "short_d16_hi"):
        lines.append(f"buffer_load_{half} v40, v7, s[4:7], 0 offen")
    for count in (2, 3, 4):
        data = f"v[40:{39 + count}]"
        lines.append(f"buffer_load_dwordx{count} {data}, v6, s[4:7], s28 offen")
        lines.append(f"buffer_load_dwordx{count} {data}, v[4:5], s[8:11], 0 idxen offen")
    return lines


def _store_lines() -> list[str]:
    lines = [f"buffer_store_dword v8, {address}" for address in _addressing() if not address.startswith("off, s[4:7]")]
    for small in ("byte", "short", "byte_d16_hi", "short_d16_hi"):
        lines.append(f"buffer_store_{small} v9, v7, s[4:7], s28 offen offset:1")
    for count in (2, 3, 4):
        lines.append(f"buffer_store_dwordx{count} v[8:{7 + count}], v6, s[4:7], s28 offen offset:8")
    return lines


def _load_words(memory: bytearray, access: _Access, lane: Lane, descriptor: Descriptor) -> list[int]:
    size = _SIZES[access.what.removeprefix("load_").split("_")[0]]
    at = place(descriptor, lane)
    if abs(size) >= 4:
        return [
            struct.unpack_from("<I", memory, at + k)[0] if in_range(descriptor, lane, k) else 0
            for k in range(0, size, 4)
        ]
    value = 0
    if in_range(descriptor, lane, abs(size) - 1):
        value = int.from_bytes(memory[at : at + abs(size)], "little", signed=size < 0)
    if access.what.endswith("_hi"):
        return [(value & 0xFFFF) << 16]
    if "_d16" in access.what:
        return [value & 0xFFFF]
    return [value & 0xFFFFFFFF]


def _store(memory: bytearray, access: _Access, lane: Lane, descriptor: Descriptor, words: list[int]) -> None:
    size = _SIZES[access.what.removeprefix("store_").split("_")[0]]
    at = place(descriptor, lane)
    data = b"".join(word.to_bytes(4, "little") for word in words)
    if access.what.endswith("_hi"):
        data = data[2:]
    step = min(size, 4)
    for k in range(0, size, step):
        if in_range(descriptor, lane, k + step - 1 if size < 4 else k):
            memory[at + k : at + k + step] = data[k : k + step]


def _check(
    workshop: Workshop, name: str, target: str, lines: list[str], execute: Callable[..., None], lds_bytes: int = 0
) -> None:
    """Run ``lines`` under changing EXEC; ``execute`` is the model of one lane of one: access, lane, descriptor, memory,
    LDS, registers before, registers after."""
    chance = random.Random(len(lines))
    start = _start(chance)
    start |= {
        name: [word & 0xBFBFBFBF for word in words] for name, words in random_registers(chance, "v[40:43]").items()
    }
    sgprs, code = _based(_DESCRIPTORS)
    steps = []
    for line in lines:
        data = names(_Access.parse(line).data)
        outputs = data if data[0] == "v40" else []
        steps.append(Step(line, outputs, outputs, chance.getrandbits(64)))
    memory = bytearray(byte & 0xBF for byte in chance.randbytes(_MEMORY_BYTES))  # no NaNs
    program = Program(start, steps, sgprs, lds_bytes, bytes(memory), code)
    (outcome,) = run_with_memory(workshop, name, target, [program])
    lds = bytearray(program.data[512 : 512 + lds_bytes])
    for step, result in zip(steps, outcome.steps, strict=True):
        access = _Access.parse(step.lines)
        wanted = {register: list(start[register]) for register in step.outputs}
        for number in range(LANES):
            if step.exec >> number & 1:
                lane = access.lane(start, number)
                execute(access, lane, _DESCRIPTORS[access.descriptor], memory, lds, start, wanted)
        for register, values in wanted.items():
            different = [k for k in range(LANES) if values[k] != result[register][k]]
            assert not different, (step.lines, register, different, f"{result[register][different[0]]:#x}")
    assert outcome.lds == lds
    assert outcome.memory == memory


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_loads_and_stores(workshop: Workshop, target: str) -> None:
    def execute(access, lane, descriptor, memory, lds, start, wanted):  # type: ignore[no-untyped-def]
        registers = names(access.data)
        if access.what.startswith("load"):
            words = _load_words(memory, access, lane, descriptor)
            for register, word in zip(registers, words, strict=True):
                wanted[register][lane.number] = word
        else:
            _store(memory, access, lane, descriptor, [start[register][lane.number] for register in registers])

    _check(workshop, "buffers", target, [*_load_lines(), *_store_lines()], execute)


_ATOMICS = ["swap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"]


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_atomics(workshop: Workshop, target: str) -> None:
    lines = [f"buffer_atomic_{op} v40, v6, s[4:7], s28 offen sc0" for op in [*_ATOMICS, "add_f32", "pk_add_f16"]]
    lines += [f"buffer_atomic_{op}_x2 v[40:41], v6, s[4:7], 0 offen offset:4 sc0" for op in _ATOMICS]
    lines += [f"buffer_atomic_{op} v[40:41], v6, s[4:7], 0 offen sc0" for op in ("add_f64", "min_f64", "max_f64")]
    lines += ["buffer_atomic_cmpswap v[40:41], v4, s[8:11], 0 idxen sc0", "buffer_atomic_add v8, v6, s[4:7], 0 offen"]
    lines += ["buffer_atomic_cmpswap_x2 v[40:43], v4, s[8:11], s28 idxen sc0"]
    lines += ["buffer_atomic_pk_add_bf16 v40, v6, s[4:7], 0 offen sc0"] if target == "gfx950" else []

    def execute(access, lane, descriptor, memory, lds, start, wanted):  # type: ignore[no-untyped-def]
        name = access.what.removeprefix("atomic_")
        bits = 64 if name.endswith(("_x2", "f64")) else 32
        if not in_range(descriptor, lane, bits // 8 - 1):
            old = 0
        else:
            at = place(descriptor, lane)
            old = int.from_bytes(memory[at : at + bits // 8], "little")
            data = sum(start[register][lane.number] << 32 * k for k, register in enumerate(names(access.data)))
            new = atomic_result(name.removesuffix("_x2"), old, data, bits)
            memory[at : at + bits // 8] = new.to_bytes(bits // 8, "little")
        if "sc0" in access.text:
            for k in range(bits // 32):
                wanted[names(access.data)[k]][lane.number] = old >> 32 * k & 0xFFFFFFFF

    _check(workshop, "buffer_atomics", target, lines, execute)


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_loads_to_lds(workshop: Workshop, target: str) -> None:
    sizes = ["ubyte", "sbyte", "ushort", "sshort", "dword"]
    lines = [f"buffer_load_{size} v6, s[4:7], s28 offen offset:{4 * k} lds" for k, size in enumerate(sizes)]
    lines.append("buffer_load_dword v[4:5], s[12:15], 0 idxen offen offset:12 lds")
    lines.append("buffer_load_dword off, s[16:19], 0 lds")
    if target == "gfx950":
        lines += [f"buffer_load_dwordx{count} v6, s[4:7], 0 offen offset:2048 lds" for count in (3, 4)]

    def execute(access, lane, descriptor, memory, lds, start, wanted):  # type: ignore[no-untyped-def]
        words = _load_words(memory, access, lane, descriptor)
        step = 16 if len(words) > 1 else 4
        at = _M0 + access.constant + step * lane.number
        lds[at : at + 4 * len(words)] = b"".join(word.to_bytes(4, "little") for word in words)

    _check(workshop, "buffers_to_lds", target, lines, execute, lds_bytes=6144)
