"""The seccomp filter: reads ``seccomp.toml`` and compiles it to classic BPF.

Instructions and data are laid out as in ``linux/filter.h`` and ``linux/seccomp.h``: a program is an array of
``{u16 code, u8 jt, u8 jf, u32 k}``, run over ``{int nr, u32 arch, u64 ip, u64 args[6]}``.
"""

from __future__ import annotations

import errno
import struct
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_TABLE = Path(__file__).with_name("seccomp.toml")

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_X86_64 = 0xC000003E
_X32_BIT = 0x4000_0000
_NO_CALL = 0xFFFF_FFFF  # what a tracer leaves of a cancelled call
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000

Instruction = tuple[int, int, int, int]


@dataclass(frozen=True)
class Conditional:
    """A call allowed by the low 32 bits of one argument: ``arg & mask`` in ``equals``, or not in ``not_equals``."""

    name: str
    number: int
    argument: int
    mask: int = 0xFFFF_FFFF
    equals: tuple[int, ...] | None = None
    not_equals: tuple[int, ...] = ()
    errno: int = errno.EPERM


@dataclass(frozen=True)
class Policy:
    """``allow``: names to numbers. Numbers above ``last_known`` answer ENOSYS, others not named EPERM."""

    last_known: int
    allow: dict[str, int]
    conditional: tuple[Conditional, ...]


def read_policy(path: Path = _TABLE) -> Policy:
    """Raises ValueError where a name or number occurs twice, or a field or value is unknown."""
    table = tomllib.loads(path.read_text())
    unknown = table.keys() - {"last_known", "allow", "conditional"}
    if unknown:
        raise ValueError(f"{path}: unknown fields {sorted(unknown)}")
    rules = tuple(_read_conditional(path, rule) for rule in table["conditional"])
    policy = Policy(table["last_known"], table["allow"], rules)
    names = Counter([*policy.allow, *(rule.name for rule in rules)])
    numbers = Counter([*policy.allow.values(), *(rule.number for rule in rules)])
    twice = [str(value) for values in (names, numbers) for value, times in values.items() if times > 1]
    if twice:
        raise ValueError(f"{path}: more than once: {twice}")
    if not all(0 <= number <= policy.last_known for number in numbers):
        raise ValueError(f"{path}: a number lies outside 0..{policy.last_known}")
    return policy


def _read_conditional(path: Path, rule: dict[str, Any]) -> Conditional:
    unknown = rule.keys() - Conditional.__dataclass_fields__.keys()
    if unknown:
        raise ValueError(f"{path}: {rule.get('name')}: unknown fields {sorted(unknown)}")
    if ("equals" in rule) == ("not_equals" in rule):
        raise ValueError(f"{path}: {rule.get('name')}: give either equals or not_equals")
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in rule.items()}
    return Conditional(**values)


@cache
def default_filter() -> bytes:
    """The compiled filter of ``seccomp.toml``."""
    return compile_filter(read_policy())


def compile_filter(policy: Policy) -> bytes:
    """An array of ``struct sock_filter``."""
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_JUMP_EQUAL, 1, 0, _X86_64),
        _answer(_KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_JUMP_EQUAL, 0, 1, _NO_CALL),
        _answer(_ERRNO | errno.ENOSYS),
        (_JUMP_AT_LEAST, 0, 1, _X32_BIT),
        _answer(_KILL_PROCESS),
    ]
    for rule in policy.conditional:
        body = _conditional_body(rule)
        program += [(_JUMP_EQUAL, 0, _near(len(body)), rule.number), *body]
    program += _search(_segments(policy))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _answer(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _near(distance: int) -> int:
    """A jump distance, which has eight bits."""
    if distance > 255:
        raise ValueError(f"a jump over {distance} instructions is too far")
    return distance


def _conditional_body(rule: Conditional) -> list[Instruction]:
    refuse = _answer(_ERRNO | rule.errno)
    values, found, otherwise = (
        (rule.equals, _answer(_ALLOW), refuse)
        if rule.equals is not None
        else (rule.not_equals, refuse, _answer(_ALLOW))
    )
    body: list[Instruction] = [
        (_LOAD, 0, 0, _ARGUMENTS_OFFSET + 8 * rule.argument),
        (_AND, 0, 0, rule.mask),
    ]
    for value in values:
        body += [(_JUMP_EQUAL, 0, 1, value), found]
    return [*body, otherwise]


def _segments(policy: Policy) -> list[tuple[int, Instruction]]:
    """Call numbers as runs with one answer: (first number, answer), ascending from 0."""
    allowed = set(policy.allow.values())
    segments: list[tuple[int, Instruction]] = []
    for number in range(policy.last_known + 2):
        action = _ALLOW if number in allowed else _ERRNO | errno.EPERM
        answer = _answer(action if number <= policy.last_known else _ERRNO | errno.ENOSYS)
        if not segments or segments[-1][1] != answer:
            segments.append((number, answer))
    return segments


def _search(segments: Sequence[tuple[int, Instruction]]) -> list[Instruction]:
    """A binary search for the segment that holds the call number, which is loaded."""
    if len(segments) == 1:
        return [segments[0][1]]
    middle = len(segments) // 2
    below, above = _search(segments[:middle]), _search(segments[middle:])
    return [(_JUMP_AT_LEAST, _near(len(below)), 0, segments[middle][0]), *below, *above]
