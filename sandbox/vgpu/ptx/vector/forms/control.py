"""Branches and ends. PTX ISA 9.7.12."""

from __future__ import annotations

from ...errors import NotVectorisedError
from ...syntax import Instruction, Symbol
from ..emitter import VectorEmitter


def branch(e: VectorEmitter, i: Instruction) -> None:
    target = i.operands[0]
    assert isinstance(target, Symbol)
    _choose(e, i, e.block_at(target.name))


def return_(e: VectorEmitter, i: Instruction) -> None:
    _choose(e, i, None)


def exit_(e: VectorEmitter, i: Instruction) -> None:
    _choose(e, i, None)


def branch_indexed(e: VectorEmitter, i: Instruction) -> None:
    """All groups are parked; the lanes that are out of the table's range go on behind."""
    table = i.operands[1]
    targets = e.function.branch_targets.get(table.name) if isinstance(table, Symbol) else None
    if targets is None or i.guard:
        raise NotVectorisedError("brx.idx without a list of targets")
    e.flush()
    e.emit(f"{{V4 index={e.value(i.operands[0], 'u32')};u32 rest=m,some;")
    for number, name in enumerate(targets):
        place = e.place(e.block_at(name))
        e.emit(f"some=rest&mask_of(index==(V4)({number}u));if(some){{park(w,some,{place}u);rest&=~some;}}")
    following = e.following
    if following is None:
        e.emit("if(rest)end_lanes(wt,w,rest);")
    else:
        e.emit(f"if(rest)park(w,rest,{e.place(following)}u);")
    e.emit("goto dispatch;}")


def _choose(e: VectorEmitter, i: Instruction, target: int | None) -> None:
    """Where the guard holds go on at ``target`` (None: end), elsewhere behind the instruction."""
    e.flush()
    taken = e.LEAVE if target is None else e.jump(target)
    if i.guard is None:
        e.emit(taken)
        return
    following = e.following
    other = e.LEAVE if following is None else e.jump(following)
    mask = e.bits_of(i.guard.predicate)
    if i.guard.negated:
        mask = f"(~{mask})"
    e.emit(f"{{u32 yes=m&{mask},no=m&~{mask};if(!no){taken}if(!yes){other}")
    if target is None:
        e.emit(f"end_lanes(wt,w,yes);m=no;{other}}}")
    elif following is None:
        e.emit(f"end_lanes(wt,w,no);m=yes;{taken}}}")
    elif e.place(target) < e.place(following):  # the lanes that stand first go on, the others wait
        e.emit(f"leave_behind(w,no,{e.place(following)}u);m=yes;{taken}}}")
    else:
        e.emit(f"leave_behind(w,yes,{e.place(target)}u);m=no;{other}}}")
