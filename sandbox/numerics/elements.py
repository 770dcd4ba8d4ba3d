"""Elements of device buffers: their types, as kernel signatures tell them, and whether two buffers hold the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sandbox.numerics.tolerances import load_tolerances

Bytes = npt.NDArray[np.uint8]
ElementType = Literal[
    "float64", "float32", "float16", "bfloat16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
    "uint64", "words",
]  # fmt: skip
"""``words``: not known; 32-bit words, which may be integers or floats."""

_STORED_AS = {"bfloat16": "uint16", "words": "uint32"}
_SPELLINGS: dict[str, ElementType] = {
    "double": "float64",
    "float": "float32",
    "__half": "float16",
    "_Float16": "float16",
    "__nv_bfloat16": "bfloat16",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "bool": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned int": "uint32",
    "unsigned": "uint32",
    "long": "int64",
    "unsigned long": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "uint16_t": "uint16",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
    "half": "float16",
    "nv_bfloat16": "bfloat16",
}
_VECTOR = re.compile(r"(u?)(char|short|int|long|longlong|float|double)[1-4]$")
_VECTOR_BASES = {"longlong": "long long"}
_PLAUSIBLE_FLOATS = (1e-30, 1e30)


@dataclass(frozen=True)
class Mismatch:
    """The first element that differs; ``index`` counts elements from the start of what was compared."""

    index: int
    expected: str
    got: str
    count: int
    is_reordering: bool = False
    """Whether both sides hold the same elements in another order."""


def named_element(name: str) -> ElementType | None:
    """The type of C++ that is spelled so: a number's or a short vector's, whose elements count. None for others."""
    if name in _SPELLINGS:
        return _SPELLINGS[name]
    vector = _VECTOR.fullmatch(name)
    if vector is None:
        return None
    base = _VECTOR_BASES.get(vector[2], vector[2])
    return _SPELLINGS[f"unsigned {base}" if vector[1] else base]


def element_size(kind: ElementType) -> int:
    """Bytes."""
    return np.dtype(_STORED_AS.get(kind, kind)).itemsize


def parameter_types(signature: str) -> tuple[ElementType | None, ...]:
    """What each parameter of a demangled signature points to; None where it is no pointer or to an unknown type."""
    return tuple(_pointee(parameter) for parameter in _split_parameters(signature))


def find_mismatch(kind: ElementType, expected: Bytes, got: Bytes) -> Mismatch | None:
    """Hold two equally long pieces of memory against each other. None if they agree."""
    stored = np.dtype(_STORED_AS.get(kind, kind))
    whole = len(expected) // stored.itemsize * stored.itemsize
    left, right = expected[:whole].view(stored), got[:whole].view(stored)
    different = left != right
    if stored.kind == "f":
        different &= ~(np.isnan(left) & np.isnan(right))
    if not different.any():
        return _tail_mismatch(expected[whole:], got[whole:], len(left))
    different[different] = _beyond_tolerance(kind, left, right, different)
    places = np.flatnonzero(different)
    if not len(places):
        return _tail_mismatch(expected[whole:], got[whole:], len(left))
    first = int(places[0])
    reordered = bool(np.array_equal(np.sort(left), np.sort(right)))
    return Mismatch(first, _text(kind, left[first]), _text(kind, right[first]), len(places), reordered)


def _tail_mismatch(expected: Bytes, got: Bytes, index: int) -> Mismatch | None:
    if np.array_equal(expected, got):
        return None
    return Mismatch(index, expected.tobytes().hex(), got.tobytes().hex(), 1)


def _beyond_tolerance(kind: ElementType, left: Any, right: Any, where: Any) -> Any:
    """For the elements that differ: whether by more than rounding explains."""
    if kind == "words":
        return _words_beyond_tolerance(left, right, where)
    tolerance = load_tolerances().elements.get(kind)
    if tolerance is None:
        return True
    with np.errstate(all="ignore"):
        a, b = _as_float64(kind, left), _as_float64(kind, right)
        finite = np.abs(a[np.isfinite(a)])
        largest = finite.max() if len(finite) else 0.0
        x, y = a[where], b[where]
        allowed = np.maximum(tolerance.relative * np.maximum(np.abs(x), np.abs(y)), tolerance.of_largest * largest)
        return ~(np.isfinite(x) & np.isfinite(y) & (np.abs(x - y) <= allowed)) & ~(np.isnan(x) & np.isnan(y))


def _words_beyond_tolerance(left: Any, right: Any, where: Any) -> Any:
    """Words count as floats where both of them look like one."""
    tolerance = load_tolerances().elements["float32"]
    low, high = _PLAUSIBLE_FLOATS
    with np.errstate(all="ignore"):
        x, y = (side[where].view(np.float32).astype(np.float64) for side in (left, right))
        sizes = (np.abs(x), np.abs(y))
        plausible = [np.isfinite(size) & ((size == 0) | ((size > low) & (size < high))) for size in sizes]
        close = np.abs(x - y) <= tolerance.relative * np.maximum(*sizes)
        return ~(plausible[0] & plausible[1] & close)


def _as_float64(kind: ElementType, values: Any) -> Any:
    if kind == "bfloat16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def _text(kind: ElementType, value: Any) -> str:
    if kind == "words":
        return f"{int(value):#010x}"
    if kind == "bfloat16":
        return f"{_as_float64(kind, np.array([value]))[0]:.4g}"
    return f"{value:.9g}" if kind == "float32" else str(value)


def _split_parameters(signature: str) -> list[str]:
    """The parameters in the last pair of parentheses, split where no bracket is open."""
    end = signature.rfind(")")
    depth, start = 0, -1
    for at in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(signature[at], 0)
        if depth == 0:
            start = at
            break
    if start < 0:
        return []
    parameters, current, depth = [], "", 0
    for character in signature[start + 1 : end]:
        depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parameters.append(current.strip())
            current = ""
        else:
            current += character
    return [*parameters, current.strip()] if current.strip() else parameters


def _pointee(parameter: str) -> ElementType | None:
    words = [
        word for word in parameter.replace("*", " * ").split() if word not in ("const", "volatile", "__restrict__")
    ]
    if words[-1:] != ["*"] or words.count("*") != 1:
        return None
    return named_element(" ".join(words[:-1]))
