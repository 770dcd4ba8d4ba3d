"""Fills a row of the table with the operands of one instruction."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from agents.shims.inline_ptx.statement import Statement
from agents.shims.inline_ptx.syntax import Immediate, Instruction, LabelName, Operand, Pair, Sink, Vector
from agents.shims.inline_ptx.table import Row, c_type
from agents.shims.inline_ptx.types import C_TYPES, SIZES, UNSIGNED, WIDER
from agents.shims.inline_ptx.values import Values, widened

_PLACE = re.compile(r"\$(\d)(p)?(?:~(\w+))?|\$is\((\w+),(\w+)\)|\$([A-Za-z]\w*)|@")
_ROUNDINGS = frozenset({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"})
_ENUMERATIONS = {
    "O": ("Order", {"": "relaxed", "weak": "weak", "volatile": "fresh"}),
    "P": ("Scope", {"": "gpu", "cluster": "gpu"}),
    "S": ("Space", {"": "generic", "shared::cta": "shared", "const": "global", "shared::cluster": "shared"}),
}
_BOOLEANS = {"": "none", "and": "land", "or": "lor", "xor": "lxor"}

Writer = Callable[["Filler"], str]


class Filler:
    """One instruction, the row that it matched and what the row's names stand for."""

    def __init__(self, statement: Statement, instruction: Instruction, row: Row, names: Mapping[str, str]) -> None:
        self.statement = statement
        self.row = row
        self.names = names
        self.values = Values(statement, instruction)
        self.operands = instruction.operands
        self.carry_in = False
        self.carry = False

    # -- what the pattern's names stand for

    def kind(self, word: str) -> str:
        """The PTX type that a word of the table means here."""
        if word.startswith("wide("):
            return WIDER[self.kind(word[5:-1])]
        return self.names.get(word, word)

    def name(self, name: str) -> str:
        """A name of the pattern, or a property of the statement, in C++."""
        value = self.names.get(name, "")
        if name == "U":
            return UNSIGNED[SIZES[self.names["T"]]]
        if name == "volatile":
            return "true" if self.statement.volatile or self.statement.clobbers_memory else "false"
        if name in ("carry", "carry_in"):
            self.carry = True
            self.carry_in = self.carry_in or name == "carry_in"
            return "w2wcarry"
        if value in C_TYPES:
            return c_type(value)
        if value in _ROUNDINGS or name == "R":
            return f"w2w::ptx::{value or 'rn'}"
        if name == "Q":
            return f"w2w::ptx::{value}"
        if name == "L":
            return f"w2w::ptx::{_BOOLEANS[value]}"
        if name in _ENUMERATIONS:
            enumeration, special = _ENUMERATIONS[name]
            return f"w2w::ptx::{enumeration}::{special.get(value, value)}"
        if len(name) > 1:
            return "true" if value else "false"
        return value

    # -- filling

    def write(self, writers: Mapping[str, Writer]) -> str:
        """The statement, with its semicolon where it needs one."""
        form = self.row.form
        if form.startswith("!"):
            return writers[form[1:]](self)
        if form.endswith((";", "}")):
            return self.fill(form)
        return self.assign(0, self.fill(form))

    def fill(self, form: str) -> str:
        return _PLACE.sub(self._place, form)

    def assign(self, index: int, expression: str) -> str:
        word = self.row.operands[index].removeprefix("=")
        operand = self.operands[index]
        if word == "p":
            target = self.values.target(operand, "pred")
            return f"{target} = {expression};" if target else f"{expression};"
        kind = self.kind(word.rstrip("^?"))
        target = self.values.target(operand, kind, wide="^" in word)
        if not target:
            return f"static_cast<void>({expression});"
        return f"{target} = {widened(expression, kind, self.values.size(operand))};"

    def _place(self, found: re.Match[str]) -> str:
        if found.group() == "@":
            return "w2w::ptx::"
        if found[4] is not None:
            return "true" if self.names.get(found[4]) == found[5] else "false"
        if found[6] is not None:
            return self.name(found[6])
        index = int(found[1])
        if index >= len(self.operands):
            if found[3] is None:
                raise self.values.error("an operand is missing")
            return found[3]
        return self.operand(index, second=found[2] is not None)

    def operand(self, index: int, *, second: bool = False) -> str:
        """Operand ``index`` as the row describes it."""
        word = self.row.operands[index]
        operand = self.operands[index]
        if "|p" in word:
            if not isinstance(operand, Pair):
                raise self.values.error("two results were expected")
            operand = operand.second if second else operand.first
            word = "=p" if second else word.replace("|p", "")
        if word.startswith("="):
            word = word[1:]
            kind = "pred" if word == "p" else self.kind(word.rstrip("^?"))
            target = self.values.target(operand, kind, wide="^" in word)
            return target or ("w2wpredicate" if kind == "pred" else "w2wresult")
        return self._read(word, operand)

    def _read(self, word: str, operand: Operand) -> str:
        values = self.values
        if word == "p":
            return values.predicate(operand)
        if word.startswith("["):
            return values.address(operand)
        if word.rstrip("?") in ("imm", "table"):
            return values.constant(operand)
        if word == "zero":
            if not isinstance(operand, Immediate) or operand.value != 0:
                raise values.error("only barrier 0, which all threads of a block reach, has a counterpart")
            return "0u"
        if word == "label":
            if not isinstance(operand, LabelName):
                raise values.error("a label was expected")
            return operand.name
        if word == "policy?":
            return values.read(operand, "b64")
        if word == "_":
            if not isinstance(operand, Sink):
                raise values.error("a result stands where none is given")
            return ""
        return values.read(operand, self.kind(word.rstrip("^?")), wide="^" in word)

    # -- checks

    def check(self) -> None:
        """PtxError where number or kind of the operands is not the row's."""
        words = self.row.operands
        least = sum(not word.endswith("?") for word in words)
        if not least <= len(self.operands) <= len(words):
            raise self.values.error(f"{least} operands were expected, not {len(self.operands)}")
        for index, operand in enumerate(self.operands):
            word = words[index]
            if word.startswith("V*") or word.startswith("=V*"):
                self.elements(index)
            elif word in ("{}", "={}"):
                if not isinstance(operand, Vector):
                    raise self.values.error("a list in braces was expected")
            elif word.removeprefix("=") == "sel":
                self.values.selected(operand)
            else:
                self.operand(index)

    def elements(self, index: int) -> list[str]:
        """The elements of a vector operand (one for a scalar one), each as the row's type."""
        word = self.row.operands[index]
        result = word.startswith("=")
        word = word.removeprefix("=").removeprefix("V*")
        kind, wide = self.kind(word.rstrip("^?")), "^" in word
        operand = self.operands[index]
        count = int(self.names["V"][1:]) if "V" in self.names else 1
        parts = operand.elements if isinstance(operand, Vector) else (operand,)
        if len(parts) != count:
            raise self.values.error(f"{count} elements were expected, not {len(parts)}")
        if result:
            return [self.values.target(part, kind, wide=wide) for part in parts]
        return [self.values.read(part, kind, wide=wide) for part in parts]

    def parts(self, index: int) -> tuple[Operand, ...]:
        operand = self.operands[index]
        return operand.elements if isinstance(operand, Vector) else (operand,)
