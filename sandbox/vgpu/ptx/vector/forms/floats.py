"""Single and double precision arithmetic. PTX ISA 9.7.3. What is rounded in a direction is done lane by lane."""

from __future__ import annotations

from ...syntax import Instruction
from ...types import BYTES
from ..emitter import NoVectorFormError, VectorEmitter
from .reals import real, result

_DIRECTED = ("rz", "rm", "rp")


def _operands(e: VectorEmitter, i: Instruction) -> list[str]:
    if any(m in _DIRECTED for m in i.modifiers):
        raise NoVectorFormError
    return [real(e, i, operand) for operand in i.operands[1:]]


def add_float(e: VectorEmitter, i: Instruction) -> None:
    a, b = _operands(e, i)
    result(e, i, f"({a}+{b})")


def subtract_float(e: VectorEmitter, i: Instruction) -> None:
    a, b = _operands(e, i)
    result(e, i, f"({a}-{b})")


def multiply_float(e: VectorEmitter, i: Instruction) -> None:
    a, b = _operands(e, i)
    result(e, i, f"({a}*{b})")


def fuse_float(e: VectorEmitter, i: Instruction) -> None:
    a, b, c = _operands(e, i)
    result(e, i, f"__builtin_elementwise_fma({a},{b},{c})")


def divide_float(e: VectorEmitter, i: Instruction) -> None:
    if "approx" in i.modifiers:
        raise NoVectorFormError
    a, b = _operands(e, i)
    result(e, i, f"({a}/{b})")


def reciprocal(e: VectorEmitter, i: Instruction) -> None:
    if "approx" in i.modifiers and i.type == "f64":
        raise NoVectorFormError
    (a,) = _operands(e, i)
    result(e, i, f"((F{BYTES[i.type]})({'1.0f' if i.type == 'f32' else '1.0'})/{a})")


def square_root(e: VectorEmitter, i: Instruction) -> None:
    (a,) = _operands(e, i)
    result(e, i, f"__builtin_elementwise_sqrt({a})")


def _extreme(e: VectorEmitter, i: Instruction, name: str) -> None:
    """NaN loses against a number; -0 is less than +0."""
    if len(i.operands) != 3 or i.type != "f32" or "NaN" in i.modifiers or "xorsign" in i.modifiers:
        raise NoVectorFormError
    a, b = (real(e, i, operand) for operand in i.operands[1:3])
    less, merge = ("<", "|") if name == "min" else (">", "&")
    e.emit(f"F4 a={a},b={b},r=blend(mask_of(a{less}b)|mask_of(b!=b),a,b);")
    e.emit(f"r=blend(mask_of(a==b),(F4)((V4)a{merge}(V4)b),r);")
    result(e, i, "r")


def minimum_float(e: VectorEmitter, i: Instruction) -> None:
    _extreme(e, i, "min")


def maximum_float(e: VectorEmitter, i: Instruction) -> None:
    _extreme(e, i, "max")


def _change_sign(e: VectorEmitter, i: Instruction, operation: str) -> None:
    """Of an f32 NaN the result is the canonical one; an f64 NaN keeps its sign when it is negated."""
    if i.type == "f32":
        e.emit(f"V4 a=(V4){real(e, i, i.operands[1])};")
        changed = f"a{operation}(V4)(0x80000000u)"
        e.assign(i.operands[0], f"blend(mask_of((a&0x7fffffffu)>(V4)(0x7f800000u)),(V4)(0x7fffffffu),{changed})", 4)
        return
    e.emit(f"V8 a={e.value(i.operands[1], i.type)};")
    changed = f"(a{operation}(V8)(0x8000000000000000ul))"
    if operation == "^":
        nan = "mask_of((a&0x7ffffffffffffffful)>(V8)(0x7ff0000000000000ul))"
        changed = f"blend({nan},a,{changed})"
    e.assign(i.operands[0], changed, 8)


def absolute_float(e: VectorEmitter, i: Instruction) -> None:
    _change_sign(e, i, "&~")


def negate_float(e: VectorEmitter, i: Instruction) -> None:
    _change_sign(e, i, "^")
