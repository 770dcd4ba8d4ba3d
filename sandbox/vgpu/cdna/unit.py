"""Translates a kernel and the device functions that it may call into one LLVM module."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from . import wave_layout
from .code_object import CodeObject, Kernel
from .control_flow import FunctionGraph, discover
from .counting import CounterPlan
from .disassembly import Disassembly
from .emitter import Emitter
from .flavour import PLAIN, Flavour
from .float_mode import FloatMode
from .function_body import FunctionBody, Unsupported
from .instruction_table import Row
from .line_table import LineTable
from .mode_flow import changes_mode, find_modes
from .module import Module
from .narrowing import NarrowFunction, narrow_function
from .register_access import register_type
from .strip_loop import Access
from .strip_memory import KEEPS_REGISTERS, render_functions
from .types import I32

_INLINE_ACCESSES = 40
_INSTRUCTIONS_PER_INLINE_ACCESS = 8
"""Where more instructions access memory than one in eight, they call functions instead of being inlined: an inlined one
takes as long to compile as several others."""
_VECTOR_BYTES = 256
_SCALAR_BYTES = 8
_WAVE_FIELDS = {"vcc": wave_layout.VCC, "exec": wave_layout.EXEC, "m0": wave_layout.M0, "v0": wave_layout.V0}


@dataclass
class UnitTranslator:
    """One kernel of ``code``. After ``translate``: ``unsupported`` lists what became reports, ``used`` counts the
    mnemonics."""

    code: CodeObject
    disassembly: Disassembly
    table: dict[str, Row]
    kernel: Kernel
    flavour: Flavour = PLAIN
    lines: LineTable = LineTable()
    unsupported: list[Unsupported] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)

    @property
    def instruction_count(self) -> int:
        return self.used.total()

    def translate(self) -> str:
        """LLVM IR that defines ``i32 @w2w_kernel(ptr)``."""
        graphs = self._find_functions()
        for graph in graphs.values():
            self.used.update(i.mnemonic for block in graph.blocks.values() for i in block.instructions)
        module = Module(self.code.target, self.flavour)
        module.sites.lines = self.lines
        entry_mode = FloatMode(self.kernel.float_mode, self.kernel.ieee_mode, self.kernel.dx10_clamp)
        inner_mode = entry_mode
        if any(changes_mode(graph) for graph in graphs.values()):
            inner_mode = entry_mode.with_bits(None)
        plan = CounterPlan(self.table) if self.flavour.counters else None
        bodies: dict[int, Emitter] = {}
        skips = self.used["s_setvskip"] > 0
        for entry, graph in graphs.items():
            is_kernel = entry == self.kernel.entry
            modes = find_modes(graph, entry_mode if is_kernel else inner_mode)
            body = FunctionBody(
                module, self.table, graph, modes, is_kernel, self.kernel.vgpr_count, plan, skips_vectors=skips
            )
            bodies[entry] = body.translate()
            self.unsupported += body.unsupported
        self._render(module, bodies)
        if plan is not None:
            module.constants.append(plan.render(module.counted_accesses))
        return module.render()

    def _find_functions(self) -> dict[int, FunctionGraph]:
        """The kernel first, then every function that it may reach. A computed call may reach the functions whose
        addresses the code computes or the image holds."""
        graphs: dict[int, FunctionGraph] = {}
        known = {function.address for function in self.code.functions}
        work = [self.kernel.entry]
        while work:
            entry = work.pop()
            if entry in graphs:
                continue
            graph = graphs[entry] = discover(entry, self.disassembly.at)
            work += graph.call_targets.values()
            if any(each.computed_calls for each in graphs.values()):
                work += known & self.code.stored_addresses
                work += known & set[int]().union(*(each.addresses for each in graphs.values()))
        return graphs

    def _render(self, module: Module, bodies: dict[int, Emitter]) -> None:
        stands_alone = len(bodies) == 1 and "@w2w_dispatch" not in "".join(bodies[self.kernel.entry].lines)
        accesses = sum(
            "= lanes.load " in line or " lanes.store " in line for body in bodies.values() for line in body.lines
        )
        inline = accesses <= _INLINE_ACCESSES + self.instruction_count // _INSTRUCTIONS_PER_INLINE_ACCESS
        convention = "" if inline else f"{KEEPS_REGISTERS} "
        narrow = {entry: narrow_function(body.lines, not stands_alone, convention) for entry, body in bodies.items()}
        used = set[Access]().union(*(function.accesses for function in narrow.values()))
        module.functions += render_functions(used, inline)
        kernel = bodies.pop(self.kernel.entry)
        if stands_alone:
            module.functions.append(_standalone_kernel(kernel, narrow[self.kernel.entry], self.kernel.entry))
            return
        registers = sorted({"exec", "v0"}.union(kernel.used_registers, *(b.used_registers for b in bodies.values())))
        places, size = _lay_out(registers)
        module.functions.append(_calling_kernel(kernel, narrow[self.kernel.entry], self.kernel.entry, places, size))
        module.functions += [_device_function(body, narrow[entry], entry, places) for entry, body in bodies.items()]
        module.functions.append(_dispatch(module, list(bodies)))


def _standalone_kernel(body: Emitter, narrow: NarrowFunction, entry: int) -> str:
    """Registers are local variables. Those of scalars become values, those of vectors stay in memory."""
    scalars = {name for name in body.used_registers if not _is_vector(name)}
    registers = sorted({"exec", *scalars, *narrow.homes})
    lines = ["define i32 @w2w_kernel(ptr noalias %wave) #1 {", "entry:"]
    lines += [f"  %r.{name} = alloca {register_type(name)}, align {_alignment(name)}" for name in registers]
    initial = sorted({"exec", *scalars, *narrow.live})
    lines += [*_allocas(body, narrow), *_initial_values(initial), f"  br label %b{entry:x}", *narrow.lines, "}"]
    return "\n".join(lines) + "\n"


def _calling_kernel(body: Emitter, narrow: NarrowFunction, entry: int, places: dict[str, int], size: int) -> str:
    """Registers are in memory, where device functions find them."""
    lines = ["define i32 @w2w_kernel(ptr noalias %wave) #1 {", "entry:"]
    lines += [f"  %regs = alloca [{size} x i8], align 64", *_register_pointers(places, places)]
    lines += [*_allocas(body, narrow), *_initial_values(list(places)), f"  br label %b{entry:x}", *narrow.lines, "}"]
    return "\n".join(lines) + "\n"


def _device_function(body: Emitter, narrow: NarrowFunction, entry: int, places: dict[str, int]) -> str:
    lines = [
        f"define internal i64 @w2w_function_{entry:x}(ptr noalias %wave, ptr noalias captures(none) %regs) #2 {{",
        "entry:",
        *_register_pointers(sorted(body.used_registers), places),
        *_allocas(body, narrow),
        *_fields(),
        f"  br label %b{entry:x}",
        *narrow.lines,
        "}",
    ]
    return "\n".join(lines) + "\n"


def _dispatch(module: Module, entries: list[int]) -> str:
    """Calls the function at a code offset, which gives the offset where control goes on."""
    module.declare("w2w_unsupported", "void", ["ptr", "ptr", "i64"])
    text = module.string("call or return to an address that is no function")
    cases = " ".join(f"i64 {entry}, label %f{entry:x}" for entry in entries)
    lines = [
        "define internal i64 @w2w_dispatch(ptr noalias %wave, ptr noalias captures(none) %regs, i64 %offset) #1 {",
        "entry:",
        f"  switch i64 %offset, label %unknown [ {cases} ]",
        "unknown:",
        f"  call void @w2w_unsupported(ptr %wave, ptr {text}, i64 %offset)",
        "  ret i64 -1",
    ]
    for entry in entries:
        lines += [
            f"f{entry:x}:",
            f"  %r{entry:x} = call i64 @w2w_function_{entry:x}(ptr %wave, ptr %regs)",
            f"  ret i64 %r{entry:x}",
        ]
    return "\n".join([*lines, "}"]) + "\n"


def _is_vector(register: str) -> bool:
    return register_type(register) == str(I32)


def _alignment(register: str) -> int:
    return 64 if _is_vector(register) else 8


def _lay_out(registers: list[str]) -> tuple[dict[str, int], int]:
    """Byte offsets in the register memory: vectors first, so that they are aligned."""
    places, offset = {}, 0
    for register in sorted(registers, key=lambda name: not _is_vector(name)):
        places[register] = offset
        offset += _VECTOR_BYTES if _is_vector(register) else _SCALAR_BYTES
    return places, offset


def _register_pointers(registers: dict[str, int] | list[str], places: dict[str, int]) -> list[str]:
    return [f"  %r.{name} = getelementptr i8, ptr %regs, i64 {places[name]}" for name in registers]


def _allocas(body: Emitter, narrow: NarrowFunction) -> list[str]:
    return [
        *(f"  {place} = alloca [{count} x {kind}], align 64" for (kind, count, _), place in body.allocas.items()),
        *(f"  {place} = alloca [{size} x i8], align 64" for place, size in narrow.slots.items()),
    ]


def _fields() -> list[str]:
    """Where the wave notes its place, its code is and, if the engine counts, its counters are."""
    return [
        f"  %p.counts = getelementptr i8, ptr %wave, i64 {wave_layout.COUNTERS}",
        "  %counts = load ptr, ptr %p.counts",
        f"  %place = getelementptr i8, ptr %wave, i64 {wave_layout.PC}",
        f"  %p.code_base = getelementptr i8, ptr %wave, i64 {wave_layout.CODE_BASE}",
        "  %code_base = load i64, ptr %p.code_base",
    ]


def _initial_values(registers: list[str]) -> list[str]:
    """What a wave starts with is in its state; all other registers start at zero."""
    lines = _fields()
    for register in registers:
        kind = register_type(register)
        offset = _WAVE_FIELDS.get(register)
        if offset is None and register[0] == "s" and register[1:].isdigit():
            offset = wave_layout.SGPR + 4 * int(register[1:])
        if offset is None:
            lines.append(f"  store {kind} {'zeroinitializer' if _is_vector(register) else '0'}, ptr %r.{register}")
            continue
        lines += [
            f"  %p.{register} = getelementptr i8, ptr %wave, i64 {offset}",
            f"  %i.{register} = load {kind}, ptr %p.{register}, align {64 if _is_vector(register) else 4}",
            f"  store {kind} %i.{register}, ptr %r.{register}",
        ]
    return lines
