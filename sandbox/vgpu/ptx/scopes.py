"""Names in a function body: nested ``{ }`` scopes, register ranges, labels that are used before they stand."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import PtxSyntaxError
from .syntax import Register

_VECTOR_COMPONENTS = "xyzw"


@dataclass(slots=True)
class Scope:
    """One ``{ }``. ``suffix`` makes the names declared in it unique within the function."""

    suffix: str
    registers: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, tuple[int, str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def declare_register(self, name: str, kind: str, width: int) -> None:
        if width > 1:
            for component in _VECTOR_COMPONENTS[:width]:
                self.registers[f"{name}.{component}"] = kind
        else:
            self.registers[name] = kind

    def find_register(self, name: str) -> Register | None:
        kind = self.registers.get(name)
        if kind is None and self.ranges:
            stem = name.rstrip("0123456789")
            digits = name[len(stem) :]
            entry = self.ranges.get(stem)
            if entry and digits and len(digits) < 10 and int(digits) < entry[0]:
                kind = entry[1]
        return None if kind is None else Register(name + self.suffix, kind)


class ScopeStack:
    """The scopes that are open at the current statement, outermost first."""

    def __init__(self) -> None:
        self._count = 0
        self._open: list[Scope] = [Scope("")]

    def push(self) -> None:
        self._count += 1
        self._open.append(Scope(f"@{self.depth + 1}.{self._count}"))

    def pop(self, line: int) -> None:
        if len(self._open) == 1:
            raise PtxSyntaxError("unbalanced '}'", line)
        self._open.pop()

    @property
    def depth(self) -> int:
        return len(self._open) - 1

    @property
    def innermost(self) -> Scope:
        return self._open[-1]

    def chain(self) -> tuple[Scope, ...]:
        """The open scopes, innermost first: where a label is looked up once all are known."""
        return tuple(reversed(self._open))

    def declare_name(self, name: str) -> str:
        """Declare a variable or label; its unique name."""
        scope = self._open[-1]
        unique = name + scope.suffix
        scope.names[name] = unique
        return unique

    def find_register(self, name: str) -> Register | None:
        for scope in reversed(self._open):
            register = scope.find_register(name)
            if register is not None:
                return register
        return None

    def find_name(self, name: str) -> str:
        """The unique name of a variable declared in an open scope, else ``name`` itself (module scope)."""
        for scope in reversed(self._open):
            if name in scope.names:
                return scope.names[name]
        return name
