"""cvt and address conversion. PTX ISA 9.7.9."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..syntax import Instruction, Vector
from ..types import BYTES, FLOATS, SIGNED, UNSIGNED
from .floats import ROUNDINGS

_INTEGRAL = {
    "rni": "W2W_ROUND_NEAREST",
    "rzi": "W2W_ROUND_ZERO",
    "rmi": "W2W_ROUND_DOWN",
    "rpi": "W2W_ROUND_UP",
}


def _types(i: Instruction) -> tuple[str, str]:
    """Destination and source type."""
    found = [m for m in i.modifiers if m in BYTES]
    if len(found) != 2:
        raise UnsupportedInstructionError("cvt needs two types")
    return found[0], found[1]


def convert(e: FunctionEmitter, i: Instruction) -> None:
    to, source = _types(i)
    if to in FLOATS and source in FLOATS:
        _float_to_float(e, i, to, source)
    elif source in FLOATS:
        _float_to_integer(e, i, to, source)
    elif to in FLOATS:
        _integer_to_float(e, i, to, source)
    else:
        _integer_to_integer(e, i, to, source)


def _rounding(i: Instruction) -> str:
    return next((ROUNDINGS[m] for m in i.modifiers if m in ROUNDINGS), "W2W_ROUND_NEAREST")


def _source_float(e: FunctionEmitter, i: Instruction, source: str) -> str:
    text = f"as_{source}({e.value(i.operands[1], source)})"
    return f"flush_f32({text})" if "ftz" in i.modifiers and source == "f32" else text


def _float_to_float(e: FunctionEmitter, i: Instruction, to: str, source: str) -> None:
    c_type = "double" if source == "f64" else "float"
    value = _source_float(e, i, source)
    integral = next((_INTEGRAL[m] for m in i.modifiers if m in _INTEGRAL), None)
    if integral:
        value = f"round_integral_{'f64' if source == 'f64' else 'f32'}({value},{integral})"
    if "sat" in i.modifiers:
        value = f"saturate_{'f64' if source == 'f64' else 'f32'}({value})"
    if "relu" in i.modifiers:
        value = f"max_nan_f32({value},0.0f)"
    e.emit(f"{c_type} f={value};")
    e.assign(i.operands[0], _narrow(i, to, source))


def _narrow(i: Instruction, to: str, source: str) -> str:
    rounding = _rounding(i)
    nearest = rounding == "W2W_ROUND_NEAREST"
    if to == "f64":
        # With .ftz a NaN is the canonical one of f32.
        ftz = "ftz" in i.modifiers and source == "f32"
        return "result_f64(f!=f?as_f32(0x7fffffffu):f)" if ftz else "result_f64(f)"
    if to == "f32":
        if source == "f64" and not nearest:
            text = f"w2w_f64_to_f32(f,{rounding})"
        else:
            text = "(float)f"
        text = f"flush_f32({text})" if "ftz" in i.modifiers else text
        # From f64 and bf16 a NaN keeps its payload.
        return f"bits_f32({text})" if source in ("f64", "bf16") and "sat" not in i.modifiers else f"result_f32({text})"
    if to == "f16" and source == "f64":
        return f"round_f16_from_f64(f,{rounding})"
    text = f"result_{to}(f)" if nearest and source != "f64" else f"round_{to}(f,{rounding})"
    return f"finite_{to}({text})" if "satfinite" in i.modifiers else text


def _float_to_integer(e: FunctionEmitter, i: Instruction, to: str, source: str) -> None:
    integral = next((_INTEGRAL[m] for m in i.modifiers if m in _INTEGRAL), "W2W_ROUND_ZERO")
    bits = 8 * BYTES[to]
    e.emit(f"double f=round_integral_f64({_source_float(e, i, source)},{integral});")
    nan = f"{1 << (bits - 1)}ul" if source == "f64" or bits == 64 else "0"
    function = "to_signed" if to.startswith("s") else "to_unsigned"
    _assign_extended(e, i, to, f"{function}(f,{bits},{nan})")


def _integer_to_float(e: FunctionEmitter, i: Instruction, to: str, source: str) -> None:
    sign = "s" if source.startswith("s") else "u"
    rounding = _rounding(i)
    e.emit(f"{sign}64 n={e.typed(i.operands[1], source)};")
    nearest = rounding == "W2W_ROUND_NEAREST"
    if to in ("f32", "f64"):
        value = f"({'float' if to == 'f32' else 'double'})n" if nearest else f"w2w_{sign}64_to_{to}(n,{rounding})"
        e.assign(i.operands[0], f"result_{to}({f'saturate_{to}({value})' if 'sat' in i.modifiers else value})")
        return
    # More than 53 bits: keep what is cut off as one odd bit, so that the rounding to come sees it.
    e.emit(f"u64 magnitude={'n<0?-(u64)n:(u64)n' if sign == 's' else 'n'};")
    e.emit("if(magnitude>>53)magnitude=(magnitude&~0xffful)|((magnitude&0xfff)?0x1000ul:0);")
    e.emit(f"double f={'n<0?-(double)magnitude:' if sign == 's' else ''}(double)magnitude;")
    e.assign(i.operands[0], f"round_{to}(f,{rounding})")


def _integer_to_integer(e: FunctionEmitter, i: Instruction, to: str, source: str) -> None:
    value = e.typed(i.operands[1], source)
    if "sat" in i.modifiers:
        bits = 8 * BYTES[to]
        if to.startswith("s"):
            low, high = f"(-((s128){(1 << (bits - 1)) - 1}l)-1)", f"((s128){(1 << (bits - 1)) - 1}l)"
        else:
            low, high = "0", f"((s128){(1 << bits) - 1}ul)"
        value = f"clamp_s128({value},{low},{high})"
    _assign_extended(e, i, to, value)


def _assign_extended(e: FunctionEmitter, i: Instruction, to: str, value: str) -> None:
    """A register wider than the destination type gets the value sign- or zero-extended."""
    size = BYTES[to]
    wide = e.register_size(i.operands[0])
    if to.startswith("s"):
        e.assign(i.operands[0], f"({SIGNED[max(wide, size)]})({SIGNED[size]})({value})")
    else:
        e.assign(i.operands[0], f"({UNSIGNED[size]})({value})")


# ---- packed and narrow formats ---------------------------------------------------------------------------


def convert_packed(e: FunctionEmitter, i: Instruction) -> None:
    to, source = _types(i)
    if to == "tf32" and source == "f32":
        value = f"as_f32({e.value(i.operands[1], 'f32')})"
        value = f"max_nan_f32({value},0.0f)" if "relu" in i.modifiers else value
        e.assign(i.operands[0], f"to_tf32({value},{_rounding(i)})")
    elif to in ("f16x2", "bf16x2") and source == "f32":
        _pack_halves(e, i, to.removesuffix("x2"))
    elif to in ("e4m3x2", "e5m2x2") and source in ("f32", "f16x2"):
        _pack_bytes(e, i, to.removesuffix("x2"), source)
    elif to == "f16x2" and source in ("e4m3x2", "e5m2x2"):
        _unpack_bytes(e, i, source.removesuffix("x2"))
    else:
        raise UnsupportedInstructionError(i.text)


def _pack_halves(e: FunctionEmitter, i: Instruction, half: str) -> None:
    parts = []
    for operand in (i.operands[2], i.operands[1]):
        value = f"as_f32({e.value(operand, 'f32')})"
        if "relu" in i.modifiers:
            value = f"max_nan_f32({value},0.0f)"
        rounding = _rounding(i)
        nearest = rounding == "W2W_ROUND_NEAREST"
        text = f"result_{half}({value})" if nearest else f"round_{half}({value},{rounding})"
        parts.append(f"finite_{half}({text})" if "satfinite" in i.modifiers else text)
    e.assign(i.operands[0], f"(u32)(u16){parts[0]}|(u32)(u16){parts[1]}<<16")


def _pack_bytes(e: FunctionEmitter, i: Instruction, byte: str, source: str) -> None:
    if source == "f32":
        values = [f"as_f32({e.value(operand, 'f32')})" for operand in (i.operands[2], i.operands[1])]
    else:
        bits = e.value(i.operands[1], "b32")
        values = [f"as_f16((u16){bits})", f"as_f16((u16)({bits}>>16))"]
    if "relu" in i.modifiers:
        values = [f"max_nan_f32({value},0.0f)" for value in values]
    e.assign(i.operands[0], f"(u32)to_{byte}({values[0]})|(u32)to_{byte}({values[1]})<<8")


def _unpack_bytes(e: FunctionEmitter, i: Instruction, byte: str) -> None:
    bits = e.value(i.operands[1], "b16")
    e.emit(f"u16 l=from_{byte}((u8){bits}),h=from_{byte}((u8)({bits}>>8));")
    if "relu" in i.modifiers:
        e.emit("l=result_f16(max_nan_f32(as_f16(l),0.0f));h=result_f16(max_nan_f32(as_f16(h),0.0f));")
    e.assign(i.operands[0], "(u32)l|(u32)h<<16")


def convert_pack(e: FunctionEmitter, i: Instruction) -> None:
    """cvt.pack.sat.T.s32{.b32} d, a, b{, c}: both saturated to T, b in the low part, c above them."""
    to = i.modifiers[2]
    bits = 8 * BYTES[to]
    sign = int(to.startswith("s"))
    a, b = e.signed(i.operands[1], "s32"), e.signed(i.operands[2], "s32")
    mask = (1 << bits) - 1
    text = f"((u32)saturate_part({b},{bits},{sign})&{mask})|((u32)saturate_part({a},{bits},{sign})&{mask})<<{bits}"
    if len(i.operands) > 3:
        text += f"|{e.value(i.operands[3], 'b32')}<<{2 * bits}"
    e.assign(i.operands[0], text)


# ---- addresses -------------------------------------------------------------------------------------------


def convert_address(e: FunctionEmitter, i: Instruction) -> None:
    """Generic addresses are those of the host; only shared memory has a window of its own."""
    value = e.value(i.operands[1], i.type)
    if not any(m.startswith("shared") for m in i.modifiers):
        e.assign(i.operands[0], value)
    elif "to" in i.modifiers:
        e.assign(i.operands[0], f"{value}-(u64)t->shared")
    else:
        e.assign(i.operands[0], f"(u64)t->shared+(u32){value}")


def is_space(e: FunctionEmitter, i: Instruction) -> None:
    address = e.value(i.operands[1], "u64")
    space = i.modifiers[0].partition("::")[0]
    if space in ("shared", "local", "global"):
        e.assign(i.operands[0], f"is_{space}_address(t,{address})")
    else:
        e.assign(i.operands[0], f"{address}-(u64)t->params<t->param_size" if space == "param" else "0")


def map_address(e: FunctionEmitter, i: Instruction) -> None:
    """A cluster has one block here, so that every rank is the block's own."""
    e.assign(i.operands[0], e.value(i.operands[1], i.type))


def get_cta_rank(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], "0")


def move(e: FunctionEmitter, i: Instruction) -> None:
    to, source = i.operands[0], i.operands[1]
    size = BYTES[i.type]
    if isinstance(to, Vector):
        part = 8 * size // len(to.elements)
        e.emit(f"{UNSIGNED[size]} m={e.value(source, i.type)};")
        for number, element in enumerate(to.elements):
            e.assign(element, f"m>>{part * number}")
    elif isinstance(source, Vector):
        part = 8 * size // len(source.elements)
        cast, kind = UNSIGNED[size], {1: "b8", 2: "b16", 4: "b32", 8: "b64"}[part // 8]
        parts = [f"({cast}){e.value(x, kind)}<<{part * n}" for n, x in enumerate(source.elements)]
        e.assign(to, "|".join(parts))
    else:
        e.assign(to, e.value(source, i.type))
