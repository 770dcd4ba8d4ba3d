"""Writes LLVM IR for one function: SSA names, instructions, calls, stack memory, fields of the wave's state.

LLVM values are strings (``%t12`` or a constant). Per-lane values are 64-lane vectors, see ``types.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from .instruction import Instruction
from .module import Module
from .types import I1, VectorType, splat


@dataclass(frozen=True)
class CountedAccess:
    """A memory access that is counted at the end of its block, by the helper ``w2w_count_<space>``. ``addresses``: one
    a lane, empty where they do not matter; accesses of the same addresses whose offsets leave the same ``residue`` cost
    the same."""

    space: str
    mask: str
    addresses: str = ""
    residue: str = ""
    size: int = 4
    kind: int = 0


@dataclass
class CountedAccesses:
    """``times`` that it happens in the block; ``place`` of its addresses and ``offset`` of the first one."""

    place: str = ""
    offset: str = ""
    times: int = 0


class IrWriter:
    """``lines`` is the body so far; ``allocas`` the stack memory that it needs, by type, count and use.
    ``counted_accesses``: those of the block that are to be counted."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.lines: list[str] = []
        self.allocas: dict[tuple[str, int, int], str] = {}
        self.counted_accesses: dict[CountedAccess, CountedAccesses] = {}
        self.instruction: Instruction | None = None
        self._counter = 0
        self._temporaries = 0

    # ---- text -----------------------------------------------------------------------------------------------

    def name(self, prefix: str = "t") -> str:
        self._counter += 1
        return f"{prefix}{self._counter}"

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def value(self, text: str) -> str:
        """Emit an instruction that has a result."""
        self._counter += 1
        name = f"%t{self._counter}"
        self.lines.append(f"  {name} = {text}")
        return name

    def binary(self, operation: str, kind: VectorType | str, left: str, right: str) -> str:
        return self.value(f"{operation} {kind} {left}, {right}")

    def compare(self, predicate: str, kind: VectorType | str, left: str, right: str) -> str:
        is_float = kind.is_float if isinstance(kind, VectorType) else kind in ("float", "double", "half")
        return self.value(f"{'fcmp' if is_float else 'icmp'} {predicate} {kind} {left}, {right}")

    def select(self, condition: str, kind: VectorType, yes: str, no: str) -> str:
        return self.value(f"select {I1} {condition}, {kind} {yes}, {kind} {no}")

    def convert(self, operation: str, source: VectorType | str, value: str, target: VectorType | str) -> str:
        return value if str(source) == str(target) else self.value(f"{operation} {source} {value} to {target}")

    def invert(self, kind: VectorType, value: str) -> str:
        return self.binary("xor", kind, value, splat(kind, -1))

    def intrinsic(self, name: str, kind: VectorType, *arguments: str) -> str:
        """An overloaded intrinsic whose arguments and result are of one type."""
        return self.call(f"llvm.{name}.{kind.suffix}", str(kind), *((str(kind), value) for value in arguments))

    def call(self, name: str, result: str, *arguments: tuple[str, str]) -> str:
        self.module.declare(name, result, [kind for kind, _ in arguments])
        return self.value(f"call {result} @{name}({_arguments(arguments)})")

    def call_void(self, name: str, *arguments: tuple[str, str]) -> None:
        self.module.declare(name, "void", [kind for kind, _ in arguments])
        self.line(f"call void @{name}({_arguments(arguments)})")

    def inline(self, name: str, result: VectorType, *arguments: tuple[VectorType, str]) -> str:
        """A function of the prelude, which LLVM inlines."""
        self.module.use_prelude(name)
        return self.value(f"call {result} @w2w.{name}({_arguments(arguments)})")

    def splat(self, kind: VectorType, scalar: str) -> str:
        if not scalar.startswith("%"):
            return splat(kind, int(scalar))
        first = self.value(f"insertelement {kind} poison, {kind.element} {scalar}, i32 0")
        return self.value(f"shufflevector {kind} {first}, {kind} poison, <64 x i32> zeroinitializer")

    # ---- temporaries and helpers ------------------------------------------------------------------------------

    def start_instruction(self, instruction: Instruction) -> None:
        self.instruction = instruction
        self._temporaries = 0

    def temporary(self, kind: VectorType, count: int = 1) -> str:
        """Stack memory for ``count`` values of ``kind``, valid until the end of this instruction."""
        key = (kind.name, count, self._temporaries)
        self._temporaries += 1
        return self.allocas.setdefault(key, f"%tmp{len(self.allocas)}")

    def spill(self, kind: VectorType, *values: str) -> str:
        """Stack memory that holds ``values``."""
        place = self.temporary(kind, len(values))
        for position, value in enumerate(values):
            self.line(f"store {kind} {value}, ptr {self.element(place, kind, position)}, align 64")
        return place

    def count(self, access: CountedAccess) -> None:
        """Once more."""
        self.counted_accesses.setdefault(access, CountedAccesses()).times += 1

    def keep_for_block(self, kind: VectorType, value: str) -> str:
        """Stack memory that holds ``value`` until what was counted in the block is added up."""
        key = (kind.name, 1, -1 - len(self.counted_accesses))
        place = self.allocas.setdefault(key, f"%tmp{len(self.allocas)}")
        self.line(f"store {kind} {value}, ptr {place}, align 64")
        return place

    def element(self, place: str, kind: VectorType, position: int) -> str:
        return place if position == 0 else self.value(f"getelementptr {kind}, ptr {place}, i64 {position}")

    def element_of_masks(self, place: str, position: int) -> str:
        """The ``position``-th of several i64 in stack memory."""
        return place if position == 0 else self.value(f"getelementptr i64, ptr {place}, i64 {position}")

    def reload(self, place: str, kind: VectorType, count: int = 1) -> list[str]:
        return [
            self.value(f"load {kind}, ptr {self.element(place, kind, position)}, align 64") for position in range(count)
        ]

    def lane_helper(self, name: str, results: list[VectorType], *arguments: tuple[VectorType, str]) -> list[str]:
        """Call ``void w2w_<name>(const T *argument..., T *result...)``, all pointers to 64 elements."""
        given = [self.spill(kind, value) for kind, value in arguments]
        places = [self.temporary(kind) for kind in results]
        self.call_void(f"w2w_{name}", *(("ptr", place) for place in [*given, *places]))
        return [self.reload(place, kind)[0] for place, kind in zip(places, results, strict=True)]

    # ---- wave state ---------------------------------------------------------------------------------------------

    def wave_field(self, offset: int) -> str:
        return self.value(f"getelementptr i8, ptr %wave, i64 {offset}")

    def load_wave(self, kind: str, offset: int) -> str:
        return self.value(f"load {kind}, ptr {self.wave_field(offset)}")

    def store_wave(self, kind: str, offset: int, value: str) -> None:
        self.line(f"store {kind} {value}, ptr {self.wave_field(offset)}")

    def note_pc(self) -> None:
        """So that a fault can name this instruction."""
        assert self.instruction is not None
        self.line(f"lanes.place {self.instruction.address}")
        if self.module.flavour.watches_memory:
            self.module.sites.add(self.instruction)


def _arguments(arguments: tuple[tuple[VectorType, str], ...] | tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{kind} {value}" for kind, value in arguments)
