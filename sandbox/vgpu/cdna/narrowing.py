"""Rewrites a function for strips of 16 lanes (see ``strips.py``), without the lines that nobody needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .lane_lines import Kind, Line, parse
from .strip_loop import Access
from .strips import Strips


@dataclass
class NarrowFunction:
    """``lines``: from the first block's label on. ``slots``: stack memory by name, in bytes. ``homes``: the vector
    registers that it loads or stores; ``live``: those of them whose values at the entry matter. ``accesses``: the
    functions of ``strip_memory.py`` that it calls."""

    lines: list[str]
    slots: dict[str, int]
    homes: set[str]
    live: set[str]
    accesses: set[Access]


@dataclass
class _Block:
    """``needs``: for each line that has an effect the home loads that it depends on; ``stores``: the same for stores
    of vector registers."""

    label: str
    lines: list[Line]
    needs: set[str] = field(default_factory=set)
    stores: dict[str, set[str]] = field(default_factory=dict)
    successors: list[str] = field(default_factory=list)
    keeps_all: bool = False
    live_in: set[str] = field(default_factory=set)
    live_out: set[str] = field(default_factory=set)


def narrow_function(lines: Iterable[str], shares_registers: bool, convention: str) -> NarrowFunction:
    """``lines``: a body as the emitter wrote it. ``shares_registers``: whoever is called or returned to reads them.
    ``convention``: of calls of the functions that access memory."""
    blocks = _split(lines)
    elsewhere = set[str]().union(*(_foreign_values(block) for block in blocks))
    for block in blocks:
        _note_needs(block, shares_registers, elsewhere)
    registers = {register for block in blocks for register in (*block.stores, *block.needs)}
    registers.update(*(needed for block in blocks for needed in block.stores.values()))
    _find_live(blocks, registers)
    strips, texts, homes = Strips(convention), list[str](), set[str]()
    for block in blocks:
        needed = _needed_lines(block, elsewhere)
        homes.update(line.home for line in needed if line.home)
        texts += strips.rewrite(block.label, needed)
    return NarrowFunction(texts, strips.slots.sizes, homes, homes & blocks[0].live_in, strips.accesses)


def _split(lines: Iterable[str]) -> list[_Block]:
    blocks: list[_Block] = []
    for text in lines:
        if text.endswith(":") and not text.startswith(" "):
            blocks.append(_Block(text[:-1], []))
        else:
            blocks[-1].lines.append(parse(text))
    return blocks


def _foreign_values(block: _Block) -> set[str]:
    """What the block uses and does not define: scalars, since vectors do not cross blocks but in registers."""
    own = {result for line in block.lines for result in line.results}
    return {operand for line in block.lines for operand in line.operands} - own


def _note_needs(block: _Block, shares_registers: bool, elsewhere: set[str]) -> None:
    depends: dict[str, frozenset[str]] = {}
    empty: frozenset[str] = frozenset()
    for line in block.lines:
        needed = empty
        for operand in line.operands:
            needed = needed | depends[operand] if operand in depends else needed
        if line.home and line.operation == "load":
            needed = needed | {line.home}
        if needed:
            depends.update(dict.fromkeys(line.results, needed))
        if line.is_home_store:
            block.stores[line.home] = set(needed)
        elif line.is_needed_for_itself or not elsewhere.isdisjoint(line.results):
            block.needs |= needed
        if line.kind is Kind.END:
            block.successors = [operand[1:] for operand in line.operands]
            block.keeps_all |= shares_registers and line.operation == "ret"
        block.keeps_all |= "@w2w_dispatch" in line.text


def _find_live(blocks: list[_Block], registers: set[str]) -> None:
    """A write of some lanes leaves the others, so a register lives on behind it unless all lanes are written."""
    by_label = {block.label: block for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            live_out = set(registers) if block.keeps_all else set()
            live_out.update(*(by_label[name].live_in for name in block.successors if name in by_label))
            live_in = block.needs | (live_out - block.stores.keys())
            live_in.update(*(block.stores[register] for register in block.stores.keys() & live_out))
            if block.keeps_all:
                live_in |= registers
            if live_in != block.live_in or live_out != block.live_out:
                block.live_in, block.live_out, changed = live_in, live_out, True


def _needed_lines(block: _Block, elsewhere: set[str]) -> list[Line]:
    needed = set(elsewhere)
    kept: list[Line] = []
    for line in reversed(block.lines):
        is_root = line.home in block.live_out if line.is_home_store else line.is_needed_for_itself
        if is_root or not needed.isdisjoint(line.results):
            needed.update(line.operands)
            kept.append(line)
    kept.reverse()
    return kept
