"""Lines of a function body, by what they do to the lanes of a wave; see ``strips.py``.

``emitter.py`` writes one line an LLVM instruction, with values of all 64 lanes. Most of them compute each lane from the
same lane of their operands: 16 lanes at a time give the same as 64. The other lines see whole waves, or no lanes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from .types import LANES

STRIP = 16
"""Lanes that are computed together: what one AVX-512 register holds, and a row of DPP."""

_LINE = re.compile(r"  (?:(%[\w.]+(?:, %[\w.]+)*) = )?([\w.]+)(.*)", re.DOTALL)
_VALUE = re.compile(r"%[\w.]+")
_VECTOR = re.compile(r"<(\d+) x (\w+)>")
_CONSTANT_VECTOR = re.compile(r"<(?!\d+ x )")
_HOME = re.compile(r"ptr %r\.([va]\d+)(?:,|$)")
_SCALAR_HOME = re.compile(r"ptr %r\.(?:s\d+|vcc|exec|scc|m0|[tu]\.\w+)(?:,|$)")
_INDICES = re.compile(r"<(\d+) x i32> <(.*)>$")
_NARROWED = re.compile(r"<(\d+) x |\.v(\d+)(?=[a-z])")

_ELEMENTWISE = {
    *("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem"),
    *("fadd", "fsub", "fmul", "fdiv", "fneg", "freeze"),
}
_CASTS = {"zext", "sext", "trunc", "fpext", "fptrunc", "fptosi", "fptoui", "sitofp", "uitofp", "bitcast"}
_TERMINATORS = {"br", "ret", "switch", "unreachable"}
_PURE_SCALAR = _ELEMENTWISE | _CASTS | {"icmp", "fcmp", "select", "getelementptr", "inttoptr", "ptrtoint"}
_PURE_SCALAR |= {"extractvalue"}
_PURE = _PURE_SCALAR | {"load", "insertelement", "shufflevector", "extractelement"}


class Kind(Enum):
    LANES = auto()  # each lane by itself
    TO_MASK = auto()  # <64 x i1> to i64
    FROM_MASK = auto()  # i64 to <64 x i1>
    MEMORY = auto()  # a load or store of each lane: ``lanes.load`` or ``lanes.store``
    SCALAR = auto()  # no lanes; may change places with lines about lanes
    PLACE = auto()  # the note where a fault would be
    LOAD = auto()  # a scalar load that must not change places with stores of lanes
    WHOLE = auto()  # everything else: in its place, with whole vectors
    END = auto()


@dataclass(slots=True)
class Line:
    """``type``: of the vector that it gives or stores. ``home``: the VGPR that it loads or stores whole."""

    kind: Kind
    results: tuple[str, ...]
    operation: str
    operands: tuple[str, ...]
    text: str
    type: str = ""
    home: str = ""

    @property
    def is_home_store(self) -> bool:
        return bool(self.home) and self.operation == "store"

    @property
    def is_needed_for_itself(self) -> bool:
        """Whether it has an effect, other than the store of a VGPR, which is one if somebody reads that."""
        if self.kind in (Kind.MEMORY, Kind.PLACE, Kind.END):
            return True
        return self.operation == "store" or (self.kind is Kind.WHOLE and self.operation not in _PURE)

    @property
    def is_cheap(self) -> bool:
        """Made anew where it is used, rather than kept: values of scalars, and registers in their home."""
        if self.kind is not Kind.LANES:
            return self.kind is Kind.FROM_MASK
        if self.home and self.operation == "load":
            return True
        return self.operation == "insertelement" or (
            self.operation == "shufflevector" and self.text.endswith("zeroinitializer")
        )


def parse(text: str) -> Line:
    match = _LINE.match(text)
    if match is None:
        raise ValueError(f"no line of IR: {text!r}")
    results = tuple(match[1].split(", ")) if match[1] else ()
    operation, rest = match[2], match[3]
    if operation in _TERMINATORS:
        return Line(Kind.END, results, operation, tuple(_VALUE.findall(rest)), text)
    operands = tuple(_VALUE.findall(rest))
    if operation == "lanes.place":
        return Line(Kind.PLACE, results, operation, operands, text)
    if operation.startswith("lanes."):
        return Line(Kind.MEMORY, results, operation, operands, text, f"<{LANES} x i32>" if results else "")
    vector = _VECTOR.search(rest) if operation != "getelementptr" else None
    if vector is None:
        return Line(_scalar_kind(operation, rest), results, operation, operands, text)
    kind, result_type = _vector_kind(operation, rest, vector[0])
    line = Line(kind, results, operation, operands, text, result_type)
    if kind is Kind.LANES and operation in ("load", "store"):
        home = _HOME.search(rest)
        line.home = home[1] if home else ""
    return line


def _scalar_kind(operation: str, rest: str) -> Kind:
    if operation in ("load", "store"):
        if _SCALAR_HOME.search(rest):
            return Kind.SCALAR
        if operation == "load":
            return Kind.LOAD
        return Kind.WHOLE
    if operation == "call":
        return Kind.SCALAR if "@llvm." in rest else Kind.WHOLE
    return Kind.SCALAR if operation in _PURE_SCALAR else Kind.WHOLE


def _vector_kind(operation: str, rest: str, first: str) -> tuple[Kind, str]:
    if operation == "shufflevector":
        return _shuffle_kind(rest), first
    if operation == "insertelement":
        is_splat = rest.startswith(f" {first} poison,") and rest.endswith(" 0")
        return (Kind.LANES if is_splat else Kind.WHOLE), first
    if operation == "bitcast":
        source, target = rest[1:].split(" ", 1)[0] == "i64", rest.endswith(" to i64")
        if target and "%" not in rest:
            return Kind.SCALAR, ""
        if source or target:
            return (Kind.FROM_MASK, f"<{LANES} x i1>") if source else (Kind.TO_MASK, "i64")
    if _CONSTANT_VECTOR.search(rest):
        return Kind.WHOLE, first
    if operation in _ELEMENTWISE or operation in ("load", "store"):
        return Kind.LANES, first
    if operation in _CASTS:
        return Kind.LANES, _last_vector(rest)
    if operation in ("icmp", "fcmp"):
        return Kind.LANES, f"<{LANES} x i1>"
    if operation == "select":
        return Kind.LANES, _last_vector(rest)
    if operation == "call" and rest.startswith(f" {first} @") and ("@llvm." in rest or "@w2w." in rest):
        return Kind.LANES, first
    return Kind.WHOLE, "" if operation == "extractelement" else first


def _last_vector(rest: str) -> str:
    return [match[0] for match in _VECTOR.finditer(rest)][-1]


def _shuffle_kind(rest: str) -> Kind:
    if rest.endswith("<64 x i32> zeroinitializer"):
        return Kind.LANES
    return Kind.WHOLE if _strip_indices(rest) is None else Kind.LANES


def _strip_indices(rest: str) -> str | None:
    """The indices of a shuffle for one strip, if they are the same for each and stay within it."""
    match = _INDICES.search(rest)
    if match is None or int(match[1]) != LANES:
        return None
    indices = [int(word.split()[1]) for word in match[2].split(", ")]
    if LANES in indices and "zeroinitializer, <64 x i32>" not in rest:
        return None
    pattern = [_strip_index(index, 0) for index in indices[:STRIP]]
    for lane, index in enumerate(indices):
        if pattern[lane % STRIP] is None or _strip_index(index, lane // STRIP * STRIP) != pattern[lane % STRIP]:
            return None
    return ", ".join(f"i32 {index}" for index in pattern)


def _strip_index(index: int, first: int) -> int | None:
    """``index`` among the lanes of both operands; 64 is the first lane of the second, a vector of zeros."""
    if index == LANES:
        return STRIP
    return index - first if first <= index < first + STRIP else None


def narrow(text: str) -> str:
    """A line about 64 lanes as one about a strip of them."""
    if " shufflevector " in text:
        indices = _strip_indices(text)
        if indices is not None:
            text = f"{text[: text.rindex('<64 x i32>')]}<64 x i32> <{indices}>"
    return _NARROWED.sub(_narrow_count, text)


def _narrow_count(match: re.Match[str]) -> str:
    if match[1]:
        return f"<{int(match[1]) * STRIP // LANES} x "
    return f".v{int(match[2]) * STRIP // LANES}"
