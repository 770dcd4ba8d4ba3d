"""Barriers of a block's threads. PTX ISA 9.7.13.1 to 9.7.13.4."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..syntax import Instruction

_CLUSTER_BARRIER = 16
"""Number, behind the 16 that programs name, of the barrier for a cluster of one block."""


def _identity(e: FunctionEmitter, i: Instruction, operand: int) -> str:
    """The hardware takes the lower four bits of a barrier's number."""
    return f"({e.value(i.operands[operand], 'u32')}&15)"


def barrier_sync(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    count = e.value(i.operands[1], "u32") if len(i.operands) > 1 else "0"
    e.emit(f"w2w_barrier_sync(t,{e.site(i)},{_identity(e, i, 0)},{count});")


def barrier_arrive(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    count = e.value(i.operands[1], "u32")
    e.emit(f"w2w_barrier_arrive(t,{e.site(i)},{_identity(e, i, 0)},{count});")


def barrier_reduce(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    operation = next(m for m in i.modifiers if m in ("popc", "and", "or")).upper()
    count = e.value(i.operands[2], "u32") if len(i.operands) > 3 else "0"
    value = e.value(i.operands[-1], "pred")
    call = f"w2w_barrier_reduce(t,{e.site(i)},{_identity(e, i, 1)},{count},W2W_BARRIER_{operation},{value})"
    e.assign(i.operands[0], call)


def cluster_arrive(e: FunctionEmitter, i: Instruction) -> None:
    """The wait that must follow does both."""


def cluster_wait(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    e.emit(f"w2w_barrier_sync(t,{e.site(i)},{_CLUSTER_BARRIER},0);")
