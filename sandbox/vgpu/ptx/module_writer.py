"""Writes the C source of a linked program: its functions, and tables for the engine (``thread_state.h``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .call_frame import layout_parameters
from .emitter import FunctionEmitter, Semantics
from .errors import NotVectorisedError
from .names import Names, c_string
from .program import Program
from .reachability import CallGraph, Key, Reach
from .shared_layout import SharedLayout
from .sites import Sites
from .syntax import Function
from .types import BYTES
from .variables import write_variables
from .vector.emitter import Forms, VectorEmitter, VectorKernel

_HERE = Path(__file__).parent
_SUPPORT = ("core", "integers", "video", "floats", "narrow_floats", "conversions")
_VECTOR_SUPPORT = "vectors"
_SIGNATURES = {
    True: "static inline void {name}(struct w2w_thread*restrict t,const char*restrict params)",
    False: "static void {name}(struct w2w_thread*restrict t,u8*result,u8**args)",
}
"""Device memory never holds the thread's state or the parameters, so that no store makes them be read again."""

_BLOCK_LOOP = """static void {name}_block(struct w2w_thread*restrict t,const char*restrict params){{
for(u32 z=0,n=0;z<t->ntid[2];z++)for(u32 y=0;y<t->ntid[1];y++)for(u32 x=0;x<t->ntid[0];x++,n++){{
t->tid[0]=x;t->tid[1]=y;t->tid[2]=z;t->linear=n;t->lane=n&31;t->warp=n>>5;{name}(t,params);}}}}"""


@dataclass(frozen=True)
class WrittenModule:
    """``notes``: which kernels run thread by thread although ``forms`` were there, and why."""

    text: str
    instructions: int
    notes: tuple[str, ...] = ()


@cache
def support_text(*, vector: bool = False) -> str:
    """What every module begins with: the interface to the engine and the helper functions."""
    parts = [(_HERE.parent / "cudart" / "thread_state.h").read_text(encoding="utf-8")]
    names = (*_SUPPORT, _VECTOR_SUPPORT) if vector else _SUPPORT
    parts += [(_HERE / "support" / f"{name}.h").read_text(encoding="utf-8") for name in names]
    return "\n".join(parts)


def write_module(program: Program, semantics: dict[str, Semantics], forms: Forms | None = None) -> WrittenModule:
    """The C source of ``program``. Never fails on an unknown instruction: that becomes a report when reached.

    With ``forms`` kernels run a warp at once, except those that cannot.
    """
    return _ModuleWriter(program, semantics, forms).write()


