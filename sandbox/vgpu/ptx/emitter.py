"""Generates the C code of one function: one CUDA thread at a time.

The semantics (``semantics/``) see only this class: they read operands as C expressions, assign results and
emit statements. Another generator, for whole warps at once, can offer them the same methods.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from .call_frame import CallFrame
from .errors import UnsupportedInstructionError
from .flow import build_flow_graph
from .instruction_table import find_row, special_registers
from .names import Names
from .program import Definition
from .reachability import Key
from .shared_layout import SharedLayout
from .sites import READ, Sites
from .syntax import (
    Address,
    Function,
    Immediate,
    Instruction,
    Label,
    Module,
    Negated,
    Operand,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
    Variable,
)
from .types import BYTES, SIGNED, UNSIGNED

Semantics = Callable[["FunctionEmitter", Instruction], None]


class FunctionEmitter:
    """``waits`` becomes true where a thread may have to wait for others, so that it needs a fibre."""

    def __init__(
        self,
        key: Key,
        module: Module,
        function: Function,
        names: Names,
        shared: SharedLayout,
        sites: Sites,
        semantics: dict[str, Semantics],
    ) -> None:
        self.key = key
        self.function = function
        self.names = names
        self.waits = False
        self.instructions = 0
        self._module = module
        self._shared = shared
        self._sites = sites
        self._semantics = semantics
        self._registers: dict[Register, str] = {}
        self._labels: dict[str, str] = {}
        self._lines: list[str] = []
        self._temporaries = 0
        self._frame = CallFrame(function)
        self._in_loop: set[int] = set()
        self._current = 0

    # ---- the function as a whole -------------------------------------------------------------------------

    def generate(self) -> str:
        """The body's C text, in braces."""
        body = self.function.body or []
        self._in_loop = build_flow_graph(self.function).cyclic_statements()
        for self._current, statement in enumerate(body):
            if isinstance(statement, Label):
                self._lines.append(f"{self.label(statement.name)}:;")
            else:
                self._generate_instruction(statement)
        lines = ["{", *self._frame.declarations(), *self._declare_registers(), "u32 carry=0;"]
        lines += self._frame.load_register_parameters(self._registers)
        results = self._frame.store_register_results(self._registers)
        return "\n".join([*lines, *self._lines, "leave:;", *results, "}"])

    def _declare_registers(self) -> list[str]:
        by_type: dict[str, list[str]] = {}
        for register, name in self._registers.items():
            by_type.setdefault(UNSIGNED[BYTES[register.type]], []).append(f"{name}=0")
        return [f"{kind} {','.join(names)};" for kind, names in by_type.items()]

    def _generate_instruction(self, instruction: Instruction) -> None:
        self.instructions += 1
        start, waits = len(self._lines), self.waits
        if instruction.guard:
            negation = "!" if instruction.guard.negated else ""
            self._lines.append(f"if({negation}{self._register(instruction.guard.predicate)}){{")
        else:
            self._lines.append("{")
        try:
            row = find_row(instruction)
            if row is None:
                raise UnsupportedInstructionError(instruction.text)
            self._semantics[row.semantics](self, instruction)
        except (UnsupportedInstructionError, LookupError, ValueError, StopIteration):
            # The others: operands or modifiers are fewer than the instruction has. It is reported where it stands.
            del self._lines[start + 1 :]
            self.waits = waits
            self._lines.append(f"w2w_unsupported(t,{self.site(instruction)});")
        self._lines.append("}")

    # ---- for the semantics -------------------------------------------------------------------------------

    def emit(self, line: str) -> None:
        self._lines.append(line)

    def temporary(self) -> str:
        self._temporaries += 1
        return f"x{self._temporaries}"

    def label(self, name: str) -> str:
        return self._labels.setdefault(name, f"L{len(self._labels)}")

    def site(self, instruction: Instruction, *, size: int = 0, align: int = 0, access: int = READ) -> str:
        """C expression for the place of ``instruction`` in reports."""
        file = self._module.files.get(instruction.location.file, "") if instruction.location else ""
        return self._sites.add(self.function.name, instruction, file, size=size, align=align, access=access)

    @property
    def in_loop(self) -> bool:
        """The current instruction may execute again before the function returns."""
        return self._current in self._in_loop

    def poll(self) -> None:
        """In a loop, what is read here may be what another thread has yet to write: let the others run."""
        if self.in_loop or not self.function.is_kernel:
            self.waits = True
            self.emit("poll(t);")

    def value(self, operand: Operand, kind: str) -> str:
        """The operand's bits as an unsigned C expression of the size of type ``kind``."""
        size = BYTES[kind]
        cast = UNSIGNED[size]
        if isinstance(operand, Register):
            name = self.read(operand)
            return name if BYTES[operand.type] == size else f"(({cast}){name})"
        if isinstance(operand, Immediate):
            return f"(({cast}){immediate_text(operand, kind)})"
        if isinstance(operand, SpecialRegister):
            return f"(({cast}){self._special(operand.name)})"
        if isinstance(operand, Negated):
            return f"((u8)!{self.read(operand.operand)})"
        if isinstance(operand, Symbol):
            return f"(({cast}){self._symbol_address(operand)[1]})"
        raise UnsupportedInstructionError("operand")

    def signed(self, operand: Operand, kind: str) -> str:
        """As ``value``, signed."""
        return f"(({SIGNED[BYTES[kind]]}){self.value(operand, kind)})"

    def typed(self, operand: Operand, kind: str) -> str:
        """As ``value``, signed where type ``kind`` is."""
        return self.signed(operand, kind) if kind.startswith("s") else self.value(operand, kind)

    def register_size(self, operand: Operand) -> int:
        """Bytes of a result register; of the widest value for ``_``."""
        return BYTES[operand.type] if isinstance(operand, Register) else 8

    def assign(self, operand: Operand, expression: str) -> None:
        """Store into a register, cut to its size."""
        if isinstance(operand, Sink):
            self.emit(f"(void)({expression});")
            return
        if not isinstance(operand, Register):
            raise UnsupportedInstructionError("result operand")
        self.emit(f"{self.written(operand)}=({UNSIGNED[BYTES[operand.type]]})({expression});")

    def address(self, operand: Operand, space: str) -> str:
        """A memory operand's address as C: an offset (u32) in space ``shared``, else a u64."""
        if not isinstance(operand, Address):
            raise UnsupportedInstructionError("address operand")
        base, offset = operand.base, f"+({operand.offset}l)" if operand.offset else ""
        if isinstance(base, Register):
            text = self.read(base)
        elif isinstance(base, Immediate):
            text = f"{base.bits}ul"
        else:
            found, text = self._symbol_address(base)
            if (found == "shared") != (space == "shared"):
                raise UnsupportedInstructionError("address of a variable in another state space")
        return f"((u32)({text}{offset}))" if space == "shared" else f"((u64)({text}{offset}))"

    def pointer(
        self, instruction: Instruction, operand: Operand, space: str, size: int, align: int, access: int
    ) -> str:
        """Emit the check of an access; the name of the ``char *`` that it may use."""
        address = self.address(operand, space)
        name = self.temporary()
        if space in ("param", "local"):
            self.emit(f"char*{name}=(char*){address};")
            return name
        place = self.site(instruction, size=size, align=align, access=access)
        check = "shared_pointer" if space == "shared" else "global_pointer"
        self.emit(f"char*{name}={check}(t,{address},{place},{size},{align});")
        return name

    def callee(self, name: str) -> str | None:
        """C name of the function ``name``; None if there is no such function."""
        return self.names.callable(self.key[0], name)

    # ---- names -------------------------------------------------------------------------------------------

    def read(self, register: Register) -> str:
        """C name of a register that is read here."""
        return self._register(register)

    def written(self, register: Register) -> str:
        """C name of a register that is written here."""
        return self._register(register)

    def _register(self, register: Register) -> str:
        return self._registers.setdefault(register, f"v{len(self._registers)}")

    def _special(self, name: str) -> str:
        entry = special_registers().get(name)
        if entry is None:
            raise UnsupportedInstructionError(f"%{name}")
        return entry[0]

    def _symbol_address(self, symbol: Symbol) -> tuple[str, str]:
        """State space and C expression (u64) of a symbol's address."""
        space, text = self._find_symbol(symbol.name)
        return space, f"({text}+({symbol.offset}l))" if symbol.offset else text

    def _find_symbol(self, name: str) -> tuple[str, str]:
        offset = self._shared.offset(self.key, name)
        if offset is not None:
            return "shared", f"(u64){offset}"
        local = self._frame.find(name)
        if local is not None:
            return local
        definition = self.names.find(self.key[0], name)
        if definition is None:
            raise UnsupportedInstructionError(f"undefined {name}")
        if isinstance(definition.item, Variable):
            return self._module_variable(definition, definition.item)
        if definition.item.is_kernel:
            return "function", "(u64)0"  # only dynamic parallelism takes a kernel's address
        return "function", f"(u64)&{self.callee(name)}"

    def _module_variable(self, definition: Definition, variable: Variable) -> tuple[str, str]:
        key = (definition.module, variable.name)
        if variable.space != "shared":
            return "global", self.names.variable(key)
        if variable.size == 0:
            return "shared", "(u64)t->dynamic_shared"
        offset = self._shared.module_offset(self.key, key)
        if offset is None:
            raise UnsupportedInstructionError(f"shared variable {variable.name}")
        return "shared", f"(u64){offset}"


def immediate_text(operand: Immediate, kind: str) -> str:
    """C literal of the bits that the immediate has as type ``kind``."""
    size = BYTES[kind]
    if operand.kind == "f64" and size == 4:  # a decimal literal in a single-precision instruction
        value = struct.unpack("<d", struct.pack("<Q", operand.bits))[0]
        return f"{struct.unpack('<I', struct.pack('<f', value))[0]}u"
    if operand.kind == "f32" and size == 8 and kind == "f64":
        value = struct.unpack("<f", struct.pack("<I", operand.bits))[0]
        return f"{struct.unpack('<Q', struct.pack('<d', value))[0]}ul"
    if kind == "pred":
        return str(int(operand.bits != 0))
    return f"{operand.bits & ((1 << 8 * min(size, 8)) - 1)}ul"
