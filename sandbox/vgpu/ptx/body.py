"""Parses function bodies into flat lists of statements with unique names."""

from __future__ import annotations

from dataclasses import replace

from .declarations import parse_variable
from .errors import PtxSyntaxError
from .numbers import parse_integer
from .operands import OperandParser
from .scopes import Scope, ScopeStack
from .syntax import (
    Arguments,
    Function,
    Guard,
    Instruction,
    Label,
    Location,
    Operand,
    Register,
    Statement,
    Symbol,
)
from .tokens import TokenStream
from .types import BYTES

MAX_REGISTERS = 1 << 24
_BRANCHES = frozenset({"bra", "brx", "call"})


def parse_body(tokens: TokenStream, function: Function) -> None:
    """Read statements up to the function's ``}`` into ``function``. Raises PtxSyntaxError."""
    _BodyParser(tokens, function).parse()


class _BodyParser:
    def __init__(self, tokens: TokenStream, function: Function) -> None:
        self._tokens = tokens
        self._function = function
        self._scopes = ScopeStack()
        self._operands = OperandParser(tokens, self._scopes)
        self._statements: list[Statement] = []
        self._location: Location | None = None
        self._unresolved: list[tuple[Instruction, tuple[Scope, ...]]] = []
        self._tables: list[tuple[str, tuple[str, ...], tuple[Scope, ...]]] = []

    def parse(self) -> None:
        for parameter in (*self._function.parameters, *self._function.results):
            if parameter.space == "reg":
                self._scopes.innermost.declare_register(parameter.name, parameter.type, 1)
        tokens = self._tokens
        while True:
            if tokens.kind == "end":
                raise tokens.error("expected '}'")
            if tokens.accept("{"):
                self._scopes.push()
            elif tokens.text == "}" and self._scopes.depth == 0:
                tokens.next()
                break
            elif tokens.accept("}"):
                self._scopes.pop(tokens.line)
            elif tokens.kind == "directive":
                self._parse_directive()
            elif not tokens.accept(";"):
                self._parse_statement()
        self._resolve_labels()
        self._function.body = self._statements

    def _parse_directive(self) -> None:
        tokens = self._tokens
        word = tokens.text
        if word == ".loc":
            parts = tokens.rest_of_line()
            if len(parts) >= 3 and parts[1].isdigit() and parts[2].isdigit():
                self._location = Location(int(parts[1]), int(parts[2]))
            return
        if word == ".file":
            tokens.rest_of_line()
            return
        tokens.next()
        if word == ".reg":
            self._parse_registers()
        elif word in (".local", ".shared", ".param", ".const", ".global"):
            for variable in parse_variable(tokens, word[1:]):
                unique = self._scopes.declare_name(variable.name)
                self._function.variables.append(replace(variable, name=unique))
        elif word == ".pragma":
            tokens.expect_kind("string")
        else:
            raise tokens.error(f"unknown directive '{word}'")
        tokens.expect(";")

    def _parse_registers(self) -> None:
        tokens = self._tokens
        kind, width = tokens.expect_kind("directive")[1:], 1
        if kind in ("v2", "v4"):
            width = int(kind[1:])
            kind = tokens.expect_kind("directive")[1:]
        if kind not in BYTES:
            raise tokens.error(f"unknown register type '.{kind}'")
        scope = self._scopes.innermost
        while True:
            name = tokens.expect_kind("word")
            if tokens.accept("<"):
                count = parse_integer(tokens.expect_kind("number"))
                tokens.expect(">")
                if count > MAX_REGISTERS:
                    raise tokens.error("too many registers")
                scope.ranges[name] = (count, kind)
            else:
                scope.declare_register(name, kind, width)
            if not tokens.accept(","):
                return

    def _parse_statement(self) -> None:
        tokens = self._tokens
        line = tokens.line
        if tokens.kind == "word" and tokens.peek() == ":":
            self._parse_label(line)
            return
        guard = self._parse_guard() if tokens.accept("@") else None
        opcode, *modifiers = tokens.expect_kind("word").split(".")
        operands = self._operands.parse_list()
        tokens.expect(";")
        instruction = Instruction(opcode, tuple(modifiers), operands, guard, line, self._location)
        self._statements.append(instruction)
        if opcode in _BRANCHES:
            self._unresolved.append((instruction, self._scopes.chain()))

    def _parse_label(self, line: int) -> None:
        tokens = self._tokens
        name = tokens.next()
        tokens.next()
        if tokens.text in (".branchtargets", ".calltargets"):
            tokens.next()
            targets = [tokens.expect_kind("word")]
            while tokens.accept(","):
                targets.append(tokens.expect_kind("word"))
            tokens.expect(";")
            self._tables.append((self._scopes.declare_name(name), tuple(targets), self._scopes.chain()))
        elif tokens.text == ".callprototype":
            while not tokens.accept(";"):
                if tokens.kind == "end":
                    raise tokens.error("expected ';'")
                tokens.next()
        else:
            self._statements.append(Label(self._scopes.declare_name(name), line))

    def _parse_guard(self) -> Guard:
        tokens = self._tokens
        negated = tokens.accept("!")
        register = self._scopes.find_register(tokens.expect_kind("word"))
        if register is None or register.type != "pred":
            raise tokens.error("expected a predicate register after '@'")
        return Guard(register, negated)

    def _resolve_labels(self) -> None:
        for instruction, chain in self._unresolved:
            instruction.operands = [_resolve(operand, chain) for operand in instruction.operands]
        for name, targets, chain in self._tables:
            self._function.branch_targets[name] = tuple(_lookup(t, chain) for t in targets)
        labels = {s.name for s in self._statements if isinstance(s, Label)}
        for instruction, _ in self._unresolved:
            if instruction.opcode == "bra":
                self._check_target(instruction, labels)

    def _check_target(self, instruction: Instruction, labels: set[str]) -> None:
        target = instruction.operands[0] if instruction.operands else None
        if not isinstance(target, Symbol) or target.name not in labels:
            raise PtxSyntaxError("branch to a label that does not exist", instruction.line)


def _resolve(operand: Operand, chain: tuple[Scope, ...]) -> Operand:
    if isinstance(operand, Symbol):
        return Symbol(_lookup(operand.name, chain), operand.offset)
    if isinstance(operand, Arguments):
        return Arguments(tuple(_resolve(name, chain) for name in operand.names))
    if isinstance(operand, Register):
        return operand
    return operand


def _lookup(name: str, chain: tuple[Scope, ...]) -> str:
    for scope in chain:
        if name in scope.names:
            return scope.names[name]
    return name