class _ModuleWriter:
    def __init__(self, program: Program, semantics: dict[str, Semantics], forms: Forms | None) -> None:
        self._program = program
        self._semantics = semantics
        self._forms = forms
        self._graph = CallGraph(program)
        self._shared = SharedLayout(program, self._graph)
        self._names = Names(program)
        self._sites = Sites()
        self._emitters: dict[Key, FunctionEmitter] = {}
        self._vectors: dict[Key, VectorKernel] = {}
        self._notes: list[str] = []

    def write(self) -> WrittenModule:
        kernels = [((d.module, d.item.name), d.item) for d in self._program.kernels() if isinstance(d.item, Function)]
        if self._forms:
            for key, _ in kernels:
                self._write_vector_kernel(key, self._forms)
        variables = write_variables(self._program, self._names)
        bodies = [self._write_function(key, function) for key, function in self._functions(kernels)]
        total = sum(emitter.instructions for emitter in self._emitters.values())
        total += sum(kernel.instructions for kernel in self._vectors.values())
        parts = [
            support_text(vector=bool(self._vectors)),
            *(f"static unsigned long {name};" for name in self._names.variables.values()),
            *self._prototypes(),
            self._sites.definition(),
            *bodies,
            *(line for kernel in self._vectors.values() for line in kernel.lines),
            *self._missing_functions(),
            *variables.lines,
            *self._kernels(kernels),
            *self._function_table(),
            self._module_record(variables.count, len(kernels)),
        ]
        return WrittenModule("\n".join(parts) + "\n", total, tuple(self._notes))

    def _write_vector_kernel(self, key: Key, forms: Forms) -> None:
        try:
            emitter = VectorEmitter(
                key, self._program, self._graph, self._names, self._shared, self._sites, self._semantics, forms
            )
            self._vectors[key] = emitter.generate()
        except NotVectorisedError as error:
            self._notes.append(f"{key[1]} runs thread by thread: {error}")

    def _functions(self, kernels: list[tuple[Key, Function]]) -> list[tuple[Key, Function]]:
        """Kernels that run thread by thread, and all functions if there is such a kernel or a pointer to a function."""
        chosen = [(key, kernel) for key, kernel in kernels if key not in self._vectors]
        if not chosen and not self._names.functions_used:
            return []
        return chosen + [
            ((index, function.name), function)
            for index, module in enumerate(self._program.modules)
            for function in module.functions.values()
            if function.body is not None and not function.is_kernel
        ]

    def _write_function(self, key: Key, function: Function) -> str:
        emitter = FunctionEmitter(
            key, self._program.modules[key[0]], function, self._names, self._shared, self._sites, self._semantics
        )
        self._emitters[key] = emitter
        body = emitter.generate()
        signature = _SIGNATURES[function.is_kernel].format(name=self._names.function(key))
        return f"/* {function.name.replace('*/', '')} */\n{signature}{body}"

    def _prototypes(self) -> list[str]:
        defined = [
            _SIGNATURES[emitter.function.is_kernel].format(name=self._names.function(key)) + ";"
            for key, emitter in self._emitters.items()
        ]
        return defined + [_SIGNATURES[False].format(name=name) + ";" for name in self._names.missing.values()]

    def _missing_functions(self) -> list[str]:
        return [
            f"{_SIGNATURES[False].format(name=c_name)}{{w2w_missing_function(t,{c_string(name)},0);}}"
            for name, c_name in self._names.missing.items()
        ]

    def _kernels(self, kernels: list[tuple[Key, Function]]) -> list[str]:
        lines, rows = [], []
        for key, kernel in kernels:
            name = self._names.function(key)
            reach = self._graph.reach(key)
            vector = self._vectors.get(key)
            if vector:
                waits = vector.waits
            else:
                waits = any(k in self._emitters and self._emitters[k].waits for k in reach.functions)
            if not waits and not vector:
                lines.append(_BLOCK_LOOP.format(name=name))
            lines += self._parameter_tables(name, kernel)
            rows.append(self._kernel_row(name, key, kernel, reach, waits))
        rows = rows or ["{0}"]
        return [*lines, "static const struct w2w_kernel kernels[]={", ",\n".join(rows), "};"]

    def _parameter_tables(self, name: str, kernel: Function) -> list[str]:
        layout = layout_parameters(kernel)
        offsets = ",".join(str(offset) for _, offset in layout) or "0"
        sizes = ",".join(str(variable.size) for variable, _ in layout) or "0"
        return [f"static const u32 {name}_offsets[]={{{offsets}}},{name}_sizes[]={{{sizes}}};"]

    def _kernel_row(self, name: str, key: Key, kernel: Function, reach: Reach, waits: bool) -> str:
        layout = layout_parameters(kernel)
        vector = self._vectors.get(key)
        size = max((offset + variable.size for variable, offset in layout), default=0)
        threads = kernel.limits.get("maxntid") or kernel.limits.get("reqntid") or (0,)
        limit = 1
        for extent in threads:
            limit *= extent
        fields = (
            c_string(kernel.name),
            "0" if vector else name if waits else f"{name}_block",
            f"{name}_warp" if vector else "0",
            size,
            len(layout),
            f"{name}_offsets",
            f"{name}_sizes",
            self._shared.static_size(key),
            self._local_bytes(reach),
            vector.warp_bytes if vector else 0,
            _estimate_registers(kernel),
            min(limit, 1 << 20),
            int(not waits),
            int(reach.recursive),
        )
        return "{" + ",".join(str(field) for field in fields) + "}"

    def _local_bytes(self, reach: Reach) -> int:
        """Upper bound: the sum over everything that may be called."""
        total = 0
        for key in reach.functions:
            function = self._program.modules[key[0]].functions.get(key[1])
            if function:
                total += sum(v.size for v in function.variables if v.space in ("local", "param"))
        return min(total, 1 << 30)

    def _function_table(self) -> list[str]:
        names = [self._names.function(k) for k, e in self._emitters.items() if not e.function.is_kernel]
        names += self._names.missing.values()
        return [f"static const w2w_device_function functions[]={{{','.join(names) or '0'}}};"]

    def _module_record(self, variables: int, kernels: int) -> str:
        functions = sum(not e.function.is_kernel for e in self._emitters.values()) + len(self._names.missing)
        return (
            "const struct w2w_module w2w_ptx_module={W2W_MODULE_VERSION,"
            f"{kernels},{variables},{functions},kernels,variables,functions}};"
        )


def _estimate_registers(kernel: Function) -> int:
    """32-bit registers that ptxas might use: it shares them, so a fraction of what the PTX declares."""
    limit = kernel.limits.get("maxnreg", (255,))[0]
    words = set()
    for statement in kernel.body or ():
        for operand in getattr(statement, "operands", ()):
            if hasattr(operand, "type") and hasattr(operand, "name"):
                words.add((operand.name, max(1, BYTES[operand.type] // 4)))
    return max(16, min(limit, 255, 10 + sum(size for _, size in words) // 4))
