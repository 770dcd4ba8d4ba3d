"""Operations of a warp's lanes together, and barriers. Where all lanes are there already, none of them waits.

PTX ISA 9.7.9.6 (shfl), 9.7.13 (bar, vote, match, redux, elect).
"""

from __future__ import annotations

from ...syntax import Instruction, Operand, Pair, Register, Sink
from ...types import BYTES
from ..emitter import Meeting, VectorEmitter

_CLUSTER_BARRIER = 16


_EACH = "r=*(V4*)w->result;p=w->second_result;"
"""C text: what each lane has waited for."""


def _meet(e: VectorEmitter, i: Instruction, mask: Operand, kind: str, values: str, at_once: str, take: str) -> None:
    """C texts: ``at_once`` computes the results where all lanes are there, else a function is called that takes
    ``values``: its name and its last arguments."""
    function, _, rest = values.partition(":")
    if e.is_invariant(mask):
        masks = e.scalar(mask, "b32")
        complete, suffix = f"is_complete_for(w,m,{masks})", "_of"
    else:
        e.emit(f"V4 masks={e.value(mask, 'b32')};")
        masks, complete, suffix = "SPLIT_V4(masks)", "is_complete(w,m,masks)", ""
    what = f"{e.resume_place()}u<<8|({kind})"
    e.emit(f"if(LIKELY({complete})){{{at_once}}}else{{")
    e.wait(f"{function}{suffix}(wt,w,{e.recorder.site(i)},m,{what},{masks},{rest});", take)
    e.emit("}")


def _shuffle(e: VectorEmitter, i: Instruction) -> None:
    mode = "W2W_SHUFFLE_" + next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx")).upper()
    a, b, c = (e.value(operand, "b32") for operand in i.operands[1:4])
    e.emit(f"V4 a={a},b={b},c={c};")
    at_once = f"r=shuffle_lanes({mode},m,a,b,c,&p);"
    values = "wait_with_values:SPLIT_V4(a),SPLIT_V4(b),SPLIT_V4(c)"
    _meet(e, i, i.operands[4], f"W2W_MEET_SHUFFLE+{mode}", values, at_once, _EACH)


def _vote(e: VectorEmitter, i: Instruction) -> None:
    mode = "W2W_VOTE_" + next(m for m in i.modifiers if m in ("all", "any", "uni", "ballot")).upper()
    e.emit(f"u32 a={e.bits_of(i.operands[1])};")
    at_once = f"r=(V4)(vote_lanes({mode},m,a));"
    _meet(e, i, i.operands[2], f"W2W_MEET_VOTE+{mode}", "wait_with_bits:a", at_once, _EACH)


def _match(e: VectorEmitter, i: Instruction) -> None:
    mode = "W2W_MATCH_ANY" if "any" in i.modifiers else "W2W_MATCH_ALL"
    size = BYTES[i.type]
    e.emit(f"V{size} a={e.value(i.operands[1], i.type)};")
    at_once = f"r=match_lanes{size}({mode},m,a,&p);"
    wide = "wait_with_wide:SPLIT_V8(convert(a,V8))"
    _meet(e, i, i.operands[2], f"W2W_MEET_MATCH+{mode}", wide, at_once, _EACH)


