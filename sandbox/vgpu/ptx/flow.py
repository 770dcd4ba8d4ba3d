"""Control-flow graph of a function body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .components import find_components
from .syntax import Function, Instruction, Label, Symbol

_ENDS = frozenset({"ret", "exit", "trap"})


@dataclass(slots=True)
class BasicBlock:
    """Statements ``start`` to ``end`` (exclusive) of the body, and the indices of the blocks that may follow."""

    start: int
    end: int
    successors: list[int] = field(default_factory=list)


@dataclass(slots=True)
class FlowGraph:
    """``cyclic`` holds the indices of the blocks that lie on a cycle."""

    blocks: list[BasicBlock]
    cyclic: set[int]

    def cyclic_statements(self) -> set[int]:
        """Indices of the statements that may execute more than once in a call."""
        return {i for b in self.cyclic for i in range(self.blocks[b].start, self.blocks[b].end)}


def build_flow_graph(function: Function) -> FlowGraph:
    """The graph of ``function``, which has a body."""
    body = function.body or []
    starts = {0}
    for index, statement in enumerate(body):
        if isinstance(statement, Label):
            starts.add(index)
        elif _ends_block(statement):
            starts.add(index + 1)
    ordered = sorted(s for s in starts if s < len(body))
    blocks = [BasicBlock(s, e) for s, e in zip(ordered, [*ordered[1:], len(body)], strict=True)]
    labels = {
        statement.name: number
        for number, block in enumerate(blocks)
        for statement in body[block.start : block.end]
        if isinstance(statement, Label)
    }
    for number, block in enumerate(blocks):
        last = body[block.end - 1]
        targets = _targets(last, function) if isinstance(last, Instruction) else []
        block.successors = [labels[t] for t in targets if t in labels]
        if number + 1 < len(blocks) and _falls_through(last):
            block.successors.append(number + 1)
    return FlowGraph(blocks, _find_cyclic([block.successors for block in blocks]))


def _ends_block(statement: Instruction) -> bool:
    return statement.opcode in ("bra", "brx") or statement.opcode in _ENDS


def _falls_through(statement: Instruction | Label) -> bool:
    if isinstance(statement, Label) or statement.guard is not None:
        return True
    return not _ends_block(statement)


def _targets(statement: Instruction, function: Function) -> Iterable[str]:
    operands = statement.operands
    if statement.opcode == "bra" and isinstance(operands[0], Symbol):
        return [operands[0].name]
    if statement.opcode == "brx" and len(operands) > 1 and isinstance(operands[1], Symbol):
        return function.branch_targets.get(operands[1].name, ())
    return []


def _find_cyclic(successors: list[list[int]]) -> set[int]:
    """Nodes in a strongly connected component with an edge inside."""
    components = find_components(dict(enumerate(successors)))
    return {node for component in components for node in component if len(component) > 1 or node in successors[node]}
