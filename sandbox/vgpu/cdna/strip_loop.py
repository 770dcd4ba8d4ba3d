"""One loop over the strips of a wave, and the memory that values take between loops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lane_lines import STRIP, Kind, Line, narrow
from .types import LANES

_VALUE = re.compile(r"%[\w.]+")
_ELEMENT_BYTES = {"i8": 1, "i16": 2, "half": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}
_MASK = f"<{LANES} x i1>"
_ACCESS = re.compile(r"lanes\.(load|store) (\w+) (\w+) ([^;]*); ([^;]*); ([^;]*)(?:; (.*))?$")
_ADDRESS_BITS = {"global": 64, "base": 32, "lds": 32}
Access = tuple[str, str, str]
"""load or store, address space, size: names one function of ``strip_memory.py``."""


class Slots:
    """Stack memory for values that outlive their loop, used again in each block."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self._kept: dict[str, str] = {}
        self._taken: dict[int, int] = {}

    def end_block(self) -> None:
        self._kept.clear()
        self._taken.clear()

    def keep(self, name: str, kind: str) -> str:
        """The place of the value ``name`` of 64 lanes."""
        if name not in self._kept:
            size = 8 if kind == _MASK else LANES * _ELEMENT_BYTES[element_of(kind)]
            number = self._taken[size] = self._taken.get(size, 0) + 1
            self._kept[name] = f"%slot.{size}.{number}"
            self.sizes[self._kept[name]] = size
        return self._kept[name]

    def load_whole(self, place: str, name: str, kind: str) -> Iterator[str]:
        if kind == _MASK:
            yield f"  {name}.bits = load i64, ptr {place}"
            yield f"  {name} = bitcast i64 {name}.bits to {_MASK}"
        else:
            yield f"  {name} = load {kind}, ptr {place}, align 64"

    def store_whole(self, place: str, name: str, kind: str) -> Iterator[str]:
        if kind == _MASK:
            yield f"  {name}.bits = bitcast {_MASK} {name} to i64"
            yield f"  store i64 {name}.bits, ptr {place}"
        else:
            yield f"  store {kind} {name}, ptr {place}, align 64"


