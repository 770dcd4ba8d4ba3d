"""What an ``asm`` template says: instructions, labels and operands, with registers resolved to their declarations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Register:
    """A register that the block declares. ``name`` is its C++ name; ``size`` is in bytes, 0 for a predicate."""

    name: str
    size: int


@dataclass(frozen=True)
class AsmOperand:
    """Operand ``number`` of the statement, ``%number`` in the template."""

    number: int


@dataclass(frozen=True)
class SpecialRegister:
    """e.g. ``tid.x``."""

    name: str


@dataclass(frozen=True)
class Immediate:
    """A literal: the value of an integer, or the bits of a float of ``float_size`` bytes (0: not a float).

    A decimal float has ``float_size`` 8; it takes the size of the operand that it stands for.
    """

    value: int
    float_size: int = 0
    decimal: bool = False


@dataclass(frozen=True)
class Address:
    """``[base + offset]``."""

    base: Operand
    offset: int = 0
    offset_operand: AsmOperand | None = None


@dataclass(frozen=True)
class Vector:
    elements: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """``first|second``: two results."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Not:
    """``!predicate``."""

    operand: Operand


@dataclass(frozen=True)
class Selected:
    """A part of a register as the video instructions name it, e.g. ``r.h1`` or ``-r.b0``."""

    operand: Operand
    selector: str
    minus: bool = False


@dataclass(frozen=True)
class Sink:
    """``_``: a result that nobody wants."""


@dataclass(frozen=True)
class LabelName:
    name: str


Operand = (
    Register | AsmOperand | SpecialRegister | Immediate | Address | Vector | Pair | Not | Selected | Sink | LabelName
)


@dataclass(frozen=True)
class Instruction:
    """One statement. ``parts`` are the opcode's, e.g. ``("mad", "lo", "u32")``; ``offset`` is in the template."""

    parts: tuple[str, ...]
    operands: tuple[Operand, ...]
    text: str
    offset: int
    guard: Register | None = None
    guard_negated: bool = False


@dataclass(frozen=True)
class Label:
    name: str
    offset: int


@dataclass(frozen=True)
class Block:
    """A whole template. ``registers`` are its declarations, in order."""

    statements: tuple[Instruction | Label, ...]
    registers: tuple[Register, ...]
