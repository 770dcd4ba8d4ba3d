"""Storage of a function's ``.local`` and ``.param`` variables, its parameters and results, as C.

A function is ``void f(struct w2w_thread *t, u8 *result, u8 **args)``; a kernel ``void k(struct w2w_thread *t, const
char *params)``.
"""

from __future__ import annotations

from .syntax import Function, Register, Variable
from .types import UNSIGNED


class CallFrame:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._places: dict[str, tuple[str, str]] = {}
        self._arrays: dict[str, tuple[int, int]] = {}
        self._shared_names: dict[tuple[str, str], str] = {}
        for variable in function.variables:
            if variable.space == "local":
                self._add_array(variable, f"local{len(self._arrays)}", "local")
            elif variable.space == "param":
                # The scopes of calls follow each other: parameters of one name and depth share storage.
                stem, _, scope = variable.name.partition("@")
                depth = scope.partition(".")[0] or "0"
                name = self._shared_names.setdefault((stem, depth), f"param{len(self._shared_names)}")
                self._add_array(variable, name, "param")
        self._add_parameters()

    def find(self, name: str) -> tuple[str, str] | None:
        """State space and C expression (u64) of a local variable's address, None if there is none."""
        return self._places.get(name)

    def declarations(self) -> list[str]:
        return [f"_Alignas({align}) u8 {name}[{size}];" for name, (size, align) in self._arrays.items()]

    def load_register_parameters(self, registers: dict[Register, str]) -> list[str]:
        return [
            f"{registers[register]}=load_{UNSIGNED[variable.element_size]}(args[{index}]);"
            for index, variable in enumerate(self._function.parameters)
            if (register := Register(variable.name, variable.type)) in registers and variable.space == "reg"
        ]

    def store_register_results(self, registers: dict[Register, str]) -> list[str]:
        return [
            f"store_{UNSIGNED[variable.element_size]}(result,{registers[register]});"
            for variable in self._function.results
            if (register := Register(variable.name, variable.type)) in registers and variable.space == "reg"
        ]

    def _add_array(self, variable: Variable, name: str, space: str) -> None:
        size, align = self._arrays.get(name, (8, 16))
        self._arrays[name] = (max(size, variable.size), max(align, variable.align))
        self._places[variable.name] = (space, f"(u64){name}")

    def _add_parameters(self) -> None:
        if self._function.is_kernel:
            for variable, offset in layout_parameters(self._function):
                self._places[variable.name] = ("param", f"(u64)(params+{offset})")
            return
        for index, variable in enumerate(self._function.parameters):
            if variable.space == "param":
                self._places[variable.name] = ("param", f"(u64)args[{index}]")
        for variable in self._function.results:
            if variable.space == "param":
                self._places[variable.name] = ("param", "(u64)result")


def layout_parameters(kernel: Function) -> list[tuple[Variable, int]]:
    """The kernel's parameters with their byte offsets in the parameter buffer."""
    offset = 0
    found = []
    for variable in kernel.parameters:
        offset = (offset + variable.align - 1) // variable.align * variable.align
        found.append((variable, offset))
        offset += variable.size
    return found
