"""The compiled filter, run by a small BPF machine over every call and many arguments."""

from __future__ import annotations

import errno
import struct
from pathlib import Path

import pytest

from sandbox.isolation.seccomp import compile_filter, default_filter, read_policy

X86_64, I386 = 0xC000003E, 0x40000003
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
DOCKER = {
    line
    for line in Path(__file__).with_name("docker_default_syscalls.txt").read_text().splitlines()
    if not line.startswith("#")
}
POLICY = read_policy()
NUMBERS = POLICY.allow | {rule.name: rule.number for rule in POLICY.conditional}


def answer(number, *arguments, architecture=X86_64, program=None):
    """What the filter returns; an endless loop or a bad jump raises."""
    code = list(struct.iter_unpack("=HBBI", program or default_filter()))
    values = [*(a % 2**64 for a in arguments), *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number % 2**32, architecture, 0, *values)
    at, accumulator = 0, 0
    for _ in range(len(code)):
        opcode, true, false, constant = code[at]
        at += 1
        match opcode:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, constant)
            case 0x54:
                accumulator &= constant
            case 0x15:
                at += true if accumulator == constant else false
            case 0x35:
                at += true if accumulator >= constant else false
            case 0x06:
                return constant
            case _:
                raise ValueError(hex(opcode))
    raise ValueError("no end")


def test_calls_without_rules():
    by_number = {number: name for name, number in NUMBERS.items()}
    conditional = {rule.number for rule in POLICY.conditional}
    for number in range(POLICY.last_known + 1):
        if number in conditional:
            continue
        expected = ALLOW if number in by_number else ERRNO | errno.EPERM
        assert answer(number, 2**64 - 1, 2**64 - 1) == expected, by_number.get(number, number)


def test_younger_calls_look_like_an_older_kernel():
    for number in (POLICY.last_known + 1, 1000, 0x3FFFFFFF, -1):
        assert answer(number) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize("number", [0x40000000, 0x40000001, 0x40000000 | 59, 0x7FFFFFFF, 0xFFFFFFFE])
def test_x32_calls_kill(number):
    assert answer(number) == KILL


@pytest.mark.parametrize("architecture", [I386, 0xC00000B7, 0])
def test_other_architectures_kill(architecture):
    for number in (0, 1, 11, 59, 120):
        assert answer(number, architecture=architecture) == KILL


def test_no_weaker_than_docker():
    assert NUMBERS.keys() <= DOCKER | {"clone3"}
    assert all(answer(435, flags) == ERRNO | errno.ENOSYS for flags in (0, 1, 2**64 - 1))


@pytest.mark.parametrize("bit", range(64))
def test_clone_makes_no_namespace(bit):
    forbidden = 0x7E020000 >> bit & 1
    expected = ERRNO | errno.EPERM if forbidden else ALLOW
    assert answer(NUMBERS["clone"], 1 << bit) == expected
    assert answer(NUMBERS["clone"], 17 | 1 << bit) == expected


@pytest.mark.parametrize("family", range(64))
def test_socket_families(family):
    expected = ALLOW if family in (1, 2, 10) else ERRNO | errno.EAFNOSUPPORT
    assert answer(NUMBERS["socket"], family, 1, 0) == expected
    # The kernel takes an int: what stands above does not hide the family.
    assert answer(NUMBERS["socket"], family | 1 << 32) == expected


def test_personality():
    for value in (0, 8, 0x20000, 0x20008, 0xFFFFFFFF):
        assert answer(NUMBERS["personality"], value) == ALLOW
    for value in (1, 0x40000, 0x400000, 0x20001, 0xFFFFFFFE):
        assert answer(NUMBERS["personality"], value) == ERRNO | errno.EPERM


@pytest.mark.parametrize("high", [0, 1 << 32, 0xFFFFFFFF << 32])
def test_ioctl(high):
    for request in (0x5412, 0x541C):
        assert answer(NUMBERS["ioctl"], 0, request | high) == ERRNO | errno.EPERM
    for request in (0, 0x5401, 0x5411, 0x5413, 0x541B, 0x541D, 0xFFFFFFFF):
        assert answer(NUMBERS["ioctl"], 0x5412, request | high) == ALLOW


def test_jumps_stay_near():
    program = default_filter()
    assert len(program) % 8 == 0
    assert len(program) // 8 < 4096


GOOD = """
last_known = 10
[[conditional]]
name = "ioctl"
number = 3
argument = 1
equals = [5]
[allow]
read = 0
write = 1
"""


def read_text(tmp_path, text):
    path = tmp_path / "table.toml"
    path.write_text(text)
    return read_policy(path)


def test_a_table_of_one_s_own(tmp_path):
    program = compile_filter(read_text(tmp_path, GOOD))
    answers = [answer(n, 0, 5, program=program) for n in range(12)]
    denied = ERRNO | errno.EPERM
    assert answers == [ALLOW, ALLOW, denied, ALLOW, *[denied] * 7, ERRNO | errno.ENOSYS]
    assert answer(3, 0, 6, program=program) == denied


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("write = 1", "write = 0", "more than once"),
        ("write = 1", "ioctl = 1", "more than once"),
        ("write = 1", "write = 3", "more than once"),
        ("write = 1", "write = 11", "outside"),
        ("argument = 1", "argument = 1\nmeaning = 2", "unknown fields"),
        ("last_known = 10", "last_known = 10\nfirst = 1", "unknown fields"),
        ("equals = [5]", "", "either"),
        ("equals = [5]", "equals = [5]\nnot_equals = [6]", "either"),
    ],
)
def test_a_bad_table_is_refused(tmp_path, old, new, words):
    with pytest.raises(ValueError, match=words):
        read_text(tmp_path, GOOD.replace(old, new))
