"""Operands and results of single and double precision."""

from __future__ import annotations

from ...syntax import Instruction, Operand
from ...types import BYTES
from ..emitter import NoVectorFormError, VectorEmitter


def real(e: VectorEmitter, i: Instruction, operand: Operand, kind: str = "") -> str:
    """The operand as a C vector of floats or doubles; subnormals flushed where the instruction says so."""
    kind = kind or i.type
    if kind not in ("f32", "f64"):
        raise NoVectorFormError
    text = f"((F{BYTES[kind]}){e.value(operand, kind)})"
    return f"flush_lanes({text})" if "ftz" in i.modifiers and kind == "f32" else text


def result(e: VectorEmitter, i: Instruction, expression: str) -> None:
    """Assign floats or doubles as the instruction's result."""
    if i.type == "f32":
        if "ftz" in i.modifiers:
            expression = f"flush_lanes({expression})"
        if "sat" in i.modifiers:
            expression = f"saturate_lanes4({expression})"
        e.assign(i.operands[0], f"canonical_f32({expression})", 4)
    elif "sat" in i.modifiers:
        raise NoVectorFormError
    else:
        e.assign(i.operands[0], expression, 8)
