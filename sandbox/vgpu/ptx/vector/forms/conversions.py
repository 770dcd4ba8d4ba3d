"""cvt, mov and address conversion. PTX ISA 9.7.9."""

from __future__ import annotations

from ...syntax import Instruction, Register, Vector
from ...types import BYTES, FLOATS
from ..emitter import NoVectorFormError, VectorEmitter

_PLAIN_FLOATS = ("f32", "f64")


def convert(e: VectorEmitter, i: Instruction) -> None:
    types = [m for m in i.modifiers if m in BYTES]
    if len(types) != 2:
        raise NoVectorFormError
    to, source = types
    if to in FLOATS and source in FLOATS:
        _float_to_float(e, i, to, source)
    elif source in FLOATS:
        _float_to_integer(e, i, to, source)
    elif to in FLOATS:
        _integer_to_float(e, i, to, source)
    else:
        _integer_to_integer(e, i, to, source)


def _only(i: Instruction, *allowed: str) -> None:
    if any(m not in BYTES and m not in allowed for m in i.modifiers):
        raise NoVectorFormError


def _float_to_float(e: VectorEmitter, i: Instruction, to: str, source: str) -> None:
    _only(i, "rn")
    value = e.value(i.operands[1], source)
    if (to, source) == ("f64", "f32"):
        e.assign(i.operands[0], f"convert((F4){value},F8)", 8)
    elif (to, source) == ("f32", "f64"):
        e.assign(i.operands[0], f"convert((F8){value},F4)", 4)
    elif (to, source) == ("f32", "f16"):
        e.assign(i.operands[0], f"canonical_f32(convert((F2){value},F4))", 4)
    elif (to, source) == ("f16", "f32"):
        e.emit(f"F4 f=(F4){value};")
        e.assign(i.operands[0], "blend(mask_of(f!=f),(V2)(0x7fff),(V2)convert(f,F2))", 2)
    else:
        raise NoVectorFormError


def _float_to_integer(e: VectorEmitter, i: Instruction, to: str, source: str) -> None:
    """To 32 bits, cut off; NaN from f32 gives 0, from f64 the sign bit; what is out of range the nearest limit."""
    _only(i, "rzi")
    if to not in ("s32", "u32") or source not in _PLAIN_FLOATS or "rzi" not in i.modifiers:
        raise NoVectorFormError
    value = e.value(i.operands[1], source)
    e.emit(f"F8 f={f'convert((F4){value},F8)' if source == 'f32' else f'(F8){value}'};")
    e.emit("u32 nan=mask_of(f!=f);f=blend(nan,(F8)(0.0),f);")
    low, high = ("-2147483648.0", "2147483647.0") if to == "s32" else ("0.0", "4294967295.0")
    e.emit(f"f=blend(mask_of(f<(F8)({low})),(F8)({low}),f);f=blend(mask_of(f>(F8)({high})),(F8)({high}),f);")
    text = "(V4)convert(f,S4)" if to == "s32" else "convert(convert(f,S8),V4)"
    default = "0u" if source == "f32" else "0x80000000u"
    e.assign(i.operands[0], f"blend(nan,(V4)({default}),{text})", 4)


def _integer_to_float(e: VectorEmitter, i: Instruction, to: str, source: str) -> None:
    _only(i, "rn")
    if to not in _PLAIN_FLOATS:
        raise NoVectorFormError
    size = BYTES[to]
    e.assign(i.operands[0], f"convert({e.typed(i.operands[1], source)},F{size})", size)


def _integer_to_integer(e: VectorEmitter, i: Instruction, to: str, source: str) -> None:
    """A register wider than the destination type gets the value sign- or zero-extended."""
    _only(i)
    result = i.operands[0]
    if not isinstance(result, Register) or result.type == "pred":
        raise NoVectorFormError
    letter = "S" if to.startswith("s") else "V"
    value = e.typed(i.operands[1], source)
    size, wide = BYTES[to], max(BYTES[result.type], BYTES[to])
    if BYTES[source] != size or source[0] != to[0]:
        value = f"convert({value},{letter}{size})"
    if wide != size:
        value = f"convert({value},{letter}{wide})"
    e.assign(result, value, wide)


def convert_address(e: VectorEmitter, i: Instruction) -> None:
    value, size = e.value(i.operands[1], i.type), BYTES[i.type]
    if not any(m.startswith("shared") for m in i.modifiers):
        e.assign(i.operands[0], value, size)
    elif "to" in i.modifiers:
        e.assign(i.operands[0], f"{value}-(V{size})(({'u64' if size == 8 else 'u32'})(u64)t->shared)", size)
    elif size == 8:
        e.assign(i.operands[0], f"(V8)((u64)t->shared)+({value}&0xfffffffful)", size)
    else:
        raise NoVectorFormError


def move(e: VectorEmitter, i: Instruction) -> None:
    to, source, size = i.operands[0], i.operands[1], BYTES[i.type]
    if size > 8:
        raise NoVectorFormError
    if i.type == "pred":
        e.assign_bits(to, e.bits_of(source))
    elif isinstance(to, Vector):
        _unpack(e, i, to)
    elif isinstance(source, Vector):
        _pack(e, i, source)
    else:
        e.assign(to, e.value(source, i.type), size)


def _unpack(e: VectorEmitter, i: Instruction, to: Vector) -> None:
    size, part = BYTES[i.type], BYTES[i.type] // len(to.elements)
    e.emit(f"V{size} m_={e.value(i.operands[1], i.type)};")
    for number, element in enumerate(to.elements):
        e.assign(element, f"convert(m_>>(V{size})({8 * part * number}),V{part})", part)


def _pack(e: VectorEmitter, i: Instruction, source: Vector) -> None:
    size = BYTES[i.type]
    part = size // len(source.elements)
    kind = {1: "b8", 2: "b16", 4: "b32"}[part]
    parts = [
        f"(convert({e.value(element, kind)},V{size})<<(V{size})({8 * part * number}))"
        for number, element in enumerate(source.elements)
    ]
    e.assign(i.operands[0], "|".join(parts), size)
