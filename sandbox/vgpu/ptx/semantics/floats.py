"""Single and double precision arithmetic. PTX ISA 9.7.3."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..syntax import Instruction, Operand
from ..types import BYTES, UNSIGNED

ROUNDINGS = {
    "rn": "W2W_ROUND_NEAREST",
    "rz": "W2W_ROUND_ZERO",
    "rm": "W2W_ROUND_DOWN",
    "rp": "W2W_ROUND_UP",
    "rna": "W2W_ROUND_AWAY",
}


def float_value(e: FunctionEmitter, i: Instruction, operand: Operand, kind: str = "") -> str:
    """The operand as a C float (double for f64); subnormals flushed where the instruction says so."""
    kind = kind or i.type
    text = f"as_{kind}({e.value(operand, kind)})"
    if "ftz" in i.modifiers and kind == "f32":
        return f"flush_f32({text})"
    if "ftz" in i.modifiers and kind == "f16":
        return f"flush_f16({text})"
    return text


def float_result(e: FunctionEmitter, i: Instruction, expression: str) -> None:
    """Assign a C float or double as the instruction's result."""
    if "ftz" in i.modifiers and i.type == "f32":
        expression = f"flush_f32({expression})"
    if "sat" in i.modifiers:
        expression = f"saturate_{i.type}({expression})"
    e.assign(i.operands[0], f"result_{i.type}({expression})")


def directed_rounding(i: Instruction) -> str | None:
    """The C constant of a rounding other than to nearest, None if there is none."""
    return next((ROUNDINGS[m] for m in i.modifiers if m in ("rz", "rm", "rp")), None)


def _operate(e: FunctionEmitter, i: Instruction, operator: str, function: str, *, negate_second: bool = False) -> None:
    a, b = (float_value(e, i, operand) for operand in i.operands[1:3])
    rounding = directed_rounding(i)
    if rounding:
        float_result(e, i, f"w2w_{function}_{i.type}({a},{'-' if negate_second else ''}{b},{rounding})")
    else:
        float_result(e, i, f"{a}{operator}{b}")


def add_float(e: FunctionEmitter, i: Instruction) -> None:
    _operate(e, i, "+", "add")


def subtract_float(e: FunctionEmitter, i: Instruction) -> None:
    _operate(e, i, "-", "add", negate_second=True)


def multiply_float(e: FunctionEmitter, i: Instruction) -> None:
    _operate(e, i, "*", "mul")


def fuse_float(e: FunctionEmitter, i: Instruction) -> None:
    a, b, c = (float_value(e, i, operand) for operand in i.operands[1:4])
    rounding = directed_rounding(i)
    if rounding:
        float_result(e, i, f"w2w_fma_{i.type}({a},{b},{c},{rounding})")
    else:
        float_result(e, i, f"__builtin_fma{'f' if i.type == 'f32' else ''}({a},{b},{c})")


def divide_float(e: FunctionEmitter, i: Instruction) -> None:
    a, b = (float_value(e, i, operand) for operand in i.operands[1:3])
    rounding = directed_rounding(i)
    if "approx" in i.modifiers or "full" in i.modifiers:
        float_result(e, i, f"divide_approx_f32({a},{b})" if "approx" in i.modifiers else f"{a}/{b}")
    elif rounding:
        float_result(e, i, f"w2w_div_{i.type}({a},{b},{rounding})")
    else:
        float_result(e, i, f"{a}/{b}")


def reciprocal(e: FunctionEmitter, i: Instruction) -> None:
    a, rounding = float_value(e, i, i.operands[1]), directed_rounding(i)
    one = "1.0f" if i.type == "f32" else "1.0"
    if "approx" in i.modifiers and i.type == "f64":
        float_result(e, i, f"w2w_rcp_ftz_f64({a})")
    elif rounding:
        float_result(e, i, f"w2w_div_{i.type}({one},{a},{rounding})")
    else:
        float_result(e, i, f"{one}/{a}")


