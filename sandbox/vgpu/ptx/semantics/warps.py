"""Operations of a warp's lanes together. PTX ISA 9.7.9.6 (shfl), 9.7.13 (vote, match, redux, elect)."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..syntax import Instruction, Operand, Pair, Sink


def _two_results(operand: Operand) -> tuple[Operand, Operand]:
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, Sink())


def shuffle(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    mode = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
    result, predicate = _two_results(i.operands[0])
    value, lane, clamp, mask = (e.value(operand, "b32") for operand in i.operands[1:5])
    e.emit(f"u32 p;u32 r=w2w_shuffle(t,{e.site(i)},W2W_SHUFFLE_{mode.upper()},{mask},{value},{lane},{clamp},&p);")
    e.assign(result, "r")
    e.assign(predicate, "p")


def vote(e: FunctionEmitter, i: Instruction) -> None:
    """Also in the order vote.ballot.sync, which ptxas takes. Without .sync it is gone since sm_70."""
    if "sync" not in i.modifiers:
        raise UnsupportedInstructionError(i.text)
    e.waits = True
    mode = next(m for m in i.modifiers if m in ("all", "any", "uni", "ballot"))
    value, mask = e.value(i.operands[1], "pred"), e.value(i.operands[2], "b32")
    e.assign(i.operands[0], f"w2w_vote(t,{e.site(i)},W2W_VOTE_{mode.upper()},{mask},{value})")


def match(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    mode = "ANY" if "any" in i.modifiers else "ALL"
    result, predicate = _two_results(i.operands[0])
    value, mask = e.value(i.operands[1], i.type), e.value(i.operands[2], "b32")
    e.emit(f"u32 p=0;u32 r=w2w_match(t,{e.site(i)},W2W_MATCH_{mode},{mask},{value},&p);")
    e.assign(result, "r")
    e.assign(predicate, "p")


def reduce_warp(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    operation = next(m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor")).upper()
    if operation in ("MIN", "MAX"):
        operation += "_S" if i.type == "s32" else "_U"
    value, mask = e.value(i.operands[1], "b32"), e.value(i.operands[2], "b32")
    e.assign(i.operands[0], f"w2w_reduce(t,{e.site(i)},W2W_REDUCE_{operation},{mask},{value})")


def active_mask(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    e.assign(i.operands[0], f"w2w_active_mask(t,{e.site(i)})")


def elect(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    if not isinstance(i.operands[0], Pair):
        raise UnsupportedInstructionError(i.text)
    e.emit(f"u32 p;u32 r=w2w_elect(t,{e.site(i)},{e.value(i.operands[1], 'b32')},&p);")
    e.assign(i.operands[0].first, "r")
    e.assign(i.operands[0].second, "p")


def warp_barrier(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    e.emit(f"w2w_warp_barrier(t,{e.site(i)},{e.value(i.operands[0], 'b32')});")
