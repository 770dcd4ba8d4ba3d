"""The syntax tree of a PTX module. Knows nothing of how it is executed.

Names of registers, labels and variables in a function body are unique within the function: what was declared
in an inner ``{ }`` carries ``@``, the scope's depth, a dot and the scope's number.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .types import BYTES


@dataclass(frozen=True, slots=True)
class Register:
    name: str
    type: str

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Immediate:
    """``kind`` is int, f32 or f64; ``bits`` is the two's complement or IEEE pattern (64 bits for ints)."""

    kind: str
    bits: int


@dataclass(frozen=True, slots=True)
class SpecialRegister:
    """``name`` without the percent sign, e.g. ``tid.x``."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, function, label or parameter, with a byte offset."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """``[base+offset]``; ``coordinates`` for the vector that follows in texture instructions."""

    base: Register | Symbol | Immediate
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Negated:
    operand: Register


@dataclass(frozen=True, slots=True)
class Selected:
    """Part of a register, for video instructions: ``selector`` is b0 to b3, h0, h1 or a permutation."""

    operand: Register | Immediate
    selector: str
    minus: bool = False


@dataclass(frozen=True, slots=True)
class Sink:
    """``_``: the result is not wanted."""


@dataclass(frozen=True, slots=True)
class Vector:
    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """``a|b``: two results."""

    first: Operand
    second: Operand


@dataclass(frozen=True, slots=True)
class Arguments:
    """Parenthesised results or arguments of a call."""

    names: tuple[Operand, ...]


Operand = (
    Register | Immediate | SpecialRegister | Symbol | Address | Negated | Selected | Sink | Vector | Pair | Arguments
)


@dataclass(frozen=True, slots=True)
class Guard:
    predicate: Register
    negated: bool


@dataclass(frozen=True, slots=True)
class Location:
    """A line of the CUDA source, from ``.loc``."""

    file: int
    line: int


@dataclass(slots=True)
class Instruction:
    """``opcode`` and ``modifiers`` are the dot-separated parts of what was written, e.g. ld + (global, u32)."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: list[Operand]
    guard: Guard | None
    line: int
    location: Location | None = None

    @property
    def text(self) -> str:
        return ".".join((self.opcode, *self.modifiers))

    @property
    def type(self) -> str:
        """The last modifier that is a type, which is the operation's; "" where it has none."""
        return next((modifier for modifier in reversed(self.modifiers) if modifier in BYTES), "")


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    line: int


Statement = Instruction | Label


@dataclass(frozen=True, slots=True)
class Initial:
    """One element of an initialiser: bits, or the address of a symbol (``byte`` selects one byte of it)."""

    bits: int = 0
    symbol: str = ""
    offset: int = 0
    byte: int | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """``count`` elements of ``type``; 0 for ``[]``. ``size`` and ``align`` in bytes."""

    name: str
    space: str
    type: str
    align: int
    size: int
    line: int
    linkage: str = ""
    managed: bool = False
    initial: tuple[Initial, ...] = ()
    element_size: int = 1


@dataclass(slots=True)
class Function:
    """A ``.entry`` (kernel) or ``.func``. ``body`` None: only declared."""

    name: str
    is_kernel: bool
    linkage: str
    parameters: list[Variable]
    results: list[Variable]
    line: int
    body: list[Statement] | None = None
    variables: list[Variable] = field(default_factory=list)
    branch_targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    limits: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Module:
    version: str = ""
    target: str = ""
    functions: dict[str, Function] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
