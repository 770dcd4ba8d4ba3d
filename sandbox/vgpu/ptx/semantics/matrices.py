"""Matrix instructions: the engine moves fragments and multiplies. PTX ISA 9.7.14."""

from __future__ import annotations

import re

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..syntax import Instruction, Operand, Vector
from .memory import state_space

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)\Z")
_ELEMENTS = frozenset({"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1", "s32"})


def _elements(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def _shape(i: Instruction) -> tuple[int, int, int]:
    for modifier in i.modifiers:
        match = _SHAPE.match(modifier)
        if match:
            return int(match[1]), int(match[2]), int(match[3])
    raise UnsupportedInstructionError("matrix shape")


def _words(e: FunctionEmitter, name: str, operand: Operand, kind: str) -> None:
    """Declare the lane's fragment as an array of 32-bit words."""
    elements = _elements(operand)
    if kind == "f64":
        parts = []
        for element in elements:
            value = e.value(element, "b64")
            parts += [f"(u32){value}", f"(u32)({value}>>32)"]
    else:
        parts = [e.value(element, "b32") for element in elements]
    e.emit(f"u32 {name}[]={{{','.join(parts)}}};")


def _assign_words(e: FunctionEmitter, name: str, operand: Operand, kind: str) -> None:
    for number, element in enumerate(_elements(operand)):
        if kind == "f64":
            e.assign(element, f"(u64){name}[{2 * number}]|(u64){name}[{2 * number + 1}]<<32")
        else:
            e.assign(element, f"{name}[{number}]")


def _multiply(e: FunctionEmitter, i: Instruction, types: tuple[str, str, str, str], wmma: bool) -> None:
    e.waits = True
    m, n, k = _shape(i)
    d, a, b, c = types
    layouts = [modifier for modifier in i.modifiers if modifier in ("row", "col")]
    fields = {
        "a_column": int(bool(layouts) and layouts[0] == "col"),
        "b_row": int(len(layouts) > 1 and layouts[1] == "row"),
        "bit_and": int("and" in i.modifiers),
        "saturate": int("satfinite" in i.modifiers),
        "wmma": int(wmma),
    }
    for name, operand, kind in (("a", i.operands[1], a), ("b", i.operands[2], b), ("c", i.operands[3], c)):
        _words(e, name, operand, kind)
    words = len(_elements(i.operands[0])) * (2 if d == "f64" else 1)
    kinds = ",".join(f".{name}=W2W_{kind.upper()}" for name, kind in zip("abcd", (a, b, c, d), strict=True))
    rest = ",".join(f".{name}={value}" for name, value in fields.items())
    e.emit(f"static const struct w2w_mma shape={{.m={m},.n={n},.k={k},{kinds},{rest}}};")
    e.emit(f"u32 d[{words}];w2w_matrix_multiply(t,{e.site(i)},&shape,d,a,b,c);")
    _assign_words(e, "d", i.operands[0], d)


def matrix_multiply(e: FunctionEmitter, i: Instruction) -> None:
    """mma.sync.aligned.SHAPE.LAYOUTS.D.A.B.C"""
    found = [modifier for modifier in i.modifiers if modifier in _ELEMENTS]
    # m8n8k4 on f16 is four products, one for each quad pair, with layouts of its own (PTX ISA, "mma.m8n8k4 with .f16").
    if len(found) != 4 or ("m8n8k4" in i.modifiers and found[1] == "f16"):
        raise UnsupportedInstructionError(i.text)
    _multiply(e, i, (found[0], found[1], found[2], found[3]), wmma=False)


def wmma_multiply(e: FunctionEmitter, i: Instruction) -> None:
    """wmma.mma.sync.aligned.LAYOUTS.SHAPE.D.C for f16, .D.A.B.C for the others."""
    found = [modifier for modifier in i.modifiers if modifier in _ELEMENTS]
    if len(found) == 2:
        types = (found[0], "f16", "f16", found[1])
    elif len(found) == 4:
        types = (found[0], found[1], found[2], found[3])
    else:
        raise UnsupportedInstructionError(i.text)
    _multiply(e, i, types, wmma=True)


def _fragment(e: FunctionEmitter, i: Instruction, operand: Operand) -> tuple[str, str, int]:
    """Emit the description; the state space, the element type and the number of words."""
    m, n, k = _shape(i)
    kind = i.type
    words = len(_elements(operand)) * (2 if kind == "f64" else 1)
    letter = i.modifiers[1] if i.opcode == "wmma" else "a"
    letter = "c" if letter == "d" else letter
    e.emit(
        f"static const struct w2w_fragment shape={{.m={m},.n={n},.k={k},.operand='{letter}',"
        f".element=W2W_{kind.upper()},.column_major={int('col' in i.modifiers)},.registers={words}}};"
    )
    return state_space(i), kind, words


def _fragment_address(e: FunctionEmitter, operand: Operand, space: str) -> str:
    address = e.address(operand, space)
    return f"(u64)(t->shared+{address})" if space == "shared" else address


def load_fragment(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    space, kind, words = _fragment(e, i, i.operands[0])
    stride = e.value(i.operands[2], "u32") if len(i.operands) > 2 else "0"
    address = _fragment_address(e, i.operands[1], space)
    e.emit(f"u32 d[{words}];w2w_load_fragment(t,{e.site(i, size=1, align=1)},&shape,{address},{stride},d);")
    _assign_words(e, "d", i.operands[0], kind)


def store_fragment(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    space, kind, _ = _fragment(e, i, i.operands[1])
    stride = e.value(i.operands[2], "u32") if len(i.operands) > 2 else "0"
    _words(e, "d", i.operands[1], kind)
    address = _fragment_address(e, i.operands[0], space)
    e.emit(f"w2w_store_fragment(t,{e.site(i, size=1, align=1, access=1)},&shape,{address},{stride},d);")


def _matrix_rows(e: FunctionEmitter, i: Instruction, operand: Operand, access: int) -> tuple[int, int, str]:
    """Number of 8x8 matrices, whether transposed, and the lane's row. Lanes past the last row pass any address."""
    count = int(next(modifier[1] for modifier in i.modifiers if modifier in ("x1", "x2", "x4")))
    space = state_space(i)
    address = e.address(operand, space)
    e.emit(f"char*row=0;if(t->lane<{8 * count}){{")
    place = e.site(i, size=16, align=16, access=access)
    check = "shared_pointer" if space == "shared" else "global_pointer"
    e.emit(f"row={check}(t,{address},{place},16,16);}}")
    return count, int("trans" in i.modifiers), "row"


def load_matrix(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    count, transposed, row = _matrix_rows(e, i, i.operands[1], 0)
    e.emit(f"u32 d[{count}];w2w_load_matrix(t,{e.site(i)},{count},{transposed},{row},d);")
    _assign_words(e, "d", i.operands[0], "b32")


def store_matrix(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    count, transposed, row = _matrix_rows(e, i, i.operands[0], 1)
    _words(e, "d", i.operands[1], "b32")
    e.emit(f"w2w_store_matrix(t,{e.site(i)},{count},{transposed},{row},d);")


def transpose_matrix(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    e.emit(f"u32 s={e.value(i.operands[1], 'b32')},d;w2w_transpose_matrix(t,{e.site(i)},&s,&d);")
    e.assign(i.operands[0], "d")
