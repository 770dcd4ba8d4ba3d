"""Turns code for whole waves into loops over strips of 16 lanes.

The emitter writes a function as if the host had registers of 64 lanes. Compiled like that, each value takes several
registers, nearly all live on the stack, and compilers slow down. Here the lines of a block that compute each lane by
itself are gathered into loops, which compute 16 lanes at a time with values that the host's registers hold. What lies
between loops is done for the whole wave: calls, moves across lanes, control flow. Vector registers of the wave are
memory between loops; stores of those that nobody reads are left out.

Lines change places in three ways only. Scalar lines go before the loop that is open, or behind it where they need a
mask that it computes. A lane's line comes before an earlier line of a lane in a later strip: harmless, since they share
no data but memory, and a loop holds no store of an address space beside another access of it. Loads of scalars wait
for stores.
"""

from __future__ import annotations

import re

from .lane_lines import Kind, Line
from .strip_loop import Access, Loop, Slots

_VALUE = re.compile(r"%[\w.]+")
_LOGIC = frozenset({"and", "or", "xor"})
_MAX_MASK_DEPTH = 100
"""Longer chains of logic on masks end a loop."""


class Strips:
    """Plans the blocks of one function. ``slots`` is the memory that values take between loops; ``convention`` how
    functions that access memory are called."""

    def __init__(self, convention: str) -> None:
        self._convention = convention
        self.slots = Slots()
        self.accesses: set[Access] = set()
        self._count = 0

    def rewrite(self, label: str | None, lines: list[Line]) -> list[str]:
        """The block's text. ``lines`` are those that are needed."""
        block = _Block(self, lines)
        for line in lines:
            block.add(line)
        block.close()
        texts = [f"{label}:"] if label is not None else []
        for part in block.parts:
            if isinstance(part, str):
                texts.append(part)
            else:
                texts += part.render()
                self.accesses |= part.accesses
        self.slots.end_block()
        return texts

    def new_loop(self) -> Loop:
        self._count += 1
        return Loop(self._count, self._convention)


