"""C names for what a program defines. They are numbers: PTX names may hold anything."""

from __future__ import annotations

from functools import cache

from .program import Definition, Program
from .reachability import Key
from .syntax import Function, Variable


class Names:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[Key, str] = {}
        self._variables: dict[Key, str] = {}
        self._callables = False
        self.missing: dict[str, str] = {}

    def function(self, key: Key) -> str:
        return self._functions.setdefault(key, f"f{len(self._functions)}")

    def variable(self, key: Key) -> str:
        """Name of the C variable that holds the device address of a PTX variable."""
        return self._variables.setdefault(key, f"g{len(self._variables)}")

    def missing_function(self, name: str) -> str:
        """Name of the C function that reports a call of the undefined function ``name``."""
        return self.missing.setdefault(name, f"missing{len(self.missing)}")

    def find(self, module: int, name: str) -> Definition | None:
        return self._program.find(module, name)

    def callable(self, module: int, name: str) -> str | None:
        """C name of the function that ``name`` means in ``module``; None if it is no function."""
        definition = self.find(module, name)
        if definition is None or isinstance(definition.item, Variable):
            return None
        if definition.item.body is None:
            return self.missing_function(name)
        self._callables = True
        return self.function((definition.module, definition.item.name))

    @property
    def functions_used(self) -> bool:
        """Somebody asked for the C name of a function other than a kernel."""
        return self._callables

    @property
    def variables(self) -> dict[Key, str]:
        return self._variables


@cache
def c_string(text: str) -> str:
    """A C string literal."""
    parts = []
    for byte in text.encode("utf-8", "replace"):
        char = chr(byte)
        parts.append(char if char.isalnum() or char in " _$.,:;+-*/()[]<>{}|=!@%#&^~'" else f"\\{byte:03o}")
    return '"' + "".join(parts) + '"'


def is_kernel(definition: Definition) -> bool:
    return isinstance(definition.item, Function) and definition.item.is_kernel
