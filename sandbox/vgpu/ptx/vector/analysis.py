"""Which registers have one value for the whole warp, and which live from one basic block to another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..flow import FlowGraph
from ..instruction_table import special_registers
from ..syntax import Address, Instruction, Register, SpecialRegister, Statement, Symbol
from .recording import Record

PURE = frozenset({"bits", "comparisons", "conversions", "floats", "halves", "integers", "video"})
"""Modules of semantics that compute results from operands and do nothing else."""

_OF_A_LANE = ("t->tid", "t->lane", "t->linear", "lane_", "w2w_clock", "w2w_global_timer", "carry")


def find_invariants(
    body: list[Statement], records: dict[int, Record], homes: dict[str, str]
) -> tuple[set[Register], list[int]]:
    """Registers that are computed once from parameters, constants and the block's place in the grid, wherever that
    happens: it may be done before anything else. Also the statements that compute them. ``homes``: modules of the
    semantics."""
    count = Counter(register for record in records.values() for register in record.writes)
    found: set[Register] = set()
    statements = []
    for index in sorted(records):
        record, instruction = records[index], body[index]
        assert isinstance(instruction, Instruction)
        if instruction.guard or not record.writes or not record.reads <= found:
            continue
        if any(count[register] > 1 for register in record.writes):
            continue
        if homes.get(record.semantics) not in PURE and not _is_parameter_load(instruction, record):
            continue
        if any(word in line for line in record.lines for word in _OF_A_LANE):
            continue
        found |= record.writes
        statements.append(index)
    return found, statements


def _is_parameter_load(instruction: Instruction, record: Record) -> bool:
    address = instruction.operands[1] if len(instruction.operands) > 1 else None
    return (
        record.semantics == "load"
        and "param" in instruction.modifiers
        and isinstance(address, Address)
        and isinstance(address.base, Symbol)
        and any("(params+" in line for line in record.lines)
    )


@dataclass
class Liveness:
    """For each block, registers live where it begins and where it ends."""

    begin: dict[int, set[Register]]
    end: dict[int, set[Register]]


def find_liveness(
    graph: FlowGraph, order: list[int], records: dict[int, Record], invariants: set[Register]
) -> Liveness:
    """Without the invariant registers, which live everywhere."""
    uses: dict[int, set[Register]] = {}
    kills: dict[int, set[Register]] = {}
    for number in order:
        block = graph.blocks[number]
        used: set[Register] = set()
        killed: set[Register] = set()
        for index in range(block.start, block.end):
            record = records.get(index)
            if record is not None:
                used |= record.reads - killed - invariants
                killed |= record.writes - used - invariants
        uses[number], kills[number] = used, killed
    begin = {number: set(uses[number]) for number in order}
    end: dict[int, set[Register]] = {number: set() for number in order}
    changed = True
    while changed:
        changed = False
        for number in reversed(order):
            after: set[Register] = set()
            for successor in graph.blocks[number].successors:
                after |= begin[successor]
            if after != end[number]:
                end[number] = after
                begin[number] = uses[number] | (after - kills[number])
                changed = True
    return Liveness(begin, end)


def is_uniform_special(register: SpecialRegister) -> bool:
    entry = special_registers().get(register.name)
    return entry is not None and not any(word in entry[0] for word in _OF_A_LANE)
