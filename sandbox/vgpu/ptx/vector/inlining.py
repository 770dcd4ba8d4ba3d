"""Puts the bodies of called functions into a kernel, so that its lanes may diverge and wait anywhere in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import NotVectorisedError
from ..program import Program
from ..reachability import CallGraph, Key
from ..syntax import (
    Address,
    Arguments,
    Function,
    Guard,
    Instruction,
    Label,
    Negated,
    Operand,
    Pair,
    Register,
    Selected,
    Statement,
    Symbol,
    Variable,
    Vector,
)

MAX_STATEMENTS = 40000
_WAITING = frozenset({"bar", "barrier", "shfl", "vote", "match", "redux", "elect"})
BUILTINS = frozenset({"vprintf", "malloc", "free", "__assertfail"})


@dataclass(frozen=True)
class InlinedKernel:
    """``function`` calls nothing but builtins; ``origins`` names the function that each statement comes from."""

    function: Function
    origins: list[Key]


def inline_calls(program: Program, graph: CallGraph, key: Key) -> InlinedKernel:
    """Raises NotVectorisedError for recursion, calls by pointer and kernels that would become too large."""
    reach = graph.reach(key)
    if reach.recursive:
        raise NotVectorisedError("recursion")
    if any(k in graph.references and graph.references[k].calls_indirectly for k in reach.functions):
        raise NotVectorisedError("calls through pointers")
    return _Inliner(program, key).inline()


class _Inliner:
    def __init__(self, program: Program, key: Key) -> None:
        self._program = program
        self._key = key
        kernel = program.modules[key[0]].functions[key[1]]
        self._function = replace(
            kernel, body=[], variables=list(kernel.variables), branch_targets=dict(kernel.branch_targets)
        )
        self._body: list[Statement] = []
        self._origins: list[Key] = []
        self._copies = 0

    def inline(self) -> InlinedKernel:
        kernel = self._program.modules[self._key[0]].functions[self._key[1]]
        self._copy(self._key, kernel, _Renaming(self._key[0], "", {}, None))
        self._function.body = self._body
        return InlinedKernel(self._function, self._origins)

    def _copy(self, key: Key, function: Function, names: _Renaming) -> None:
        for statement in function.body or ():
            if len(self._body) > MAX_STATEMENTS:
                raise NotVectorisedError("too many instructions")
            if isinstance(statement, Label):
                self._add(key, Label(names.label(statement.name), statement.line))
            elif statement.opcode == "call" and not self._is_builtin(key[0], statement):
                self._call(key, names, statement)
            else:
                self._copy_instruction(key, names, statement)

    def _copy_instruction(self, key: Key, names: _Renaming, statement: Instruction) -> None:
        """What may wait gets no guard: lanes that do not execute it are led around it."""
        copied = names.instruction(statement)
        if copied.guard is None or statement.opcode not in _WAITING:
            self._add(key, copied)
            return
        self._copies += 1
        self._branch_around(key, copied, copied.guard, f"around@call{self._copies}")

    def _branch_around(self, key: Key, waiting: Instruction, guard: Guard, label: str) -> None:
        skip = Guard(guard.predicate, not guard.negated)
        self._add(key, replace(waiting, opcode="bra", modifiers=(), operands=[Symbol(label)], guard=skip))
        self._add(key, replace(waiting, guard=None))
        self._add(key, Label(label, waiting.line))

    def _add(self, key: Key, statement: Statement) -> None:
        self._body.append(statement)
        self._origins.append(key)

    def _is_builtin(self, module: int, call: Instruction) -> bool:
        target = next((o for o in call.operands if isinstance(o, Symbol)), None)
        if target is None:
            raise NotVectorisedError("calls through pointers")
        if target.name in BUILTINS:
            return True
        definition = self._program.find(module, target.name)
        return definition is None or isinstance(definition.item, Variable) or definition.item.body is None

    def _call(self, key: Key, names: _Renaming, call: Instruction) -> None:
        target = next(o for o in call.operands if isinstance(o, Symbol))
        definition = self._program.find(key[0], target.name)
        if definition is None or not isinstance(definition.item, Function):
            raise NotVectorisedError(f"a call of {target.name}")
        callee = definition.item
        self._copies += 1
        suffix = f"@call{self._copies}"
        after = f"after{suffix}"
        if call.guard:
            guard = names.guard(call.guard)
            skip = Guard(guard.predicate, not guard.negated)
            self._add(key, replace(call, opcode="bra", modifiers=(), operands=[Symbol(after)], guard=skip))
        inner = _Renaming(definition.module, suffix, _bind(callee, call, names), after)
        for variable in callee.variables:
            if variable.space in ("local", "param"):
                inner.variables[variable.name] = variable.name + suffix
                self._function.variables.append(replace(variable, name=variable.name + suffix))
        for name, targets in callee.branch_targets.items():
            self._function.branch_targets[name + suffix] = tuple(t + suffix for t in targets)
        self._copy((definition.module, callee.name), callee, inner)
        self._add(key, Label(after, call.line))


def _bind(callee: Function, call: Instruction, names: _Renaming) -> dict[str, str]:
    """Parameters and results of the callee are the caller's variables."""
    before = [o for o in call.operands[: call.operands.index(_target(call))] if isinstance(o, Arguments)]
    behind = [o for o in call.operands[call.operands.index(_target(call)) + 1 :] if isinstance(o, Arguments)]
    given = [*(before[0].names if before else ()), *(behind[0].names if behind else ())]
    wanted = [*callee.results, *callee.parameters]
    if len(given) != len(wanted):
        raise NotVectorisedError("a call with other parameters than its function has")
    bound = {}
    for variable, operand in zip(wanted, given, strict=True):
        if variable.space != "param" or not isinstance(operand, Symbol) or operand.offset:
            raise NotVectorisedError("parameters in registers")
        bound[variable.name] = names.variables.get(operand.name, operand.name)
    return bound