class Loop:
    """Lines are added in order. Values from outside have names of the loop's own: several loops may need one.
    ``convention``: how functions that access memory are called, with a space behind it, or empty."""

    def __init__(self, number: int, convention: str) -> None:
        self._number = number
        self._convention = convention
        self._early: list[str] = []
        self._body: list[str] = []
        self._names: dict[str, str] = {}
        self._scales: dict[int, str] = {}
        self._sums: list[str] = []
        self._kept: list[tuple[str, str, str]] = []
        self._types: dict[str, str] = {}
        self._fresh = 0
        self.accesses: set[Access] = set()
        self.loaded: set[str] = set()
        self.stored: set[str] = set()

    # ---- what it holds ---------------------------------------------------------------------------------------------

    def knows(self, name: str) -> bool:
        return name in self._names or name in self._types

    def conflicts_with(self, access: Line) -> bool:
        """Whether lanes could see another order of ``access`` and an earlier one."""
        space = _space(access)
        return space in self.stored or (access.operation == "lanes.store" and space in self.loaded)

    def add(self, line: Line) -> None:
        """A line about lanes; its operands are known."""
        for result in line.results:
            self._types[result] = line.type
        if line.operation in ("load", "store"):
            self._body += self._memory_line(line.text, line.operation, line.type)
        elif line.kind is Kind.TO_MASK:
            (result,) = line.results
            self._sums.append(result)
            self._body += [
                f"  {result}.strip = bitcast <{STRIP} x i1> {self.resolve(line.operands[0])} to i{STRIP}",
                f"  {result}.wide = zext i{STRIP} {result}.strip to i64",
                f"  {result}.place = shl i64 {result}.wide, %lane.{self._number}",
                f"  {result} = or disjoint i64 {result}.before, {result}.place",
            ]
        else:
            self._body.append(self._renamed(narrow(line.text)))

    def add_early(self, line: Line) -> None:
        """A line that is made anew in each loop that needs its result."""
        (result,) = line.results
        if line.operation == "load":
            texts = self._memory_line(line.text, "load", line.type, self._own_name(result))
        else:
            own = self._own_name(result)
            texts = [self._renamed(narrow(line.text)).replace(f"  {result} = ", f"  {own} = ", 1)]
        self._early += texts

    def add_reload(self, name: str, place: str, kind: str) -> None:
        own = self._own_name(name)
        if kind == _MASK:
            self._early += [
                f"  {own}.byte = lshr i64 %lane.{self._number}, 3",
                f"  {own}.from = getelementptr i8, ptr {place}, i64 {own}.byte",
                f"  {own}.bits = load i{STRIP}, ptr {own}.from",
                f"  {own} = bitcast i{STRIP} {own}.bits to <{STRIP} x i1>",
            ]
        else:
            self._early += self._memory_line(f"  {name} = load {kind}, ptr {place}, align 64", "load", kind, own)

    def add_access(self, line: Line, place: list[str]) -> None:
        match = _ACCESS.search(line.text)
        assert match is not None
        operation, space, size, mask, addresses, offset, data = match.groups()
        self.accesses.add((operation, space, size))
        (self.loaded if operation == "load" else self.stored).add(_space(line))
        arguments = [
            "ptr %wave",
            f"<{STRIP} x i1> {self.resolve(mask)}",
            f"<{STRIP} x i{_ADDRESS_BITS[space]}> {self.resolve(addresses)}",
            f"i64 {offset}",
            *(f"<{STRIP} x i32> {self.resolve(value)}" for value in (data.split(" & ") if data else [])),
        ]
        call = f"@w2w.lanes.{operation}.{space}.{size}({', '.join(arguments)})"
        self._body += place
        if operation == "store":
            self._body.append(f"  call {self._convention}void {call}")
            return
        strip = f"<{STRIP} x i32>"
        if len(line.results) == 1:
            self._body.append(f"  {line.results[0]} = call {self._convention}{strip} {call}")
        else:
            whole, result = f"{line.results[0]}.all", "{ " + ", ".join([strip] * len(line.results)) + " }"
            self._body.append(f"  {whole} = call {self._convention}{result} {call}")
            for position, name in enumerate(line.results):
                self._body.append(f"  {name} = extractvalue {result} {whole}, {position}")
        for name in line.results:
            self._types[name] = line.type

    # ---- masks -----------------------------------------------------------------------------------------------------

    def lanes_of_bits(self, bits: str) -> str:
        """The strip's part of a mask that is known before the loop."""
        key = f"bits {bits}"
        if key not in self._names:
            own = self._names[key] = self._fresh_name()
            self._early += [
                f"  {own}.shifted = lshr i64 {bits}, %lane.{self._number}",
                f"  {own}.bits = trunc i64 {own}.shifted to i{STRIP}",
                f"  {own} = bitcast i{STRIP} {own}.bits to <{STRIP} x i1>",
            ]
        return self._names[key]

    def combine_masks(self, bits: str, operation: str, operands: list[str]) -> str:
        """The lanes of a mask that is made by logic of others."""
        own = self._names[f"lanes {bits}"] = self._fresh_name()
        self._body.append(f"  {own} = {operation} <{STRIP} x i1> {', '.join(operands)}")
        return own

    def combined_mask(self, bits: str) -> str | None:
        """What ``combine_masks`` gave for this mask before."""
        return self._names.get(f"lanes {bits}")

    def call_it(self, name: str, value: str) -> None:
        """``name`` is what the loop has as ``value``."""
        self._names[name] = value

    # ---- names -----------------------------------------------------------------------------------------------------

    def resolve(self, name: str) -> str:
        return self._names.get(name, name)

    def _renamed(self, text: str) -> str:
        return _VALUE.sub(lambda match: self._names.get(match[0], match[0]), text)

    def _own_name(self, name: str) -> str:
        own = self._names[name] = f"{name}.{self._number}"
        return own

    def _fresh_name(self) -> str:
        self._fresh += 1
        return f"%own.{self._number}.{self._fresh}"

    # ---- memory ----------------------------------------------------------------------------------------------------

    def _memory_line(self, text: str, operation: str, kind: str, own: str = "") -> list[str]:
        """A load or store of 64 lanes, for the strip."""
        if kind == _MASK:
            raise ValueError("masks are kept as bits")
        size = _ELEMENT_BYTES[element_of(kind)]
        head, _, tail = text.partition(", ptr ")
        pointer, fresh = tail.split(",")[0], self._fresh_name()
        strip = f"<{STRIP} x {element_of(kind)}>"
        address = f"  {fresh} = getelementptr i8, ptr {pointer}, i64 {self._scaled(size)}"
        if operation == "store":
            value = self._renamed(head.split(f"{kind} ", 1)[1])
            return [address, f"  store {strip} {value}, ptr {fresh}, align {STRIP * min(size, 4)}"]
        result = own or head.split(" = ")[0].strip()
        return [address, f"  {result} = load {strip}, ptr {fresh}, align {STRIP * min(size, 4)}"]

    def _scaled(self, size: int) -> str:
        if size == 1:
            return f"%lane.{self._number}"
        if size not in self._scales:
            self._scales[size] = f"%at.{self._number}.{size}"
        return self._scales[size]

    def keep(self, name: str, place: str) -> None:
        """Others need ``name``."""
        entry = (name, place, self._types[name])
        if entry not in self._kept:
            self._kept.append(entry)

    # ---- text ------------------------------------------------------------------------------------------------------

    def render(self) -> list[str]:
        number = self._number
        kept = [text for name, place, kind in self._kept for text in self._keep_lines(name, place, kind)]
        lines = [f"  br label %before.{number}", f"before.{number}:", f"  br label %strip.{number}", f"strip.{number}:"]
        lines.append(f"  %lane.{number} = phi i64 [ 0, %before.{number} ], [ %next.{number}, %strip.{number} ]")
        lines += [
            f"  {name}.before = phi i64 [ 0, %before.{number} ], [ {name}, %strip.{number} ]" for name in self._sums
        ]
        lines += [f"  {name} = shl i64 %lane.{number}, {size.bit_length() - 1}" for size, name in self._scales.items()]
        lines += [*self._early, *self._body, *kept]
        lines += [
            f"  %next.{number} = add i64 %lane.{number}, {STRIP}",
            f"  %more.{number} = icmp ne i64 %next.{number}, {LANES}",
            f"  br i1 %more.{number}, label %strip.{number}, label %after.{number}, !llvm.loop !1",
            f"after.{number}:",
        ]
        return lines

    def _keep_lines(self, name: str, place: str, kind: str) -> list[str]:
        if kind == _MASK:
            fresh = self._fresh_name()
            return [
                f"  {fresh}.bits = bitcast <{STRIP} x i1> {name} to i{STRIP}",
                f"  {fresh}.byte = lshr i64 %lane.{self._number}, 3",
                f"  {fresh} = getelementptr i8, ptr {place}, i64 {fresh}.byte",
                f"  store i{STRIP} {fresh}.bits, ptr {fresh}",
            ]
        return self._memory_line(f"  store {kind} {name}, ptr {place}, align 64", "store", kind)


def element_of(kind: str) -> str:
    return kind.split(" x ")[1][:-1]


def _space(access: Line) -> str:
    """LDS is memory of its own; the others are views of one."""
    return "lds" if access.text.split(" lds ", 1)[0].endswith(("lanes.load", "lanes.store")) else "global"
