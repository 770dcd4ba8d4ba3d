"""A decoded instruction: mnemonic, encoding, operands and modifiers, as llvm-objdump prints them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class OperandKind(Enum):
    VECTOR = "v"
    """VGPRs, ``index`` and ``count``."""
    ACCUMULATOR = "a"
    """AGPRs, ``index`` and ``count``."""
    SCALAR = "s"
    """SGPRs, ``index`` and ``count``."""
    SPECIAL = "special"
    """A register known by ``name``: vcc, exec_lo, m0, src_shared_base, ..."""
    INTEGER = "integer"
    """An inline integer, ``value``: sign-extended to the width of the operand."""
    LITERAL = "literal"
    """A 32-bit literal, ``value``."""
    FLOAT = "float"
    """An inline float constant, ``number``."""
    OFF = "off"
    """No register: ``off``."""
    TEXT = "text"
    """Anything else, ``name``: hwreg(...), sendmsg(...), gpr_idx(...)."""
    COMPUTED = "computed"
    """A value that the translator computed: the LLVM value ``name`` of type <64 x i32> (or i64 if ``count`` is 2)."""


REGISTER_KINDS = frozenset({OperandKind.VECTOR, OperandKind.ACCUMULATOR})


@dataclass(frozen=True, slots=True)
class Operand:
    kind: OperandKind
    index: int = 0
    count: int = 1
    name: str = ""
    value: int = 0
    number: float = 0.0
    negate: bool = False
    absolute: bool = False
    sign_extend: bool = False

    @property
    def is_vector(self) -> bool:
        """Whether every lane has its own value."""
        return self.kind in REGISTER_KINDS or self.kind is OperandKind.COMPUTED

    @property
    def is_constant(self) -> bool:
        return self.kind in (OperandKind.INTEGER, OperandKind.LITERAL, OperandKind.FLOAT)


@dataclass(frozen=True, slots=True)
class Instruction:
    """``address`` and ``size`` in bytes; ``mnemonic`` is without the encoding suffix, which is ``encoding``
    (e32, e64, dpp, sdwa or empty); ``word`` is the first dword of the machine code."""

    address: int
    size: int
    mnemonic: str
    encoding: str
    operands: tuple[Operand, ...]
    modifiers: dict[str, str] = field(hash=False)
    word: int = 0
    text: str = ""

    @property
    def next_address(self) -> int:
        return self.address + self.size

    @property
    def immediate16(self) -> int:
        """SIMM16 of the SOPP and SOPK formats, signed."""
        low = self.word & 0xFFFF
        return low - 0x10000 if low & 0x8000 else low

    @property
    def branch_target(self) -> int:
        return self.next_address + 4 * self.immediate16

    def selectors(self, name: str, default: int, count: int) -> list[int]:
        """A per-operand modifier such as ``op_sel:[0,1,0]``; ``default`` where it is not given."""
        text = self.modifiers.get(name)
        given = [int(part) for part in text.strip("[]").split(",")] if text else []
        return given + [default] * (count - len(given))

    def number(self, name: str, default: int = 0) -> int:
        """A numeric modifier such as ``offset:16``."""
        text = self.modifiers.get(name)
        return default if text is None else int(text, 0)