def _target(call: Instruction) -> Operand:
    return next(o for o in call.operands if isinstance(o, Symbol))


class _Renaming:
    """New names of what one copy of a function declares. ``leave``: the label behind a copy, where it returns to."""

    def __init__(self, module: int, suffix: str, variables: dict[str, str], leave: str | None) -> None:
        self.module = module
        self.variables = variables
        self._suffix = suffix
        self._leave = leave

    def label(self, name: str) -> str:
        return name + self._suffix

    def guard(self, guard: Guard) -> Guard:
        return Guard(self._register(guard.predicate), guard.negated)

    def instruction(self, i: Instruction) -> Instruction:
        if not self._suffix:
            return i
        guard = self.guard(i.guard) if i.guard else None
        if i.opcode == "ret" and self._leave:
            return replace(i, opcode="bra", modifiers=(), operands=[Symbol(self._leave)], guard=guard)
        if i.opcode in ("bra", "brx"):
            operands = [Symbol(self.label(o.name)) if isinstance(o, Symbol) else self._operand(o) for o in i.operands]
        else:
            operands = [self._operand(o) for o in i.operands]
        return replace(i, operands=operands, guard=guard)

    def _register(self, register: Register) -> Register:
        return Register(register.name + self._suffix, register.type)

    def _operand(self, operand: Operand) -> Operand:
        if isinstance(operand, Register):
            return self._register(operand)
        if isinstance(operand, Symbol):
            return Symbol(self.variables.get(operand.name, operand.name), operand.offset)
        if isinstance(operand, Address):
            base = self._operand(operand.base)
            assert isinstance(base, type(operand.base))
            return replace(operand, base=base)
        if isinstance(operand, Negated):
            return Negated(self._register(operand.operand))
        if isinstance(operand, Selected) and isinstance(operand.operand, Register):
            return replace(operand, operand=self._register(operand.operand))
        if isinstance(operand, Vector):
            return Vector(tuple(self._operand(o) for o in operand.elements))
        if isinstance(operand, Pair):
            return Pair(self._operand(operand.first), self._operand(operand.second))
        if isinstance(operand, Arguments):
            return Arguments(tuple(self._operand(o) for o in operand.names))
        return operand
