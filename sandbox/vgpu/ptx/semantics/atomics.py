"""Atomic read-modify-write. PTX ISA 9.7.13 (atom, red)."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..sites import ATOMIC
from ..syntax import Instruction, Operand, Sink, Vector
from ..types import BYTES, SIGNED, UNSIGNED
from .memory import state_space

_OPERATIONS = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")
_HOST_ATOMICS = frozenset({"add", "and", "or", "xor"})


def atomic(e: FunctionEmitter, i: Instruction) -> None:
    e.poll()
    _update(e, i, i.operands[0], i.operands[1], i.operands[2:])


def reduce_memory(e: FunctionEmitter, i: Instruction) -> None:
    _update(e, i, Sink(), i.operands[0], i.operands[1:])


def _operation(i: Instruction) -> str:
    for modifier in i.modifiers:
        if modifier in _OPERATIONS:
            return modifier
    raise UnsupportedInstructionError(i.text)


def _update(e: FunctionEmitter, i: Instruction, result: Operand, place: Operand, values: list[Operand]) -> None:
    space, size = state_space(i), BYTES[i.type]
    results = result.elements if isinstance(result, Vector) else (result,)
    first = values[0].elements if isinstance(values[0], Vector) else (values[0],)
    if isinstance(result, Sink):
        results = tuple(Sink() for _ in first)
    total = size * len(first)
    pointer = e.pointer(i, place, space, total, total, ATOMIC)
    c_type = UNSIGNED[size]
    for number, (to, value) in enumerate(zip(results, first, strict=True)):
        e.emit(f"{c_type} v{'' if number == 0 else number}_={e.value(value, i.type)};")
        name = f"v{'' if number == 0 else number}_"
        where = f"({pointer}+{size * number})"
        old = _expression(e, i, space, where, name, values)
        if isinstance(to, Sink):
            e.emit(f"(void)({old});")
        else:
            e.assign(to, old)


def _expression(e: FunctionEmitter, i: Instruction, space: str, place: str, value: str, values: list[Operand]) -> str:
    """C expression that updates memory and gives the old value."""
    operation, size = _operation(i), BYTES[i.type]
    c_type = UNSIGNED[size]
    shared = space == "shared"
    if operation == "cas":
        new = e.value(values[1], i.type)
        if shared:
            return f"SHARED_UPDATE({c_type},{place},old=={value}?{new}:old)"
        if size == 16:
            return f"__sync_val_compare_and_swap((u128*){place},{value},{new})"
        return (
            f"({{{c_type} w_={value};__atomic_compare_exchange_n(({c_type}*){place},&w_,{new},0,"
            f"__ATOMIC_SEQ_CST,__ATOMIC_SEQ_CST);w_;}})"
        )
    if not shared and operation == "exch" and size < 16:
        return f"__atomic_exchange_n(({c_type}*){place},{value},__ATOMIC_SEQ_CST)"
    if not shared and operation in _HOST_ATOMICS and i.type[0] in "bus" and "f" not in i.type:
        return f"__atomic_fetch_{operation}(({c_type}*){place},{value},__ATOMIC_SEQ_CST)"
    if size == 16 and not shared:  # only exch is left
        return f"exchange_b128({place},{value})"
    macro = "SHARED_UPDATE" if shared else "ATOMIC_UPDATE"
    return f"{macro}({c_type},{place},{_new_value(i, operation, value, space)})"


def _new_value(i: Instruction, operation: str, value: str, space: str) -> str:
    kind = i.type
    if kind in ("f16", "bf16", "f32", "f64"):
        return _float_value(kind, operation, "old", value, space)
    if kind in ("f16x2", "bf16x2"):
        half = kind.removesuffix("x2")
        low = _float_value(half, operation, "(u16)old", f"(u16){value}", space)
        high = _float_value(half, operation, "(u16)(old>>16)", f"(u16)({value}>>16)", space)
        return f"(u32){low}|(u32){high}<<16"
    if operation in ("min", "max"):
        c_type = (SIGNED if kind.startswith("s") else UNSIGNED)[BYTES[kind]]
        operator = "<" if operation == "min" else ">"
        return f"({c_type})old{operator}({c_type}){value}?old:{value}"
    formulas = {
        "add": f"old+{value}",
        "and": f"old&{value}",
        "or": f"old|{value}",
        "xor": f"old^{value}",
        "exch": value,
        "inc": f"old>={value}?0:old+1",
        "dec": f"old==0||old>{value}?{value}:old-1",
    }
    return formulas[operation]


def _float_value(kind: str, operation: str, old: str, value: str, space: str) -> str:
    a, b = f"as_{kind}({old})", f"as_{kind}({value})"
    if kind == "f32" and operation == "add" and space != "shared":
        # In global memory the f32 addition flushes subnormals.
        return f"result_f32(flush_f32(flush_f32({a})+flush_f32({b})))"
    if operation == "add":
        return f"result_{kind}({a}+{b})"
    if operation in ("min", "max"):
        return f"result_{kind}({operation}_{'f64' if kind == 'f64' else 'f32'}({a},{b}))"
    if operation == "exch":
        return value
    raise UnsupportedInstructionError(operation)
