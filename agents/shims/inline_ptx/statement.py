"""What the translator is told of one ``asm`` statement, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field

OPERAND_SIZES = {"h": 2, "r": 4, "l": 8, "q": 16, "f": 4, "d": 8}
"""Bytes of a register by its constraint's letter."""


@dataclass(frozen=True)
class Operand:
    """An operand of the statement. ``size`` is in bytes, 0 for a constant (constraint ``n``).

    ``tied`` is the output that an input shares its register with (a constraint that is a number).
    """

    is_output: bool = False
    is_read: bool = True
    size: int = 0
    tied: int | None = None

    @property
    def is_constant(self) -> bool:
        return self.size == 0


@dataclass(frozen=True)
class Statement:
    template: str
    operands: tuple[Operand, ...] = ()
    volatile: bool = False
    clobbers_memory: bool = False


@dataclass(frozen=True)
class Used:
    """An instruction that was carried over: its fault, its PTX and what the table notes."""

    fault: str
    ptx: str
    note: str
    offset: int


@dataclass(frozen=True)
class Translation:
    """The C++ of a statement: ``pieces[0]``, the first operand's expression, ``pieces[1]``, and so on.

    Line breaks in pieces are where a reader wants them; a macro's body needs them escaped.
    """

    pieces: tuple[str, ...]
    shims: frozenset[str] = field(default_factory=frozenset)
    used: tuple[Used, ...] = ()
