"""Offsets of shared variables in a block's shared memory.

What device functions use lies at the same place for every kernel, since their code is shared; what only one
kernel uses comes behind it, so that kernels do not pay for each other's variables.
"""

from __future__ import annotations

from .program import Program
from .reachability import CallGraph, Key
from .syntax import Function, Variable


def _align(offset: int, align: int) -> int:
    return (offset + align - 1) // align * align


class SharedLayout:
    def __init__(self, program: Program, graph: CallGraph) -> None:
        self._program = program
        self._graph = graph
        self._common: dict[Key, int] = {}
        self._common_size = 0
        self._own: dict[Key, dict[str, int]] = {}
        self._static: dict[Key, int] = {}
        for index, module in enumerate(program.modules):
            for function in module.functions.values():
                if not function.is_kernel and function.body is not None:
                    self._place_function(index, function)
        for definition in program.kernels():
            if isinstance(definition.item, Function):
                self._place_kernel(definition.module, definition.item)

    def offset(self, function: Key, variable: str) -> int | None:
        """Byte offset of a variable declared inside ``function``, None if it is no shared variable of it."""
        return self._own.get(function, {}).get(variable)

    def module_offset(self, function: Key, variable: Key) -> int | None:
        """Byte offset of a variable of module scope as ``function`` sees it."""
        own = self._own.get(function, {}).get(f"{variable[0]}:{variable[1]}")
        return self._common.get(variable) if own is None else own

    def static_size(self, kernel: Key) -> int:
        """Bytes of statically allocated shared memory of a kernel."""
        return self._static[kernel]

    def _variable(self, key: Key) -> Variable:
        return self._program.modules[key[0]].variables[key[1]]

    def _place_function(self, index: int, function: Function) -> None:
        key = (index, function.name)
        for name in sorted(self._graph.references[key].shared):
            variable = self._variable(name)
            if name not in self._common and variable.size:
                self._common[name] = self._common_size = _align(self._common_size, variable.align)
                self._common_size += variable.size
        own = self._own.setdefault(key, {})
        for variable in function.variables:
            if variable.space == "shared" and variable.size:
                own[variable.name] = self._common_size = _align(self._common_size, variable.align)
                self._common_size += variable.size

    def _place_kernel(self, index: int, kernel: Function) -> None:
        key = (index, kernel.name)
        reach = self._graph.reach(key)
        functions = [k for k in reach.functions if k != key and k in self._own]
        uses_common = any(self._own[k] or self._graph.references[k].shared for k in functions)
        size = self._common_size if uses_common else 0
        own = self._own.setdefault(key, {})
        for name in sorted(self._graph.references[key].shared):
            variable = self._variable(name)
            if name in self._common:
                size = max(size, self._common_size)
            elif variable.size:
                size = _align(size, variable.align)
                own[f"{name[0]}:{name[1]}"] = size
                size += variable.size
        for variable in kernel.variables:
            if variable.space == "shared" and variable.size:
                size = _align(size, variable.align)
                own[variable.name] = size
                size += variable.size
        self._static[key] = size
