"""What a translation of the flavour ``counters`` counts, and how the engine reads it.

Code is cut into segments: instructions that run one after the other, those whose lanes are counted under one EXEC. At
run time a segment counts how often it was entered and its active lanes; how many instructions of which class it holds
is data beside the code, the symbol ``w2w_counter_plan`` (``simt/counts.h``). Memory instructions are numbered as well:
helpers count what depends on their addresses.

``counter_rules.tsv`` says which instructions a class counts: counter, ``per`` (wave or lane), formats (``*`` or names),
a regular expression for whole mnemonics, and what one instruction adds: a number, ``words`` (the bytes of a scalar load
or store) or ``matrix`` (operations of a matrix instruction, in units of 512).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from . import wave_layout
from .emitter import Emitter
from .instruction import Instruction
from .instruction_table import FORMATS, Row, TableError

PLAN_VERSION = 1
_RULES = Path(__file__).with_name("counter_rules.tsv")
_COLUMNS = ["counter", "per", "formats", "mnemonics", "weight"]
_SEGMENT_BYTES = 16
_MATRIX_SHAPE = re.compile(r"(\d+)x(\d+)x(\d+)(?:_(\d+)b)?")
_OPERATIONS_PER_UNIT = 512
_MAX_TIMES = 60_000
"""A call can say how often in 16 bits."""
_MAX_NOTED_ACCESSES = 16
"""More would take the stack memory of the addresses out of the host's first cache."""


@dataclass(frozen=True)
class Rule:
    """``counter`` grows by ``weight`` each time that one of the instructions runs (for each active lane)."""

    counter: str
    per_lane: bool
    formats: frozenset[str]
    mnemonics: re.Pattern[str]
    weight: str

    def amount(self, row: Row) -> int:
        """What one run of the instruction adds; 0 if the rule is about others."""
        if row.format not in self.formats or not self.mnemonics.fullmatch(row.mnemonic):
            return 0
        computed = _WEIGHTS.get(self.weight)
        return computed(row) if computed else int(self.weight)


def _scalar_bytes(row: Row) -> int:
    return 4 * int(row.parameters.get("words", 0))


def _matrix_units(row: Row) -> int:
    """Multiplications and additions of the dense matrices, whatever EXEC says: matrix instructions ignore it."""
    shape = _MATRIX_SHAPE.search(str(row.parameters.get("shape", row.mnemonic)))
    if shape is None:
        return 0
    m, n, k, blocks = (int(size or 1) for size in shape.groups())
    return 2 * m * n * k * blocks // _OPERATIONS_PER_UNIT


_WEIGHTS: dict[str, Callable[[Row], int]] = {"words": _scalar_bytes, "matrix": _matrix_units}


@cache
def load_rules() -> tuple[Rule, ...]:
    """Raises TableError: a rule is malformed or stands twice, or a counter counts both waves and lanes."""
    lines = _RULES.read_text(encoding="utf-8").splitlines()
    if lines[0].split("\t") != _COLUMNS:
        raise TableError(f"{_RULES.name}: the first line must name the columns {_COLUMNS}")
    if len(set(lines)) != len(lines):
        raise TableError(f"{_RULES.name}: a rule stands twice")
    rules = tuple(_read_rule(number, line.split("\t")) for number, line in enumerate(lines[1:], 2))
    if len({(rule.counter, rule.per_lane) for rule in rules}) != len({rule.counter for rule in rules}):
        raise TableError(f"{_RULES.name}: a counter counts either waves or lanes")
    return rules


def _read_rule(number: int, cells: list[str]) -> Rule:
    if len(cells) != len(_COLUMNS):
        raise TableError(f"{_RULES.name}:{number}: {len(cells)} columns instead of {len(_COLUMNS)}")
    counter, per, formats, mnemonics, weight = cells
    known = FORMATS if formats == "*" else frozenset(formats.split(","))
    if per not in ("wave", "lane") or not known <= FORMATS or not (weight in _WEIGHTS or weight.isdecimal()):
        raise TableError(f"{_RULES.name}:{number}: unknown value in {cells}")
    try:
        return Rule(counter, per == "lane", known, re.compile(mnemonics), weight)
    except re.error as error:
        raise TableError(f"{_RULES.name}:{number}: {error}") from error


@cache
def load_classes() -> tuple[tuple[str, bool], ...]:
    """Counters that depend on the instructions only, and whether they count lanes, in the order of the rules."""
    return tuple(dict.fromkeys((rule.counter, rule.per_lane) for rule in load_rules()))


