"""f16 and bf16 arithmetic, scalar and packed. PTX ISA 9.7.4."""

from __future__ import annotations

from collections.abc import Callable

from ..emitter import FunctionEmitter
from ..syntax import Instruction

Formula = Callable[..., str]
"""From C floats (one for each input) to a C expression of 16 result bits."""


def _scalar_type(i: Instruction) -> str:
    return i.type.removesuffix("x2")


def _apply(e: FunctionEmitter, i: Instruction, formula: Formula) -> None:
    """Emit ``formula`` for the value, or for both halves of packed ones."""
    kind = _scalar_type(i)
    flush = "ftz" in i.modifiers and kind == "f16"
    if i.type == kind:
        values = [_read(kind, e.value(operand, kind), flush) for operand in i.operands[1:]]
        e.assign(i.operands[0], formula(*values))
        return
    names = []
    for number, operand in enumerate(i.operands[1:]):
        e.emit(f"u32 s{number}={e.value(operand, 'b32')};")
        names.append(f"s{number}")
    low = formula(*(_read(kind, f"(u16){name}", flush) for name in names))
    high = formula(*(_read(kind, f"(u16)({name}>>16)", flush) for name in names))
    e.assign(i.operands[0], f"(u32)(u16)({low})|(u32)(u16)({high})<<16")


def _read(kind: str, bits: str, flush: bool) -> str:
    return f"flush_f16(as_{kind}({bits}))" if flush else f"as_{kind}({bits})"


def _finish(i: Instruction, bits: str) -> str:
    """Flush a result of 16 bits where asked for."""
    return f"flush_result_f16({bits})" if "ftz" in i.modifiers and _scalar_type(i) == "f16" else bits


def _result(i: Instruction, expression: str) -> str:
    if "sat" in i.modifiers:
        expression = f"saturate_f32({expression})"
    return _finish(i, f"result_{_scalar_type(i)}({expression})")


def _arithmetic(e: FunctionEmitter, i: Instruction, operator: str) -> None:
    _apply(e, i, lambda a, b: _result(i, f"{a}{operator}{b}"))


def add_half(e: FunctionEmitter, i: Instruction) -> None:
    _arithmetic(e, i, "+")


def subtract_half(e: FunctionEmitter, i: Instruction) -> None:
    _arithmetic(e, i, "-")


def multiply_half(e: FunctionEmitter, i: Instruction) -> None:
    _arithmetic(e, i, "*")


def fuse_half(e: FunctionEmitter, i: Instruction) -> None:
    kind = _scalar_type(i)

    def formula(a: str, b: str, c: str) -> str:
        bits = f"fused_{kind}({a},{b},{c})"
        if "sat" in i.modifiers:
            bits = f"result_{kind}(saturate_f32(as_{kind}({bits})))"
        if "relu" in i.modifiers:
            bits = f"result_{kind}(max_nan_f32(as_{kind}({bits}),0.0f))"
        return _finish(i, bits)

    _apply(e, i, formula)


def absolute_half(e: FunctionEmitter, i: Instruction) -> None:
    _apply(e, i, lambda a: f"result_{_scalar_type(i)}(__builtin_fabsf({a}))")


def negate_half(e: FunctionEmitter, i: Instruction) -> None:
    _apply(e, i, lambda a: f"result_{_scalar_type(i)}(-{a})")


def _extreme(e: FunctionEmitter, i: Instruction, name: str) -> None:
    function = f"{name}_nan_f32" if "NaN" in i.modifiers else f"{name}_f32"

    def formula(a: str, b: str) -> str:
        if "xorsign" in i.modifiers:
            magnitude = f"{function}(__builtin_fabsf({a}),__builtin_fabsf({b}))"
            return _result(i, f"xor_sign_f32({magnitude},{a},{b})")
        return _result(i, f"{function}({a},{b})")

    _apply(e, i, formula)


def minimum_half(e: FunctionEmitter, i: Instruction) -> None:
    _extreme(e, i, "min")


def maximum_half(e: FunctionEmitter, i: Instruction) -> None:
    _extreme(e, i, "max")


def approximate_half(e: FunctionEmitter, i: Instruction) -> None:
    _apply(e, i, lambda a: _result(i, f"w2w_{i.opcode}_f32({a})"))
