"""Finds the basic blocks of a function of machine code, and the functions that it calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from .code_addresses import CodeAddresses
from .instruction import Instruction

_ENDINGS = frozenset({"s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done", "s_rfe_b64"})
_LLVM_TRAP = 2
"""``s_trap 2`` is how LLVM lowers llvm.trap; what follows it in memory does not belong to the function."""
_MAX_INSTRUCTIONS = 1 << 20


def is_branch(instruction: Instruction) -> bool:
    return instruction.mnemonic == "s_branch" or is_conditional_branch(instruction)


def is_conditional_branch(instruction: Instruction) -> bool:
    mnemonic = instruction.mnemonic
    return mnemonic.startswith("s_cbranch") and not mnemonic.endswith(("fork", "join"))


def is_call(instruction: Instruction) -> bool:
    return instruction.mnemonic in ("s_swappc_b64", "s_call_b64")


def is_fork(instruction: Instruction) -> bool:
    return instruction.mnemonic in ("s_cbranch_i_fork", "s_cbranch_g_fork")


def fork_points(instruction: Instruction, target: int | None) -> list[int]:
    """Offsets where a fork's groups go on; ``target`` is that of s_cbranch_g_fork, where it is known."""
    if instruction.mnemonic == "s_cbranch_i_fork":
        target = instruction.branch_target
    return [*([] if target is None else [target]), instruction.next_address]


def is_join(instruction: Instruction) -> bool:
    """Control goes on behind it, or at any place where a fork of the function left a group of lanes."""
    return instruction.mnemonic == "s_cbranch_join"


def ends_function(instruction: Instruction) -> bool:
    """Whether control does not go on to the next instruction nor to a branch target known here."""
    mnemonic = instruction.mnemonic
    if mnemonic == "s_trap":
        return instruction.word & 0xFF == _LLVM_TRAP
    return mnemonic in _ENDINGS or mnemonic == "s_setpc_b64"


@dataclass
class Block:
    """Instructions that run one after the other. ``falls_to`` is the next block's address where the last
    instruction does not transfer control itself."""

    start: int
    instructions: list[Instruction] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)
    falls_to: int | None = None


@dataclass
class FunctionGraph:
    """``call_targets``: target by address of the call, where known; ``computed_calls``: the other calls;
    ``jumps``: target by address of each s_setpc_b64 that is a long branch within the function, and of each
    s_cbranch_g_fork; ``forks``: where groups of lanes may go on after a join; ``addresses``: code offsets that the
    function computes, whether it calls them or not."""

    entry: int
    blocks: dict[int, Block]
    call_targets: dict[int, int] = field(default_factory=dict)
    computed_calls: set[int] = field(default_factory=set)
    jumps: dict[int, int] = field(default_factory=dict)
    forks: set[int] = field(default_factory=set)
    addresses: set[int] = field(default_factory=set)

    @property
    def has_calls(self) -> bool:
        return bool(self.call_targets or self.computed_calls)


def discover(entry: int, fetch: Callable[[int], Instruction | None]) -> FunctionGraph:
    """Follow control flow from ``entry``. ``fetch`` gives None where there is no code: such a block is empty."""
    reached: dict[int, Instruction] = {}
    leaders, jumps, work = {entry}, dict[int, int](), [entry]
    while work:
        address = work.pop()
        addresses = CodeAddresses()
        while address not in reached:
            instruction = fetch(address)
            if instruction is None or len(reached) >= _MAX_INSTRUCTIONS:
                break
            reached[address] = instruction
            target = addresses.follow(instruction)
            address = instruction.next_address
            if is_branch(instruction):
                targets = [instruction.branch_target, *([address] if is_conditional_branch(instruction) else [])]
            elif instruction.mnemonic == "s_setpc_b64" and target is not None:
                jumps[instruction.address] = target
                targets = [target]
            elif is_fork(instruction):
                if target is not None:
                    jumps[instruction.address] = target
                targets = fork_points(instruction, target)
            elif is_join(instruction) or is_call(instruction):
                targets = [address]
            else:
                targets = []
            leaders.update(targets)
            work.extend(targets)
            if targets or ends_function(instruction):
                break
    graph = _build_graph(entry, leaders, reached, jumps)
    _resolve_calls(graph)
    return graph


def _build_graph(
    entry: int, leaders: set[int], reached: dict[int, Instruction], jumps: dict[int, int]
) -> FunctionGraph:
    forks = {p for i in reached.values() if is_fork(i) for p in fork_points(i, jumps.get(i.address))}
    graph = FunctionGraph(entry, {}, jumps=jumps, forks=forks)
    order = sorted(reached)
    starts = leaders & reached.keys()
    starts |= {after for before, after in pairwise(order) if reached[before].next_address != after}
    block = Block(entry)
    for address in order:
        if address in starts:
            block = graph.blocks[address] = Block(address)
        instruction = reached[address]
        block.instructions.append(instruction)
        following = instruction.next_address
        if is_branch(instruction):
            conditional = is_conditional_branch(instruction)
            block.successors = [instruction.branch_target, *([following] if conditional else [])]
        elif is_fork(instruction):
            block.successors = fork_points(instruction, jumps.get(address))
        elif is_join(instruction):
            block.successors = [following, *sorted(forks)]
        elif address in jumps:
            block.successors = [jumps[address]]
        elif is_call(instruction):
            block.successors = [following]
        elif not ends_function(instruction) and (following in starts or following not in reached):
            block.falls_to = following
            block.successors = [following]
    for missing in {target for block in graph.blocks.values() for target in block.successors} | {entry}:
        graph.blocks.setdefault(missing, Block(missing))
    return graph


def _resolve_calls(graph: FunctionGraph) -> None:
    """Find the targets of calls: what is known at a block's start is what all its predecessors agree on."""
    known: dict[int, CodeAddresses] = {graph.entry: CodeAddresses()}
    work = [graph.entry]
    while work:
        start = work.pop()
        block, addresses = graph.blocks[start], known[start].copy()
        for instruction in block.instructions:
            target = addresses.follow(instruction)
            if is_call(instruction):
                _note_call(graph, instruction.address, target)
                addresses.forget_after_call()
        graph.addresses |= addresses.seen
        for successor in block.successors:
            if successor not in known:
                known[successor] = addresses.copy()
                work.append(successor)
            elif known[successor].keep_common(addresses):
                work.append(successor)


def _note_call(graph: FunctionGraph, address: int, target: int | None) -> None:
    """A later visit of a block knows less than an earlier one."""
    if target is None:
        graph.call_targets.pop(address, None)
        graph.computed_calls.add(address)
    elif address not in graph.computed_calls:
        graph.call_targets[address] = target
