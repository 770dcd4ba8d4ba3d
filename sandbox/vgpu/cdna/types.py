"""The LLVM types of a wavefront's values: one element per lane, 64 lanes."""

from __future__ import annotations

import struct
from dataclasses import dataclass

LANES = 64


@dataclass(frozen=True)
class VectorType:
    """A per-lane type: ``name`` is LLVM's spelling of the 64-lane vector, ``suffix`` the one in intrinsic names."""

    name: str
    element: str
    bits: int
    is_float: bool
    suffix: str

    def __str__(self) -> str:
        return self.name

    @property
    def integer(self) -> VectorType:
        """The integer type of the same width."""
        return INTEGER_OF_WIDTH[self.bits]

    @property
    def registers(self) -> int:
        """32-bit registers that one value takes."""
        return max(1, self.bits // 32)


def _vector(element: str, bits: int, is_float: bool, short: str) -> VectorType:
    return VectorType(f"<{LANES} x {element}>", element, bits, is_float, f"v{LANES}{short}")


I1 = _vector("i1", 1, False, "i1")
I8 = _vector("i8", 8, False, "i8")
I16 = _vector("i16", 16, False, "i16")
I32 = _vector("i32", 32, False, "i32")
I64 = _vector("i64", 64, False, "i64")
F16 = _vector("half", 16, True, "f16")
F32 = _vector("float", 32, True, "f32")
F64 = _vector("double", 64, True, "f64")

INTEGER_OF_WIDTH = {1: I1, 8: I8, 16: I16, 32: I32, 64: I64}

VECTOR_TYPES = {
    "f16": F16,
    "f32": F32,
    "f64": F64,
    **{f"{sign}{bits}": INTEGER_OF_WIDTH[bits] for sign in "iub" for bits in (8, 16, 32, 64)},
}
"""The types by the names that AMD gives them in mnemonics."""

_FLOAT_FORMAT = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def float_bits(value: float, bits: int) -> int:
    """The IEEE pattern of ``value`` in a format of ``bits`` bits."""
    pack, unpack = _FLOAT_FORMAT[bits]
    return int(struct.unpack(unpack, struct.pack(pack, value))[0])


def splat(kind: VectorType, value: int | str) -> str:
    """A constant in every lane; for float types ``value`` is LLVM's spelling of it."""
    if value == 0:
        return "zeroinitializer"
    return f"splat ({kind.element} {value})"


def lanes(kind: VectorType, values: list[int]) -> str:
    """A constant with one value per lane."""
    return "<" + ", ".join(f"{kind.element} {value}" for value in values) + ">"
