"""Which functions and shared variables a kernel may reach, and what follows for its launch."""

from __future__ import annotations

from dataclasses import dataclass, field

from .program import Definition, Program
from .syntax import Address, Arguments, Function, Instruction, Operand, Symbol, Variable, Vector

Key = tuple[int, str]
"""Index of a module and the name of a function or variable in it."""


@dataclass(slots=True)
class References:
    """What one function names: functions that it calls or takes the address of, and shared variables."""

    functions: set[Key] = field(default_factory=set)
    shared: set[Key] = field(default_factory=set)
    calls_indirectly: bool = False


def find_references(program: Program, module: int, function: Function) -> References:
    """Names in the body of ``function`` that are defined in ``program``."""
    found = References()
    own = {variable.name for variable in function.variables}
    for statement in function.body or ():
        if not isinstance(statement, Instruction):
            continue
        for operand in statement.operands:
            for name in _symbols(operand):
                if name not in own:
                    _add(found, program.find(module, name))
        if statement.opcode == "call":
            target = next((o for o in statement.operands if not isinstance(o, Arguments)), None)
            found.calls_indirectly |= not isinstance(target, Symbol)  # behind it a prototype may follow
    return found


def _add(found: References, definition: Definition | None) -> None:
    if definition is None:
        return
    key = (definition.module, definition.item.name)
    if isinstance(definition.item, Function):
        found.functions.add(key)
    elif isinstance(definition.item, Variable) and definition.item.space == "shared":
        found.shared.add(key)


def _symbols(operand: Operand) -> list[str]:
    if isinstance(operand, Symbol):
        return [operand.name]
    if isinstance(operand, Address):
        return [operand.base.name] if isinstance(operand.base, Symbol) else []
    if isinstance(operand, (Arguments, Vector)):
        elements = operand.names if isinstance(operand, Arguments) else operand.elements
        return [name for element in elements for name in _symbols(element)]
    return []


@dataclass(frozen=True)
class Reach:
    """Everything reachable from a function, itself included. ``recursive``: a call chain may have no bound."""

    functions: frozenset[Key]
    shared: frozenset[Key]
    recursive: bool


class CallGraph:
    """References of all functions, and their closure. An indirect call may reach any function of the program."""

    def __init__(self, program: Program) -> None:
        self.references: dict[Key, References] = {
            (index, function.name): find_references(program, index, function)
            for index, module in enumerate(program.modules)
            for function in module.functions.values()
        }
        self._all_functions = {
            (index, function.name)
            for index, module in enumerate(program.modules)
            for function in module.functions.values()
            if function.body is not None and not function.is_kernel
        }

    def callees(self, key: Key) -> set[Key]:
        references = self.references.get(key)
        if references is None:
            return set()
        return references.functions | (self._all_functions if references.calls_indirectly else set())

    def reach(self, key: Key) -> Reach:
        seen: set[Key] = set()
        work = [key]
        while work:
            current = work.pop()
            if current not in seen:
                seen.add(current)
                work += self.callees(current)
        shared = {name for k in seen if k in self.references for name in self.references[k].shared}
        return Reach(frozenset(seen), frozenset(shared), self._has_cycle(seen))

    def _has_cycle(self, keys: set[Key]) -> bool:
        waiting = {key: len(self.callees(key) & keys) for key in keys}
        callers: dict[Key, list[Key]] = {key: [] for key in keys}
        for key in keys:
            for callee in self.callees(key) & keys:
                callers[callee].append(key)
        ready = [key for key, count in waiting.items() if count == 0]
        done = 0
        while ready:
            done += 1
            for caller in callers[ready.pop()]:
                waiting[caller] -= 1
                if waiting[caller] == 0:
                    ready.append(caller)
        return done < len(keys)
