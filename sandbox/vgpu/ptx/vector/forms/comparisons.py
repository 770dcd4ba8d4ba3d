"""Comparison and selection. PTX ISA 9.7.6 and 9.7.7."""

from __future__ import annotations

from ...syntax import Instruction, Pair
from ...types import BYTES, FLOATS
from ..emitter import NoVectorFormError, VectorEmitter
from .reals import real

_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNSIGNED_OPERATORS = {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_UNORDERED = {"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="}
_BOOLEANS = {"and": "&", "or": "|", "xor": "^"}


def _compare_floats(comparison: str) -> str:
    """C mask. Ordered comparisons are false, unordered ones true where an operand is NaN."""
    if comparison == "num":
        return "(mask_of(a==a)&mask_of(b==b))"
    if comparison == "nan":
        return "(mask_of(a!=a)|mask_of(b!=b))"
    if comparison in _UNORDERED:
        return f"(mask_of(a!=a)|mask_of(b!=b)|mask_of(a{_UNORDERED[comparison]}b))"
    if comparison == "ne":
        return "(mask_of(a==a)&mask_of(b==b)&mask_of(a!=b))"
    return f"mask_of(a{_OPERATORS[comparison]}b)"


def _condition(e: VectorEmitter, i: Instruction) -> str:
    kind, comparison = i.type, i.modifiers[0]
    first, second = i.operands[1], i.operands[2]
    if kind in FLOATS:
        a, b = real(e, i, first), real(e, i, second)
        e.emit(f"F{BYTES[kind]} a={a},b={b};")
        return _compare_floats(comparison)
    if comparison in _UNSIGNED_OPERATORS:
        return f"mask_of({e.value(first, kind)}{_UNSIGNED_OPERATORS[comparison]}{e.value(second, kind)})"
    return f"mask_of({e.typed(first, kind)}{_OPERATORS[comparison]}{e.typed(second, kind)})"


def set_predicate(e: VectorEmitter, i: Instruction) -> None:
    e.emit(f"u32 c={_condition(e, i)};")
    boolean = next((_BOOLEANS[m] for m in i.modifiers[1:-1] if m in _BOOLEANS), None)
    result, other = i.operands[0], ""
    if boolean:
        e.emit(f"u32 o={e.bits_of(i.operands[3])};")
        other = f"{boolean}o"
    if isinstance(result, Pair):
        e.assign_bits(result.first, f"c{other}")
        e.assign_bits(result.second, f"(~c){other}")
    else:
        e.assign_bits(result, f"c{other}")


def set_compare(e: VectorEmitter, i: Instruction) -> None:
    ones = {"f32": "0x3f800000u", "u32": "ALL", "s32": "ALL"}
    if i.modifiers[-2] not in ones:
        raise NoVectorFormError
    boolean = next((_BOOLEANS[m] for m in i.modifiers if m in _BOOLEANS), None)
    condition = _condition(e, i)
    if boolean:
        condition = f"({condition}{boolean}{e.bits_of(i.operands[3])})"
    e.assign(i.operands[0], f"blend({condition},(V4)({ones[i.modifiers[-2]]}),(V4)(0u))", 4)


def select(e: VectorEmitter, i: Instruction) -> None:
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"blend({e.bits_of(i.operands[3])},{a},{b})", BYTES[i.type])