def _reduce(e: VectorEmitter, i: Instruction) -> None:
    operation = next(m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor")).upper()
    if operation in ("MIN", "MAX"):
        operation += "_S" if i.type == "s32" else "_U"
    mode = f"W2W_REDUCE_{operation}"
    e.emit(f"V4 a={e.value(i.operands[1], 'b32')};")
    at_once = f"r=(V4)(reduce_lanes({mode},m,a));"
    values = "wait_with_values:SPLIT_V4(a),NOTHING,NOTHING"
    _meet(e, i, i.operands[2], f"W2W_MEET_REDUCE+{mode}", values, at_once, _EACH)


def _elect(e: VectorEmitter, i: Instruction) -> None:
    at_once = "r=(V4)(first_lane(m));p=m&-m;"
    _meet(e, i, i.operands[1], "W2W_MEET_ELECT", "wait_with_bits:0", at_once, _EACH)


def _warp_barrier(e: VectorEmitter, i: Instruction) -> None:
    _meet(e, i, i.operands[0], "W2W_MEET_BARRIER", "wait_with_bits:0", "", "")


def _take_both(e: VectorEmitter, i: Instruction) -> None:
    """A value and a predicate, which may be missing."""
    result = i.operands[0]
    first, second = (result.first, result.second) if isinstance(result, Pair) else (result, Sink())
    e.assign(first, "r", 4)
    e.assign_bits(second, "p")


def _take_each(e: VectorEmitter, i: Instruction) -> None:
    """Groups with masks of their own, or from different barriers, may go on together: each lane has its own result."""
    result = i.operands[0]
    if isinstance(result, Register) and result.type == "pred":
        e.assign_bits(result, "mask_of(r!=0u)")
    else:
        e.assign(result, "r", 4)


def _take_nothing(e: VectorEmitter, i: Instruction) -> None:
    pass


# ---- barriers of a block ---------------------------------------------------------------------------------


def _arrive(
    e: VectorEmitter, i: Instruction, identity: Operand, count: Operand | None, rest: str, take: str = ""
) -> None:
    """Lanes may name different barriers. The hardware takes the lower four bits of a barrier's number."""
    place = e.recorder.site(i)
    if e.is_invariant(identity) and (count is None or e.is_invariant(count)):
        amount = "0" if count is None else e.scalar(count, "u32")
        number = f"{e.scalar(identity, 'u32')}&15"
        e.wait(f"wait_at_barrier(wt,w,{place},m,{e.resume_place()}u,{number},{amount},{rest});", take)
        return
    counts = "(V4)(0u)" if count is None else e.value(count, "u32")
    e.emit(f"V4 names={e.value(identity, 'u32')}&15u,counts={counts};")
    e.wait(
        "for(u32 rest=m;rest;){u32 l=first_lane(rest),n=names[l],c=counts[l];"
        "u32 same=rest&mask_of(names==(V4)(n))&mask_of(counts==(V4)(c));rest&=~same;"
        f"wait_at_barrier(wt,w,{place},same,{e.resume_place()}u,n,c,{rest});}}",
        take,
    )


def _barrier_sync(e: VectorEmitter, i: Instruction) -> None:
    _arrive(e, i, i.operands[0], i.operands[1] if len(i.operands) > 1 else None, "W2W_BARRIER_SYNC,0")


def _barrier_reduce(e: VectorEmitter, i: Instruction) -> None:
    operation = next(m for m in i.modifiers if m in ("popc", "and", "or")).upper()
    e.emit(f"u32 values={e.bits_of(i.operands[-1])};")
    count = i.operands[2] if len(i.operands) > 3 else None
    _arrive(e, i, i.operands[1], count, f"W2W_BARRIER_{operation},values", _EACH)


def _cluster_wait(e: VectorEmitter, i: Instruction) -> None:
    arguments = f"{e.recorder.site(i)},m,{e.resume_place()}u,{_CLUSTER_BARRIER},0,W2W_BARRIER_SYNC,0"
    e.wait(f"wait_at_barrier(wt,w,{arguments});", "")


MEETINGS = {
    "shuffle": Meeting(_shuffle, _take_both),
    "vote": Meeting(_vote, _take_each),
    "match": Meeting(_match, _take_both),
    "reduce_warp": Meeting(_reduce, _take_each),
    "elect": Meeting(_elect, _take_both),
    "warp_barrier": Meeting(_warp_barrier, _take_nothing),
    "barrier_sync": Meeting(_barrier_sync, _take_nothing),
    "barrier_reduce": Meeting(_barrier_reduce, _take_each),
    "cluster_wait": Meeting(_cluster_wait, _take_nothing),
}
"""By name of semantics."""