class _Block:
    def __init__(self, strips: Strips, lines: list[Line]) -> None:
        self._strips = strips
        self.parts: list[str | Loop] = []
        self._loop: Loop | None = None
        self._after: list[Line] = []  # scalar lines that need what the open loop computes
        self._unready: set[str] = set()  # results of these, and of the loop's masks
        self._mask_depths: dict[str, int] = {}  # of these, masks whose bits the loop has: how many steps of logic
        self._definitions = {result: line for line in lines for result in line.results}
        self._homes: dict[str, Loop] = {}  # the loop that keeps a value
        self._whole: dict[str, str] = {}  # names of vectors that exist whole
        self._place: list[str] = []
        loop_kinds = (Kind.LANES, Kind.TO_MASK, Kind.MEMORY)
        self._used_in_loops = {operand for line in lines if line.kind in loop_kinds for operand in line.operands}

    # ---- lines -------------------------------------------------------------------------------------------------

    def add(self, line: Line) -> None:
        match line.kind:
            case Kind.SCALAR:
                self._add_scalar(line)
            case Kind.LOAD:
                if self._loop is not None and (self._loop.stored or not self._unready.isdisjoint(line.operands)):
                    self.close()
                self._emit_place()
                self.parts.append(line.text)
            case Kind.PLACE:
                self._place = _place_texts(line)
            case Kind.LANES | Kind.TO_MASK | Kind.MEMORY:
                if not line.is_cheap:
                    self._add_to_loop(line)
            case Kind.FROM_MASK:
                pass  # made where it is used
            case _:
                self.close()
                self._emit_place()
                self._emit_whole(line)

    def _add_scalar(self, line: Line) -> None:
        if self._unready.isdisjoint(line.operands):
            self.parts.append(line.text)
        else:
            self._after.append(line)
            self._unready.update(line.results)
            if line.operation in _LOGIC and all(self._mask_is_known(operand) for operand in line.operands):
                depth = 1 + max(self._mask_depths.get(operand, 0) for operand in line.operands)
                self._mask_depths[line.results[0]] = depth

    def _emit_place(self) -> None:
        self.parts += self._place
        self._place = []

    def _add_to_loop(self, line: Line) -> None:
        if self._loop is not None and self._must_close_before(line):
            self.close()
        if self._loop is None:
            self._loop = self._strips.new_loop()
        loop = self._loop
        for operand in line.operands:
            self._provide(loop, operand)
        if line.kind is Kind.MEMORY:
            loop.add_access(line, self._place)
        else:
            loop.add(line)
        for result in line.results:
            self._homes[result] = loop
        if line.kind is Kind.TO_MASK:
            self._unready.update(line.results)
            self._mask_depths[line.results[0]] = 0

    def _must_close_before(self, line: Line) -> bool:
        assert self._loop is not None
        if line.kind is Kind.MEMORY and self._loop.conflicts_with(line):
            return True
        return any(not self._is_ready(operand) for operand in line.operands)

    def _is_ready(self, name: str) -> bool:
        """Whether the open loop can have ``name``: a scalar must be known before it."""
        if name not in self._unready:
            line = self._definitions.get(name)
            if line is None or not line.is_cheap:
                return True
            return all(self._is_ready_for_cheap(line, operand) for operand in line.operands)
        return False

    def _is_ready_for_cheap(self, line: Line, operand: str) -> bool:
        if line.kind is Kind.FROM_MASK:
            return self._mask_is_known(operand)
        return self._is_ready(operand)

    def _mask_is_known(self, name: str) -> bool:
        """A mask whose bits the loop has: it is ready, or made by logic of such."""
        return name not in self._unready or self._mask_depths.get(name, _MAX_MASK_DEPTH) < _MAX_MASK_DEPTH

    # ---- values ------------------------------------------------------------------------------------------------

    def _provide(self, loop: Loop, name: str) -> None:
        """Make ``name`` known in ``loop``."""
        line = self._definitions.get(name)
        if line is None or loop.knows(name):
            return
        if line.kind is Kind.FROM_MASK:
            self._provide_mask(loop, name, line.operands[0] if line.operands else line.text.split()[4])
        elif line.is_cheap:
            for operand in line.operands:
                self._provide(loop, operand)
            loop.add_early(line)
        elif name in self._homes:
            kept = self._strips.slots.keep(name, line.type)
            self._homes[name].keep(name, kept)
            loop.add_reload(name, kept, line.type)
        elif name in self._whole:
            loop.add_reload(name, self._strips.slots.keep(name, line.type), line.type)

    def _provide_mask(self, loop: Loop, name: str, bits: str) -> None:
        """``name``: the lanes of the mask ``bits``."""
        loop.call_it(name, self._lanes_of(loop, bits))

    def _lanes_of(self, loop: Loop, bits: str) -> str:
        """The lanes of a mask as a value of the loop."""
        if bits not in self._unready:
            return loop.lanes_of_bits(bits)
        known = loop.combined_mask(bits)
        if known is not None:
            return known
        line = self._definitions[bits]
        if line.kind is Kind.TO_MASK:
            self._provide(loop, line.operands[0])
            return loop.resolve(line.operands[0])
        operands = [self._lanes_of(loop, each) for each in _logic_operands(line)]
        return loop.combine_masks(bits, line.operation, operands)

    def _emit_whole(self, line: Line) -> None:
        """A line about whole vectors: those that loops computed are loaded, what it gives is kept."""
        text = self._with_whole_operands(line)
        self.parts.append(text)
        for result in line.results:
            if line.type.startswith("<"):
                self._whole[result] = result
                if result in self._used_in_loops:
                    kept = self._strips.slots.keep(result, line.type)
                    self.parts += self._strips.slots.store_whole(kept, result, line.type)

    def _with_whole_operands(self, line: Line) -> str:
        for operand in line.operands:
            definition = self._definitions.get(operand)
            if definition is not None and definition.type.startswith("<") and operand not in self._whole:
                self._make_whole(operand, definition)
        return _VALUE.sub(lambda match: self._whole.get(match[0], match[0]), line.text)

    def _make_whole(self, name: str, line: Line) -> None:
        self._whole[name] = name
        if line.is_cheap:
            self.parts.append(self._with_whole_operands(line))
            return
        self._whole[name] = f"{name}.whole"
        kept = self._strips.slots.keep(name, line.type)
        self._homes[name].keep(name, kept)
        self.parts += self._strips.slots.load_whole(kept, self._whole[name], line.type)

    def close(self) -> None:
        if self._loop is None:
            return
        loop, after = self._loop, self._after
        self._loop, self._after, self._unready, self._mask_depths = None, [], set(), {}
        self.parts.append(loop)
        self.parts += [line.text for line in after]


def _logic_operands(line: Line) -> list[str]:
    left, right = line.text.rsplit("i64 ", 1)[1].split(", ")
    return [left, right]


def _place_texts(line: Line) -> list[str]:
    """Notes where the next line may fault."""
    return [f"  store i64 {line.text.split()[1]}, ptr %place"]
