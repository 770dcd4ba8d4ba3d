"""Scalar and packed video instructions. PTX ISA 9.7.19."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..syntax import Instruction, Operand, Selected
from ..types import BYTES

_FORMULAS = {
    "vadd": "a+b",
    "vsub": "a-b",
    "vabsdiff": "a>b?a-b:b-a",
    "vmin": "a<b?a:b",
    "vmax": "a>b?a:b",
}
_SECOND = {"add": "r+c", "min": "r<c?r:c", "max": "r>c?r:c"}
_LANE_OPERATIONS = {
    "vadd": "LANE_ADD",
    "vsub": "LANE_SUB",
    "vavrg": "LANE_AVERAGE",
    "vabsdiff": "LANE_ABSDIFF",
    "vmin": "LANE_MIN",
    "vmax": "LANE_MAX",
}


def _split(operand: Operand) -> tuple[Operand, str, bool]:
    if isinstance(operand, Selected):
        return operand.operand, operand.selector, operand.minus
    return operand, "", False


def _part(selector: str) -> tuple[int, int]:
    """Shift and width in bits of b0 to b3, h0, h1; the whole register for none."""
    if selector.startswith("b") and len(selector) == 2:
        return 8 * int(selector[1]), 8
    if selector.startswith("h") and len(selector) == 2:
        return 16 * int(selector[1]), 16
    if not selector:
        return 0, 32
    raise UnsupportedInstructionError(f"selector .{selector}")


def _read(e: FunctionEmitter, operand: Operand, kind: str) -> str:
    base, selector, minus = _split(operand)
    shift, bits = _part(selector)
    text = f"select_part({e.value(base, 'b32')},{shift},{bits},{int(kind == 's32')})"
    return f"(-{text})" if minus else text


def _types(i: Instruction) -> list[str]:
    return [modifier for modifier in i.modifiers if modifier in BYTES]


def _finish(e: FunctionEmitter, i: Instruction, d_type: str) -> None:
    """Saturate ``r`` to the destination's part, then merge it into c or combine it with c."""
    result, selector, _ = _split(i.operands[0])
    shift, bits = _part(selector)
    if "sat" in i.modifiers:
        e.emit(f"r=saturate_part(r,{bits},{int(d_type == 's32')});")
    second = next((m for m in i.modifiers if m in _SECOND), None)
    if second:
        sign = "s32" if d_type == "s32" else "u32"
        e.emit(f"{{s64 c=({sign}){e.value(i.operands[3], 'b32')};r=({sign})r;r={_SECOND[second]};}}")
        e.assign(result, "r")
    elif selector:
        e.assign(result, f"merge_part(r,{e.value(i.operands[3], 'b32')},{shift},{bits})")
    else:
        e.assign(result, "r")


def video_scalar(e: FunctionEmitter, i: Instruction) -> None:
    d_type, a_type, b_type = _types(i)
    e.emit(f"s64 a={_read(e, i.operands[1], a_type)},b={_read(e, i.operands[2], b_type)};")
    if i.opcode in ("vshl", "vshr"):
        e.emit(f"b={'b&31' if 'wrap' in i.modifiers else '(u32)b>32?32:(u32)b'};")
        e.emit(f"s64 r={'a<<b' if i.opcode == 'vshl' else 'a>>b'};")
    else:
        e.emit(f"s64 r={_FORMULAS[i.opcode]};")
    _finish(e, i, d_type)


def video_multiply(e: FunctionEmitter, i: Instruction) -> None:
    """vmad: ±(a * b) ± c, optionally a * b + c + 1, shifted right by 7 or 15. Computed in 128 bits."""
    d_type, a_type, b_type = _types(i)
    c, selector, minus = _split(i.operands[3])
    if selector:
        raise UnsupportedInstructionError(i.text)
    c_text = e.signed(c, "s32") if "s32" in (a_type, b_type, d_type) else e.value(c, "u32")
    e.emit(f"s128 w=(s128){_read(e, i.operands[1], a_type)}*{_read(e, i.operands[2], b_type)};")
    e.emit(f"w+={'-' if minus else ''}(s128){c_text}{'+1' if 'po' in i.modifiers else ''};")
    shift = 7 if "shr7" in i.modifiers else 15 if "shr15" in i.modifiers else 0
    e.emit(f"w>>={shift};")
    if "sat" in i.modifiers:
        low, high = ("-2147483648l", "2147483647l") if d_type == "s32" else ("0", "4294967295l")
        e.emit(f"w=clamp_s128(w,{low},{high});")
    e.assign(i.operands[0], "w")


def video_set(e: FunctionEmitter, i: Instruction) -> None:
    types = _types(i)
    comparison = next(m for m in i.modifiers if m in ("eq", "ne", "lt", "le", "gt", "ge"))
    a, b = _read(e, i.operands[1], types[0]), _read(e, i.operands[2], types[1])
    e.emit(f"s64 r=compare_lane(COMPARE_{comparison.upper()},{a},{b});")
    _finish(e, i, "u32")


def _packed_inputs(e: FunctionEmitter, i: Instruction, lanes: int) -> tuple[str, str, str, int, Operand]:
    """C texts of a and b with their selectors applied and of c; the mask of lanes; the result."""
    bases = [_split(operand) for operand in i.operands[1:3]]
    values = [e.value(base, "b32") for base, _, _ in bases]
    parts = [
        f"gather_parts({values[0]},{values[1]},0x{selector[1:]},{lanes})" if selector else value
        for value, (_, selector, _) in zip(values, bases, strict=True)
    ]
    result, mask_text, _ = _split(i.operands[0])
    mask = sum(1 << int(digit) for digit in mask_text[1:]) if mask_text else (1 << lanes) - 1
    return parts[0], parts[1], e.value(i.operands[3], "b32"), mask, result


def video_packed(e: FunctionEmitter, i: Instruction) -> None:
    lanes = int(i.opcode[-1])
    d_type, a_type, b_type = _types(i)
    a, b, c, mask, result = _packed_inputs(e, i, lanes)
    signs = ",".join(str(int(kind == "s32")) for kind in (a_type, b_type, d_type))
    flags = f"{int('sat' in i.modifiers)},{int('add' in i.modifiers)}"
    operation = _LANE_OPERATIONS[i.opcode[:-1]]
    e.assign(result, f"packed_operation({operation},{lanes},{a},{b},{c},{mask},{signs},{flags})")


def video_packed_set(e: FunctionEmitter, i: Instruction) -> None:
    lanes = int(i.opcode[-1])
    a_type, b_type = _types(i)[:2]
    comparison = next(m for m in i.modifiers if m in ("eq", "ne", "lt", "le", "gt", "ge"))
    a, b, c, mask, result = _packed_inputs(e, i, lanes)
    signs = f"{int(a_type == 's32')},{int(b_type == 's32')},{int('add' in i.modifiers)}"
    e.assign(result, f"packed_compare(COMPARE_{comparison.upper()},{lanes},{a},{b},{c},{mask},{signs})")
