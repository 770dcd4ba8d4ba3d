"""Comparison and selection. PTX ISA 9.7.6 and 9.7.7."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..syntax import Instruction, Operand, Pair
from ..types import FLOATS
from .floats import float_value

_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNSIGNED_OPERATORS = {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_UNORDERED = {"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="}
_BOOLEANS = {"and": "&&", "or": "||", "xor": "!="}


def _compare_floats(comparison: str, a: str, b: str) -> str:
    """C condition. Ordered comparisons are false, unordered ones true where an operand is NaN."""
    if comparison == "num":
        return f"({a}=={a}&&{b}=={b})"
    if comparison == "nan":
        return f"({a}!={a}||{b}!={b})"
    if comparison in _UNORDERED:
        return f"({a}!={a}||{b}!={b}||{a}{_UNORDERED[comparison]}{b})"
    if comparison == "ne":
        return f"({a}=={a}&&{b}=={b}&&{a}!={b})"
    return f"({a}{_OPERATORS[comparison]}{b})"


def _condition(e: FunctionEmitter, i: Instruction, first: Operand, second: Operand) -> str:
    kind, comparison = i.type, i.modifiers[0]
    if kind in FLOATS:
        e.emit(f"{'double' if kind == 'f64' else 'float'} a={float_value(e, i, first)},b={float_value(e, i, second)};")
        return _compare_floats(comparison, "a", "b")
    if comparison in _UNSIGNED_OPERATORS:
        return f"({e.value(first, kind)}{_UNSIGNED_OPERATORS[comparison]}{e.value(second, kind)})"
    return f"({e.typed(first, kind)}{_OPERATORS[comparison]}{e.typed(second, kind)})"


def _boolean(i: Instruction) -> str | None:
    return next((_BOOLEANS[m] for m in i.modifiers[1:-1] if m in _BOOLEANS), None)


def _packed_conditions(e: FunctionEmitter, i: Instruction, packed: str) -> tuple[str, str]:
    read = "as_f16" if packed == "f16x2" else "as_bf16"
    e.emit(f"u32 p={e.value(i.operands[1], 'b32')},q={e.value(i.operands[2], 'b32')};")
    e.emit(f"float al={read}((u16)p),ah={read}((u16)(p>>16)),bl={read}((u16)q),bh={read}((u16)(q>>16));")
    comparison = i.modifiers[0]
    return _compare_floats(comparison, "al", "bl"), _compare_floats(comparison, "ah", "bh")


def set_predicate(e: FunctionEmitter, i: Instruction) -> None:
    e.emit(f"u8 c={_condition(e, i, i.operands[1], i.operands[2])};")
    boolean, result = _boolean(i), i.operands[0]
    other = ""
    if boolean:
        e.emit(f"u8 o={e.value(i.operands[3], 'pred')};")
        other = f"{boolean}o"
    if isinstance(result, Pair):
        e.assign(result.first, f"c{other}")
        e.assign(result.second, f"(!c){other}")
    else:
        e.assign(result, f"c{other}")


def set_predicate_packed(e: FunctionEmitter, i: Instruction) -> None:
    low, high = _packed_conditions(e, i, i.type)
    boolean, result = _boolean(i), i.operands[0]
    other = f"{boolean}{e.value(i.operands[3], 'pred')}" if boolean else ""
    e.emit(f"u8 l={low}{other},h={high}{other};")
    if isinstance(result, Pair):
        e.assign(result.first, "l")
        e.assign(result.second, "h")
    else:
        e.assign(result, "l")


def set_compare(e: FunctionEmitter, i: Instruction) -> None:
    ones = {"f32": "0x3f800000u", "f16": "0x3c00", "bf16": "0x3f80", "u16": "0xffff", "s16": "0xffff"}
    boolean = _boolean(i)
    condition = _condition(e, i, i.operands[1], i.operands[2])
    if boolean:
        condition = f"({condition}{boolean}{e.value(i.operands[3], 'pred')})"
    e.assign(i.operands[0], f"{condition}?{ones.get(i.modifiers[-2], '~0u')}:0")


def set_compare_packed(e: FunctionEmitter, i: Instruction) -> None:
    one = {"f16x2": "0x3c00u", "bf16x2": "0x3f80u"}.get(i.modifiers[-2], "0xffffu")
    low, high = _packed_conditions(e, i, i.type)
    boolean = _boolean(i)
    other = f"{boolean}{e.value(i.operands[3], 'pred')}" if boolean else ""
    e.assign(i.operands[0], f"(({low}{other})?{one}:0)|(({high}{other})?{one}<<16:0)")


def select(e: FunctionEmitter, i: Instruction) -> None:
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"{e.value(i.operands[3], 'pred')}?{a}:{b}")


def select_by_sign(e: FunctionEmitter, i: Instruction) -> None:
    kind = i.modifiers[-2]
    a, b = e.value(i.operands[1], kind), e.value(i.operands[2], kind)
    if i.type == "f32":
        condition = f"{float_value(e, i, i.operands[3])}>=0.0f"
    else:
        condition = f"{e.signed(i.operands[3], 's32')}>=0"
    e.assign(i.operands[0], f"{condition}?{a}:{b}")
