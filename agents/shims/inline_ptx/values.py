"""Operands of PTX instructions as C++ expressions, checked against the type that the instruction reads or writes."""

from __future__ import annotations

import struct

from agents.shims.inline_ptx.errors import PtxError
from agents.shims.inline_ptx.statement import Operand as AsmArgument
from agents.shims.inline_ptx.statement import Statement
from agents.shims.inline_ptx.syntax import (
    Address,
    AsmOperand,
    Immediate,
    Instruction,
    Not,
    Operand,
    Register,
    Selected,
    Sink,
    SpecialRegister,
)
from agents.shims.inline_ptx.table import SpecialRegister as SpecialForm
from agents.shims.inline_ptx.table import load_special_registers
from agents.shims.inline_ptx.types import FLOATS, SIGNED, SIZES, UNSIGNED

MARK = "\x00"
"""Around the number of a statement's operand in a form, until it is known how the statement is written."""
_ADDRESS_SIZES = frozenset({4, 8})


class Values:
    """Writes the operands of one instruction. PtxError where an operand does not fit."""

    def __init__(self, statement: Statement, instruction: Instruction) -> None:
        self.statement = statement
        self.instruction = instruction
        self.registers: set[str] = set()
        """Names of the special registers that were read."""

    def error(self, message: str) -> PtxError:
        text = self.instruction.text
        return PtxError(f"In `{text}`: {message}.", instruction=text, offset=self.instruction.offset)

    def argument(self, operand: AsmOperand) -> AsmArgument:
        return self.statement.operands[operand.number]

    def size(self, operand: Operand) -> int | None:
        """Bytes of a register; None for what takes any size."""
        if isinstance(operand, Register):
            return operand.size
        if isinstance(operand, AsmOperand):
            return self.argument(operand).size or None
        if isinstance(operand, SpecialRegister):
            return self._special(operand).size
        return None

    def read(self, operand: Operand, kind: str, *, wide: bool = False) -> str:
        """The operand's value as type ``kind`` reads it; ``wide``: the register may be wider."""
        if isinstance(operand, Immediate):
            return self._immediate(operand, kind)
        if not isinstance(operand, (Register, AsmOperand, SpecialRegister)):
            raise self.error("an operand is not of the kind that the instruction takes")
        self._check_size(operand, kind, wide=wide)
        if isinstance(operand, SpecialRegister):
            special = self._special(operand)
            self.registers.add(special.name)
            return special.form
        return self.name(operand)

    def predicate(self, operand: Operand) -> str:
        if isinstance(operand, Not):
            return f"!{self.predicate(operand.operand)}"
        if isinstance(operand, Register) and operand.size == 0:
            return operand.name
        if isinstance(operand, Immediate) and operand.value in (0, 1) and not operand.float_size:
            return "true" if operand.value else "false"
        raise self.error("a predicate was expected")

    def target(self, operand: Operand, kind: str, *, wide: bool = False) -> str:
        """The register that takes a result of type ``kind`` (``pred`` for a predicate), empty for ``_``."""
        if isinstance(operand, Sink):
            return ""
        if isinstance(operand, AsmOperand) and not self.argument(operand).is_output:
            raise self.error(f"%{operand.number} is written but is no output")
        if not isinstance(operand, (Register, AsmOperand)):
            raise self.error("a result needs a register")
        if kind == "pred":
            if self.size(operand) != 0 or isinstance(operand, AsmOperand):
                raise self.error("a predicate was expected")
        else:
            self._check_size(operand, kind, wide=wide)
        return self.name(operand)

    def name(self, operand: Register | AsmOperand) -> str:
        if isinstance(operand, Register):
            return operand.name
        tied = self.argument(operand).tied
        return f"{MARK}{operand.number if tied is None else tied}{MARK}"

    def constant(self, operand: Operand) -> str:
        """A value that the compiler must know."""
        if isinstance(operand, Immediate) and not operand.float_size and 0 <= operand.value < 1 << 32:
            return f"{operand.value}u"
        if isinstance(operand, AsmOperand) and self.argument(operand).is_constant:
            return self.name(operand)
        raise self.error("a constant was expected")

    def address(self, operand: Operand) -> str:
        """An address in bytes, of 64 bits or of 32."""
        if not isinstance(operand, Address):
            raise self.error("an address in brackets was expected")
        base = operand.base
        if isinstance(base, Immediate) or not isinstance(base, (Register, AsmOperand)):
            raise self.error("an address must begin with a register")
        if self.size(base) not in _ADDRESS_SIZES:
            raise self.error("an address has 64 bits, or 32")
        text = self.name(base)
        if operand.offset_operand is not None:
            if not self.argument(operand.offset_operand).is_constant:
                raise self.error("an offset must be a constant")
            text += f" + {self.name(operand.offset_operand)}"
        if operand.offset:
            text += f" {'-' if operand.offset < 0 else '+'} {abs(operand.offset)}"
        return text

    def selected(self, operand: Operand) -> tuple[Operand, str, bool]:
        if isinstance(operand, Selected):
            return operand.operand, operand.selector, operand.minus
        return operand, "", False

    def _special(self, operand: SpecialRegister) -> SpecialForm:
        special = load_special_registers().get(operand.name)
        if special is None:
            raise self.error(f"the register %{operand.name} has no counterpart")
        return special

    def _check_size(self, operand: Operand, kind: str, *, wide: bool) -> None:
        size, wanted = self.size(operand), SIZES[kind]
        if size is None or size == wanted or (wide and size > wanted):
            return
        if size == 0:
            raise self.error("a predicate stands where a value was expected")
        raise self.error(f"an operand of {8 * size} bits stands where .{kind} was expected")

    def _immediate(self, operand: Immediate, kind: str) -> str:
        size = SIZES[kind]
        if operand.float_size == 0:
            if kind in FLOATS:
                raise self.error("an integer stands where a float was expected")
            low, high = -(1 << (8 * size - 1)), (1 << (8 * size)) - 1
            if not low <= operand.value <= high:
                raise self.error(f"{operand.value} does not fit .{kind}")
            return literal(operand.value, size)
        if kind not in (*FLOATS, "b32", "b64") or (not operand.decimal and operand.float_size != size):
            raise self.error(f"a float of {8 * operand.float_size} bits stands where .{kind} was expected")
        if operand.decimal and size == 4:
            return literal(_narrow(operand.value), 4)
        return literal(operand.value, size)


def literal(value: int, size: int) -> str:
    """An unsigned C++ literal with these bits."""
    value &= (1 << (8 * size)) - 1
    text = str(value) if value < 1024 else hex(value)
    return f"{text}{'ull' if size >= 8 else 'u'}"


def widened(expression: str, kind: str, size: int | None) -> str:
    """A result of type ``kind`` for a register of ``size`` bytes."""
    if size is None or size == SIZES[kind] or kind not in SIGNED:
        return expression
    return f"w2w::ptx::widen<{UNSIGNED[size]}>({expression})"


def _narrow(bits: int) -> int:
    """The f32 nearest to an f64, as bits."""
    (value,) = struct.unpack("<d", bits.to_bytes(8, "little"))
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000
