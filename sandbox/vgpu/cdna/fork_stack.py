"""Forks and joins: the branch stack in SGPRs, four a level, whose depth is MODE.CSP (CDNA4 ISA, S_CBRANCH_I_FORK).

A fork whose lanes disagree goes on with the smaller group and pushes place and mask of the other; a join goes on there,
or behind itself when the depth is the one that the program saved.
"""

from __future__ import annotations

from . import wave_layout
from .emitter import Emitter
from .instruction import Operand, OperandKind

_LEVELS = 8
_DEPTH_SHIFT = 29
_DEPTH_MASK = 0x1FFFFFFF


def emit_fork(e: Emitter, condition: Operand, target: str, following: str) -> str:
    """``target`` and ``following`` are addresses. An i1: whether control goes to ``target``."""
    asked, active = e.read_scalar64(condition), e.exec
    passing = e.binary("and", "i64", asked, active)
    failing = e.binary("xor", "i64", passing, active)
    diverges = e.binary("and", "i1", e.compare("ne", "i64", passing, active), e.compare("ne", "i64", failing, active))
    few_fail = e.compare("ult", "i64", _count(e, failing), _count(e, passing))
    pushed = [_choose(e, few_fail, passing, failing), _choose(e, few_fail, target, following)]
    depth = _depth(e)
    for level in range(_LEVELS):
        chosen = e.binary("and", "i1", diverges, e.compare("eq", "i32", depth, str(level)))
        for position, value in enumerate(pushed):
            place = _entry(level, position)
            e.write_scalar64(place, _choose(e, chosen, value, e.read_scalar64(place)))
    _set_depth(e, e.binary("add", "i32", depth, e.convert("zext", "i1", diverges, "i32")))
    remaining = _choose(e, few_fail, failing, passing)
    e.write_register("exec", _choose(e, diverges, remaining, active))
    to_passing = e.binary("and", "i1", diverges, e.binary("xor", "i1", few_fail, "true"))
    return e.binary("or", "i1", e.compare("eq", "i64", passing, active), to_passing)


def emit_join(e: Emitter, saved: Operand) -> tuple[str, str]:
    """An i1: whether all groups have come here; and the code offset where the next one goes on."""
    depth = _depth(e)
    done = e.compare("eq", "i32", depth, e.read_scalar32(saved))
    below = e.binary("and", "i32", e.binary("sub", "i32", depth, "1"), str(_LEVELS - 1))
    values = [e.read_scalar64(_entry(0, position)) for position in range(2)]
    for level in range(1, _LEVELS):
        chosen = e.compare("eq", "i32", below, str(level))
        values = [_choose(e, chosen, e.read_scalar64(_entry(level, k)), values[k]) for k in range(2)]
    kept_depth = e.value(f"select i1 {done}, i32 {depth}, i32 {below}")
    _set_depth(e, kept_depth)
    e.write_register("exec", _choose(e, done, e.exec, values[0]))
    return done, e.binary("sub", "i64", values[1], "%code_base")


def _entry(level: int, position: int) -> Operand:
    """A level holds the mask and then the address."""
    return Operand(OperandKind.SCALAR, 4 * level + 2 * position, 2)


def _choose(e: Emitter, condition: str, yes: str, no: str) -> str:
    return e.value(f"select i1 {condition}, i64 {yes}, i64 {no}")


def _count(e: Emitter, mask: str) -> str:
    return e.call("llvm.ctpop.i64", "i64", ("i64", mask))


def _depth(e: Emitter) -> str:
    return e.binary("lshr", "i32", e.load_wave("i32", wave_layout.MODE), str(_DEPTH_SHIFT))


def _set_depth(e: Emitter, depth: str) -> None:
    rest = e.binary("and", "i32", e.load_wave("i32", wave_layout.MODE), str(_DEPTH_MASK))
    shifted = e.binary("shl", "i32", depth, str(_DEPTH_SHIFT))
    e.store_wave("i32", wave_layout.MODE, e.binary("or", "i32", rest, shifted))
