"""Reads and writes the wave's registers, keeping track of what each holds within a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .instruction import Instruction
from .ir_writer import IrWriter
from .module import Module
from .registers import BlockRegisters, PendingWrite
from .types import I1, I32
from .undefined_values import UndefinedValues, is_shadow, shadow_type


class RegisterAccess(IrWriter):
    """``exec_override``: an EXEC narrower than the register's, for instructions that disable further lanes (DPP)."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self.used_registers: set[str] = set()
        self.registers = BlockRegisters()
        self.exec_override: str | None = None
        self.undefined = UndefinedValues(self) if module.flavour.checks else None

    def start_instruction(self, instruction: Instruction) -> None:
        super().start_instruction(instruction)
        self.exec_override = None
        if self.undefined is not None:
            self.undefined.start_instruction(instruction)

    # ---- whole registers ------------------------------------------------------------------------------------------

    def home(self, register: str) -> str:
        self.used_registers.add(register)
        return f"%r.{register}"

    def read_register(self, register: str) -> str:
        """The value in all lanes (or the scalar value), which an instruction uses."""
        self.note_read(register)
        return self.value_of(register)

    def note_read(self, *registers: str) -> None:
        """The instruction uses these registers."""
        if self.undefined is not None:
            for register in registers:
                self.undefined.note_read(register)

    @contextmanager
    def unnoticed(self) -> Iterator[None]:
        """What is read in here is kept, not used: the rest of a register that is written in part."""
        if self.undefined is None:
            yield
            return
        with self.undefined.unnoticed():
            yield

    def value_of(self, register: str) -> str:
        """The value in all lanes (or the scalar value), for the translator's own purposes."""
        state = self.registers
        if register in state.exact:
            return state.exact[register]
        if register in state.pending:
            write = state.pending.pop(register)
            value = self.select(self.mask_of(write.mask), I32, write.active, write.base)
        else:
            value = self.value(f"load {register_type(register)}, ptr {self.home(register)}")
        state.exact[register] = value
        return value

    def read_active(self, register: str) -> str:
        """The value of a VGPR for a reader that uses only lanes in EXEC."""
        self.note_read(register)
        write = self.registers.pending.get(register)
        if write is not None and write.mask == self.exec:
            return write.active
        return self.read_register(register)

    def write_register(self, register: str, value: str) -> None:
        """Write all lanes (or the scalar)."""
        if self.undefined is not None:
            self.undefined.note_write(register, None)
        self.set_value(register, value)

    def set_value(self, register: str, value: str) -> None:
        """As ``write_register``, for the translator's own purposes."""
        self.used_registers.add(register)
        self.registers.set_exact(register, value)

    def write_active(self, register: str, value: str) -> None:
        """Write the lanes in EXEC (of the override, if there is one)."""
        self.used_registers.add(register)
        mask = self.active_mask
        if self.undefined is not None:
            self.undefined.note_write(register, mask)
        earlier = self.registers.pending.get(register)
        base = earlier.base if earlier is not None and earlier.mask == mask else self.value_of(register)
        self.registers.set_pending(register, PendingWrite(value, mask, base))

    def flush(self) -> None:
        """End of a block: store what it wrote."""
        values = {register: self.value_of(register) for register in sorted(self.registers.dirty)}
        for register, value in values.items():
            self.line(f"store {register_type(register)} {value}, ptr {self.home(register)}")
        self.registers = BlockRegisters()

    # ---- masks ----------------------------------------------------------------------------------------------------

    @property
    def exec(self) -> str:
        return self.value_of("exec")

    @property
    def active_mask(self) -> str:
        return self.exec_override if self.exec_override is not None else self.exec

    def load_lanes(self, space: str, size: str, count: int, mask: str | None, addresses: str, offset: str) -> list[str]:
        """A load of the lanes in ``mask`` (in EXEC): the ``count`` registers that it gives; see ``strip_memory.py``."""
        results = [f"%{self.name('m')}" for _ in range(count)]
        lanes = self.mask_of(mask if mask is not None else self.active_mask)
        self.line(f"{', '.join(results)} = lanes.load {space} {size} {lanes}; {addresses}; {offset}")
        return results

    def store_lanes(
        self, space: str, size: str, mask: str | None, addresses: str, offset: str, values: list[str]
    ) -> None:
        lanes = self.mask_of(mask if mask is not None else self.active_mask)
        self.line(f"lanes.store {space} {size} {lanes}; {addresses}; {offset}; {' & '.join(values)}")

    def mask_of(self, bits: str) -> str:
        """A 64-bit lane mask as <64 x i1>."""
        known = self.registers.masks.get(bits)
        if known is None:
            known = self.registers.masks[bits] = self.value(f"bitcast i64 {bits} to {I1}")
        return known


def register_type(register: str) -> str:
    """The LLVM type that a register holds."""
    if is_shadow(register):
        return shadow_type(register)
    if register[0] in "va" and register[1:].isdigit():
        return str(I32)
    return {"vcc": "i64", "exec": "i64", "scc": "i1"}.get(register, "i32")