def square_root(e: FunctionEmitter, i: Instruction) -> None:
    a, rounding = float_value(e, i, i.operands[1]), directed_rounding(i)
    if rounding:
        float_result(e, i, f"w2w_sqrt_{i.type}({a},{rounding})")
    else:
        float_result(e, i, f"__builtin_sqrt{'f' if i.type == 'f32' else ''}({a})")


def reciprocal_square_root(e: FunctionEmitter, i: Instruction) -> None:
    float_result(e, i, f"w2w_rsqrt_{i.type}({float_value(e, i, i.operands[1])})")


def approximate(e: FunctionEmitter, i: Instruction) -> None:
    float_result(e, i, f"w2w_{i.opcode}_f32({float_value(e, i, i.operands[1])})")


def _sign_bit(i: Instruction) -> str:
    return "0x80000000u" if i.type == "f32" else "0x8000000000000000ul"


def _flushed_bits(e: FunctionEmitter, i: Instruction) -> str:
    bits = e.value(i.operands[1], i.type)
    return f"bits_f32(flush_f32(as_f32({bits})))" if "ftz" in i.modifiers else bits


def _change_sign(e: FunctionEmitter, i: Instruction, operation: str) -> None:
    """Of an f32 NaN the result is the canonical one; an f64 NaN keeps its sign when it is negated."""
    e.emit(f"{UNSIGNED[BYTES[i.type]]} a={_flushed_bits(e, i)};")
    changed = f"a{operation}{_sign_bit(i)}"
    if i.type == "f32":
        e.assign(i.operands[0], f"(a&0x7fffffffu)>0x7f800000u?0x7fffffffu:({changed})")
    elif operation == "^":
        e.assign(i.operands[0], f"(a&0x7ffffffffffffffful)>0x7ff0000000000000ul?a:({changed})")
    else:
        e.assign(i.operands[0], changed)


def absolute_float(e: FunctionEmitter, i: Instruction) -> None:
    _change_sign(e, i, "&~")


def negate_float(e: FunctionEmitter, i: Instruction) -> None:
    _change_sign(e, i, "^")


def _extreme(e: FunctionEmitter, i: Instruction, name: str) -> None:
    if len(i.operands) != 3:
        raise UnsupportedInstructionError("three inputs need sm_100")
    c_type = "float" if i.type == "f32" else "double"
    a, b = (float_value(e, i, operand) for operand in i.operands[1:3])
    e.emit(f"{c_type} a={a},b={b};")
    function = f"{name}_nan_{i.type}" if "NaN" in i.modifiers else f"{name}_{i.type}"
    if "xorsign" in i.modifiers:
        e.assign(
            i.operands[0],
            f"bits_f32(xor_sign_f32({function}(as_f32(bits_f32(a)&0x7fffffffu),as_f32(bits_f32(b)&0x7fffffffu)),a,b))",
        )
    else:
        float_result(e, i, f"{function}(a,b)")


def minimum_float(e: FunctionEmitter, i: Instruction) -> None:
    _extreme(e, i, "min")


def maximum_float(e: FunctionEmitter, i: Instruction) -> None:
    _extreme(e, i, "max")


def copy_sign(e: FunctionEmitter, i: Instruction) -> None:
    sign = _sign_bit(i)
    a, b = e.value(i.operands[1], i.type), e.value(i.operands[2], i.type)
    e.assign(i.operands[0], f"({a}&{sign})|({b}&~{sign})")


def test_property(e: FunctionEmitter, i: Instruction) -> None:
    kind = "float" if i.type == "f32" else "double"
    e.emit(f"{kind} a=as_{i.type}({e.value(i.operands[1], i.type)});")
    tests = {
        "finite": "a-a==0",
        "infinite": "a==a&&a-a!=0",
        "number": "a==a",
        "notanumber": "a!=a",
        "normal": f"is_normal_{i.type}(a)",
        "subnormal": f"is_subnormal_{i.type}(a)",
    }
    e.assign(i.operands[0], tests[i.modifiers[0]])