@dataclass
class CounterPlan:
    """What one unit counts. ``table``: the instructions of its target."""

    table: dict[str, Row]
    segments: list[Counter[int]] = field(default_factory=list)
    _amounts: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def amounts(self, mnemonic: str) -> tuple[tuple[int, int], ...]:
        """What an instruction adds: (class, amount)."""
        if mnemonic not in self._amounts:
            self._amounts[mnemonic] = tuple(self._sum_rules(self.table[mnemonic]).items())
        return self._amounts[mnemonic]

    def _sum_rules(self, row: Row) -> Counter[int]:
        places = {counter: place for place, (counter, _) in enumerate(load_classes())}
        amounts = Counter[int]()
        for rule in load_rules():
            if amount := rule.amount(row):
                amounts[places[rule.counter]] += amount
        return amounts

    def counts_lanes(self, mnemonic: str) -> bool:
        return any(load_classes()[place][1] for place, _ in self.amounts(mnemonic))

    def render(self, accesses: int) -> str:
        """The plan as constants of an LLVM module whose memory accesses are numbered below ``accesses``."""
        names = "".join(f"{name}\\00" for name, _ in load_classes())
        lanes = "".join(f"\\{int(per_lane):02X}" for _, per_lane in load_classes())
        mix = [number for segment in self.segments for number in _encode(segment)]
        name_bytes = sum(len(name) + 1 for name, _ in load_classes())
        numbers = ", ".join(f"i16 {number}" for number in mix)
        head = f"i32 {PLAN_VERSION}, i32 {len(self.segments)}, i32 {accesses}, i32 {len(load_classes())}"
        return (
            f'@counter.names = private constant [{name_bytes} x i8] c"{names}"\n'
            f'@counter.lanes = private constant [{len(load_classes())} x i8] c"{lanes}"\n'
            f"@counter.mix = private constant [{len(mix)} x i16] [{numbers}]\n"
            "@w2w_counter_plan = constant { i32, i32, i32, i32, ptr, ptr, ptr } "
            f"{{ {head}, ptr @counter.names, ptr @counter.lanes, ptr @counter.mix }}\n"
        )


def _encode(segment: Counter[int]) -> list[int]:
    pairs = [number for pair in sorted(segment.items()) for number in pair]
    return [len(segment), *pairs]


@dataclass
class SegmentCounter:
    """Counts the segments of one function, and what its instructions noted of memory accesses: ``count`` before each
    instruction, ``finish`` before the last one of a block or behind it. Counters are added to at the end of blocks
    only: in their middle that would part what else is one loop over the lanes."""

    plan: CounterPlan
    emitter: Emitter
    _segments: list[tuple[int, str]] = field(default_factory=list)
    """Of the block: number, and EXEC where the segment counts lanes, else empty."""

    def count(self, instruction: Instruction) -> None:
        noted = self.emitter.counted_accesses.values()
        if len(noted) >= _MAX_NOTED_ACCESSES or any(each.times >= _MAX_TIMES for each in noted):
            self._add_accesses()
        if instruction.mnemonic not in self.plan.table:
            return  # it becomes a report
        mask = self.emitter.exec if self.plan.counts_lanes(instruction.mnemonic) else ""
        if not self._segments or (mask and self._segments[-1][1] not in ("", mask)):
            self._segments.append((len(self.plan.segments), mask))
            self.plan.segments.append(Counter())
        number, old_mask = self._segments[-1]
        self._segments[-1] = (number, old_mask or mask)
        for place, amount in self.plan.amounts(instruction.mnemonic):
            self.plan.segments[number][place] += amount

    def finish(self) -> None:
        self._add_accesses()
        for number, mask in self._segments:
            self._add(number, 0, "1")
            if mask:
                self._add(number, 8, self.emitter.call("llvm.ctpop.i64", "i64", ("i64", mask)))
        self._segments.clear()

    def _add_accesses(self) -> None:
        emitter = self.emitter
        for access, found in emitter.counted_accesses.items():
            number = emitter.module.number_access() if found.place else 0
            what = number | access.size << 32 | access.kind << 40 | found.times << 48
            arguments = [("ptr", "%wave"), ("i64", access.mask)]
            if found.place:
                arguments += [("ptr", found.place), ("i64", found.offset)]
            emitter.call_void(f"w2w_count_{access.space}", *arguments, ("i64", str(what)))
        emitter.counted_accesses.clear()

    def _add(self, segment: int, offset: int, amount: str) -> None:
        place = wave_layout.COUNTS_SEGMENTS + _SEGMENT_BYTES * segment + offset
        pointer = self.emitter.value(f"getelementptr i8, ptr %counts, i64 {place}")
        old = self.emitter.value(f"load i64, ptr {pointer}")
        self.emitter.line(f"store i64 {self.emitter.binary('add', 'i64', old, amount)}, ptr {pointer}")
