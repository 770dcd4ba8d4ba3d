"""Moves between registers, AGPRs included."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction
from ..types import I32, VectorType
from .registry import semantics


@semantics
def move(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    e.write(i.operands[0], type, e.read(i.operands[1], type))


@semantics
def move_swap(e: Emitter, i: Instruction) -> None:
    a, b = e.read(i.operands[0], I32), e.read(i.operands[1], I32)
    e.write(i.operands[0], I32, b)
    e.write(i.operands[1], I32, a)


@semantics
def nothing(e: Emitter, i: Instruction) -> None:
    """Caches, waits, priorities: no effect on what a program computes here."""
