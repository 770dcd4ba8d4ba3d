"""What each instruction does to one lane: its C text as the scalar generator has it, and the registers in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..call_frame import layout_parameters
from ..emitter import FunctionEmitter, Semantics
from ..errors import NotVectorisedError, UnsupportedInstructionError
from ..instruction_table import find_row
from ..names import Names
from ..program import Program
from ..reachability import Key
from ..shared_layout import SharedLayout
from ..sites import READ, Sites
from ..syntax import Instruction, Register
from .inlining import InlinedKernel
from .lane_memory import LaneMemory

CARRY = Register("carry", "u32")
_CARRYING = frozenset({"add_carry", "subtract_carry", "multiply_add_carry"})


@dataclass
class Record:
    """``semantics`` is "" for an instruction that is not supported. ``reads`` holds the guard as well."""

    semantics: str
    lines: list[str] = field(default_factory=list)
    reads: set[Register] = field(default_factory=set)
    writes: set[Register] = field(default_factory=set)
    polls: bool = False


class Recorder(FunctionEmitter):
    """An emitter whose text is kept apart for each instruction. Lane ``lane_`` of a loop is the one that executes."""

    def __init__(
        self,
        key: Key,
        program: Program,
        kernel: InlinedKernel,
        names: Names,
        shared: SharedLayout,
        sites: Sites,
        semantics: dict[str, Semantics],
    ) -> None:
        super().__init__(key, program.modules[key[0]], kernel.function, names, shared, sites, semantics)
        self._program = program
        self._parameters = {v.name: offset for v, offset in layout_parameters(kernel.function)}
        self.memory = LaneMemory(kernel.function)
        self._record = Record("")

    @contextmanager
    def at(self, origin: Key) -> Iterator[None]:
        """Symbols mean what they mean in the function ``origin``."""
        before = self.key, self._module
        self.key, self._module = origin, self._program.modules[origin[0]]
        try:
            yield
        finally:
            self.key, self._module = before

    def record(self, instruction: Instruction, origin: Key) -> Record:
        self.instructions += 1
        row = find_row(instruction)
        self._record = record = Record(row.semantics if row else "")
        self._lines = record.lines
        with self.at(origin):
            try:
                if row is None:
                    raise UnsupportedInstructionError(instruction.text)
                if row.semantics in ("branch", "branch_indexed", "call"):
                    self._record_operands(instruction)
                else:
                    self._semantics[row.semantics](self, instruction)
            except (UnsupportedInstructionError, LookupError, ValueError, StopIteration):
                self._record = record = Record("")
                record.lines.append(f"w2w_unsupported(t,{self.site(instruction)});")
        if record.semantics in _CARRYING:
            record.reads.add(CARRY)
            record.writes.add(CARRY)
        if instruction.guard:
            record.reads |= record.writes
            record.reads.add(instruction.guard.predicate)
        return record

    def _record_operands(self, instruction: Instruction) -> None:
        """Control flow has no text for a single lane."""
        if instruction.opcode == "brx":
            self.value(instruction.operands[0], "u32")

    # ---- what the semantics call -------------------------------------------------------------------------

    def read(self, register: Register) -> str:
        self._record.reads.add(register)
        return self.name(register)

    def written(self, register: Register) -> str:
        self._record.writes.add(register)
        return self.name(register)

    def name(self, register: Register) -> str:
        """C name of the register: of its vector, and within a loop over lanes of one lane's value."""
        if register is CARRY:
            return "carry"
        if register.type in ("b128", "u128", "s128"):
            raise NotVectorisedError("128-bit registers")
        return self._register(register)

    def poll(self) -> None:
        if self.in_loop:
            self._record.polls = True

    def site(self, instruction: Instruction, *, size: int = 0, align: int = 0, access: int = READ) -> str:
        file = self._module.files.get(instruction.location.file, "") if instruction.location else ""
        return self._sites.add(self.key[1], instruction, file, size=size, align=align, access=access)

    def _find_symbol(self, name: str) -> tuple[str, str]:
        place = self.memory.find(name)
        if place is not None:
            return place[0], f"(u64)(locals+lane_*{self.memory.stride}ul+{place[1]})"
        if name in self._parameters and self._shared.offset(self.key, name) is None:
            return "param", f"(u64)(params+{self._parameters[name]})"
        space, text = super()._find_symbol(name)
        if space == "function":
            raise NotVectorisedError("addresses of functions")
        return space, text
