"""Generates the C code of one kernel for a whole warp: 32 lanes at once.

Each register is a vector, each predicate 32 bits. The lanes that stand at one place run together, under a mask; of
several groups the one that stands first in the kernel (``ordering.py``) runs, so that groups meet again, and others
wait in ``struct w2w_warp``. Registers that live from one basic block to another are kept in memory between them.
See docs/adr/0004.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..emitter import Semantics, immediate_text
from ..errors import NotVectorisedError
from ..flow import FlowGraph, build_flow_graph
from ..names import Names
from ..program import Program
from ..reachability import CallGraph, Key
from ..shared_layout import SharedLayout
from ..sites import Sites
from ..syntax import (
    Immediate,
    Instruction,
    Label,
    Negated,
    Operand,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
)
from ..types import BYTES, UNSIGNED
from .analysis import find_invariants, find_liveness, is_uniform_special
from .inlining import inline_calls
from .ordering import order_blocks
from .recording import Record, Recorder

MAX_PLACES = 8000
SMALL_KERNEL_INSTRUCTIONS = 120
"""Up to here the compiler's time for accesses to memory in place counts less than what a call of a function costs."""

_SPECIAL = {
    "tid.x": "(*(V4*)w->tid[0])",
    "tid.y": "(*(V4*)w->tid[1])",
    "tid.z": "(*(V4*)w->tid[2])",
    "laneid": "LANE4",
    "lanemask_eq": "((V4)(1u)<<LANE4)",
    "lanemask_lt": "(((V4)(1u)<<LANE4)-1u)",
    "lanemask_le": "(((V4)(2u)<<LANE4)-1u)",
    "lanemask_gt": "~(((V4)(2u)<<LANE4)-1u)",
    "lanemask_ge": "~(((V4)(1u)<<LANE4)-1u)",
}


class NoVectorFormError(Exception):
    """No text for vectors: a loop over the lanes does it."""


Form = Callable[["VectorEmitter", Instruction], None]


@dataclass(frozen=True)
class Meeting:
    """``begin`` leaves the results in ``r`` (a V4) and ``p`` (32 bits), from where ``finish`` takes them."""

    begin: Form
    finish: Form


@dataclass(frozen=True)
class Forms:
    """By name of semantics. ``plain`` compute vectors; ``control`` end basic blocks; ``meetings`` may wait in them."""

    plain: dict[str, Form]
    control: dict[str, Form]
    meetings: dict[str, Meeting]
    refused: frozenset[str]


@dataclass
class VectorKernel:
    """``waits``: other warps may have to run before this one can go on, so that it needs a fibre."""

    lines: list[str]
    warp_bytes: int
    instructions: int
    waits: bool


class VectorEmitter:
    """Raises NotVectorisedError from ``generate`` where the scalar generator must do it."""

    def __init__(
        self,
        key: Key,
        program: Program,
        graph: CallGraph,
        names: Names,
        shared: SharedLayout,
        sites: Sites,
        semantics: dict[str, Semantics],
        forms: Forms,
    ) -> None:
        self._kernel = inline_calls(program, graph, key)
        self.function = self._kernel.function
        self.recorder = Recorder(key, program, self._kernel, names, shared, sites, semantics)
        self.waits = False
        self._forms = forms
        self._homes = {name: f.__module__.rpartition(".")[2] for name, f in semantics.items()}
        self._name = names.function(key)
        self._lines: list[str] = []
        self._temporaries = 0
        self._index = 0
        self._number = 0
        self._last_place = 0
        self._kept: set[Register] = set()
        self._read: set[Register] = set()
        self._defined: set[Register] = set()
        self._widest = 0
        self._scratch = 64
        self._jumped_back: set[int] = set()

    # ---- the kernel as a whole ---------------------------------------------------------------------------

    def generate(self) -> VectorKernel:
        body = self.function.body or []
        self._graph: FlowGraph = build_flow_graph(self.function)
        self._order = order_blocks([block.successors for block in self._graph.blocks]) if body else []
        self.recorder._in_loop = self._graph.cyclic_statements()
        self._records = self._record()
        self.invariants, hoisted = find_invariants(body, self._records, self._homes)
        self._hoisted = set(hoisted)
        self._live = find_liveness(self._graph, self._order, self._records, self.invariants)
        self._number_places()
        for number in self._order:
            self._generate_block(number)
        return self._assemble(hoisted)

    def _record(self) -> dict[int, Record]:
        records = {}
        body = self.function.body or []
        for number in self._order:
            block = self._graph.blocks[number]
            for index in range(block.start, block.end):
                statement = body[index]
                if isinstance(statement, Instruction):
                    self.recorder._current = index
                    records[index] = self.recorder.record(statement, self._kernel.origins[index])
                    if records[index].semantics in self._forms.refused:
                        raise NotVectorisedError(statement.text)
        return records

    def _number_places(self) -> None:
        """Places where lanes may be parked: the beginnings of blocks, and behind what waits in them."""
        self._places: dict[int, int] = {}
        self._entry: dict[str, int] = {}
        self._block_of_place: list[str] = []
        self._resumes: dict[int, int] = {}
        body = self.function.body or []
        for number in self._order:
            block = self._graph.blocks[number]
            self._places[number] = len(self._block_of_place)
            self._block_of_place.append(f"E{number}")
            for index in range(block.start, block.end):
                statement = body[index]
                if isinstance(statement, Label):
                    self._entry[statement.name] = number
                elif self._records[index].semantics in self._forms.meetings:
                    self._resumes[index] = len(self._block_of_place)
                    self._block_of_place.append(f"R{index}")
        if len(self._block_of_place) > MAX_PLACES:
            raise NotVectorisedError("too many basic blocks")

    def _assemble(self, hoisted: list[int]) -> VectorKernel:
        kept = sorted(
            {r for live in self._live.begin.values() for r in live} | self._kept | self._read, key=self.recorder.name
        )
        fields = [f"{_vector_type(r)} {self.recorder.name(r)};" for r in kept]
        frame = f"struct {self._name}_frame{{{''.join(fields)}u32 unused;}};"
        stride = self.recorder.memory.stride
        head = (
            f"static __attribute__((noinline)) void {self._name}_lanes(struct w2w_thread*restrict wt,"
            f"struct w2w_warp*restrict w,struct {self._name}_frame*restrict f,u8*locals,const char*restrict params){{"
            "struct w2w_thread*const t=wt;"
        )
        first = self._live.begin[0] if self._order else set()
        zeros = [f"f->{self.recorder.name(r)}={_zero(r)};" for r in sorted(first, key=self.recorder.name)]
        cases = "".join(f"case {n}:goto {name};" for n, name in enumerate(self._block_of_place))
        text = [
            frame,
            head,
            *(line for index in hoisted for line in self._hoist(index)),
            *zeros,
            f"_Alignas(256) u8 scratch[{self._scratch}];V4 r;u32 p,at,m=begin_warp(w);"
            + ("goto E0;" if self._order else ""),
            f"dispatch:{{u32 place=next_group(wt,w);m=w->group;switch(place){{{cases}default:return;}}}}",
            *self._lines,
            *(f"T{b}:if(LIKELY(!is_tired(w)))goto E{b};at={self._places[b]}u;goto tired;" for b in self._jumped_back),
            "tired:w->deferred|=m;parked:park(w,m,at);goto dispatch;",
            "ended:if(end_lanes(wt,w,m))return;goto dispatch;}",
            f"static void {self._name}_warp(struct w2w_thread*t,struct w2w_warp*w){{"
            f"struct {self._name}_frame frame;_Alignas(128) u8 locals[{max(32 * stride, 8)}];"
            f"{self._name}_lanes(t,w,&frame,locals,t->params);}}",
        ]
        size = sum(32 * BYTES[r.type] if r.type != "pred" else 4 for r in kept) + 32 * stride
        return VectorKernel(text, size + 128 * self._widest, self.recorder.instructions, self.waits)

    def _hoist(self, index: int) -> list[str]:
        record = self._records[index]
        declared = [f"{UNSIGNED[BYTES[r.type]]} {self.recorder.name(r)};" for r in record.writes]
        return [*declared, "{", *record.lines, "}"]

    # ---- blocks ------------------------------------------------------------------------------------------

    def _generate_block(self, number: int) -> None:
        """In segments: what waits ends one, since lanes may go on behind it at another time than they came."""
        block = self._graph.blocks[number]
        self._number = number
        self._last_place = self._places[number]
        indices = [i for i in range(block.start, block.end) if i in self._records and i not in self._hoisted]
        self._find_live_behind(number, indices)
        place = self._places[number]
        self.emit(f"B{number}:if(UNLIKELY(w->next<={place}u)){{at={place}u;goto parked;}}E{number}:")
        meeting: int | None = None
        segment: list[int] = []
        for index in indices:
            if self._records[index].semantics in self._forms.meetings:
                self._generate_segment(meeting, segment, index)
                meeting, segment = index, []
            else:
                segment.append(index)
        self._generate_segment(meeting, segment, None)

    def _find_live_behind(self, number: int, indices: list[int]) -> None:
        """For each instruction of the block, the registers that are live behind it."""
        self._live_behind: dict[int, set[Register]] = {}
        live = set(self._live.end[number])
        for index in reversed(indices):
            record = self._records[index]
            if record.semantics in self._forms.meetings:
                self._live_behind[index] = live - record.writes
                self._kept |= self._live_behind[index]
            live -= record.writes
            live |= record.reads - self.invariants

    def _generate_segment(self, before: int | None, indices: list[int], behind: int | None) -> None:
        """The instructions between two that wait (None: the block's beginning or end)."""
        self._declare(before, indices, behind)
        self._defined = set()
        if before is not None:
            self._last_place = self._resumes[before]
            self._call(before, self._forms.meetings[self._records[before].semantics].finish)
            self._defined = set(self._records[before].writes)
        ended = False
        for index in indices:
            ended = self._generate_instruction(index)
        if behind is not None:
            self.waits = True
            self._store(self._defined & self._live_behind[behind])
            self._call(behind, self._forms.meetings[self._records[behind].semantics].begin)
        elif not ended:
            self.flush()
            following = self._graph.blocks[self._number].successors
            self.emit(self.jump(following[0]) if following else self.LEAVE)
        self.emit("}")

    def _declare(self, before: int | None, indices: list[int], behind: int | None) -> None:
        """Declare the segment's registers; load those that it reads before it writes them."""
        written: set[Register] = set(self._records[before].writes) if before is not None else set()
        used, read = set(written), set()
        for index in [*indices, *([] if behind is None else [behind])]:
            record = self._records[index]
            read |= record.reads - written
            written |= record.writes
            used |= record.reads if index == behind else record.reads | record.writes
        self._widest = max(self._widest, len(used))
        self.emit("{")
        for r in sorted(used - self.invariants, key=self.recorder.name):
            name = self.recorder.name(r)
            value = f"=f->{name}" if r in read else "=0" if r.type == "pred" else ""
            self.emit(f"{_vector_type(r)} {name}{value};")
        self._read |= read - self.invariants

    def _call(self, index: int, form: Form) -> None:
        instruction = (self.function.body or [])[index]
        assert isinstance(instruction, Instruction)
        self._index = index
        with self.recorder.at(self._kernel.origins[index]):
            form(self, instruction)

    def _generate_instruction(self, index: int) -> bool:
        """True if the instruction ends its block."""
        instruction = (self.function.body or [])[index]
        assert isinstance(instruction, Instruction)
        self._index = index
        record = self._records[index]
        with self.recorder.at(self._kernel.origins[index]):
            control = self._forms.control.get(record.semantics)
            if control:
                control(self, instruction)
                return True
            self._generate_plain(instruction, record)
        self._defined |= record.writes
        return False

    def _generate_plain(self, instruction: Instruction, record: Record) -> None:
        if record.polls:
            self.waits = True
            self.emit("w->polls++;")
        form = self._forms.plain.get(record.semantics)
        start = len(self._lines)
        if form:
            try:
                self._generate_guarded(instruction, record, form)
                return
            except NoVectorFormError:
                del self._lines[start:]
        if not record.lines:
            return
        self._generate_guarded(instruction, record, lambda e, i: e.loop_over_lanes(record.lines))

    def _generate_guarded(self, instruction: Instruction, record: Record, form: Form) -> None:
        self.guarded = instruction.guard is not None
        if instruction.guard:
            self.emit(f"{{u32 g={self._guard_mask(instruction)}&m;if(g){{")
        else:
            self.emit("{")
        form(self, instruction)
        self.emit("}}" if instruction.guard else "}")
        self.guarded = False

    def _guard_mask(self, instruction: Instruction) -> str:
        assert instruction.guard
        name = self.bits_of(instruction.guard.predicate)
        return f"~{name}" if instruction.guard.negated else name

    # ---- for the forms -----------------------------------------------------------------------------------

    guarded = False

    @property
    def here(self) -> str:
        """Part of the C names of accesses to memory: in place, or by a function."""
        return "_here" if self.recorder.instructions <= SMALL_KERNEL_INSTRUCTIONS else ""

    @property
    def active(self) -> str:
        """C name of the mask of the lanes that execute the instruction."""
        return "g" if self.guarded else "m"

    @property
    def scalar_lines(self) -> list[str]:
        """C text of the instruction for one lane."""
        return self._records[self._index].lines

    def emit(self, line: str) -> None:
        self._lines.append(line)

    def temporary(self) -> str:
        self._temporaries += 1
        return f"y{self._temporaries}"

    def value(self, operand: Operand, kind: str) -> str:
        """The operand's bits as a C vector of unsigned elements of the size of type ``kind``."""
        size = BYTES[kind]
        vector = f"V{size}"
        if size not in (1, 2, 4, 8):
            raise NoVectorFormError
        if isinstance(operand, Register):
            return self._register_value(operand, size)
        if isinstance(operand, Immediate):
            return f"(({vector})(({UNSIGNED[size]})({immediate_text(operand, kind)})))"
        if isinstance(operand, SpecialRegister):
            return self._special_value(operand, size)
        if isinstance(operand, Symbol):
            return f"(({vector})(({UNSIGNED[size]})({self.symbol_address(operand)[1]})))"
        raise NoVectorFormError

    def _register_value(self, register: Register, size: int) -> str:
        name = self.recorder.name(register)
        if register in self.invariants:
            return f"((V{size})(({UNSIGNED[size]}){name}))"
        if register.type == "pred":
            raise NoVectorFormError
        return name if BYTES[register.type] == size else f"convert({name},V{size})"

    def _special_value(self, operand: SpecialRegister, size: int) -> str:
        if is_uniform_special(operand):
            return f"((V{size})(({UNSIGNED[size]})({self.recorder._special(operand.name)})))"
        text = _SPECIAL.get(operand.name)
        if text is None:
            raise NoVectorFormError
        return text if size == 4 else f"convert({text},V{size})"

    def signed(self, operand: Operand, kind: str) -> str:
        return f"((S{BYTES[kind]}){self.value(operand, kind)})"

    def typed(self, operand: Operand, kind: str) -> str:
        return self.signed(operand, kind) if kind.startswith("s") else self.value(operand, kind)

    def bits_of(self, operand: Operand) -> str:
        """A predicate operand as 32 bits. Those of lanes that do not execute mean nothing."""
        if isinstance(operand, Negated):
            return f"(~{self.bits_of(operand.operand)})"
        if isinstance(operand, Immediate):
            return "ALL" if operand.bits else "0u"
        if isinstance(operand, Register) and operand.type == "pred":
            name = self.recorder.name(operand)
            return f"({name}?ALL:0u)" if operand in self.invariants else name
        raise NoVectorFormError

    def is_invariant(self, operand: Operand) -> bool:
        """The operand has one value in the whole warp, and ``scalar`` gives it."""
        if isinstance(operand, Register):
            return operand in self.invariants
        return isinstance(operand, (Immediate, Symbol))

    def scalar(self, operand: Operand, kind: str) -> str:
        return self.recorder.value(operand, kind)

    def symbol_address(self, symbol: Symbol) -> tuple[str, str]:
        """State space and C expression of a symbol's address, which must be the same in all lanes."""
        space, text = self.recorder._symbol_address(symbol)
        if "lane_" in text:
            raise NoVectorFormError
        return space, text

    def assign(self, operand: Operand, expression: str, size: int) -> None:
        """Store a vector of elements of ``size`` bytes, whatever their type."""
        if isinstance(operand, Sink):
            return
        if not isinstance(operand, Register) or operand.type == "pred" or BYTES[operand.type] != size:
            raise NoVectorFormError
        name, text = self.recorder.name(operand), f"(V{size})({expression})"
        self.emit(f"{name}=blend(g,{text},{name});" if self.guarded else f"{name}={text};")

    def assign_bits(self, operand: Operand, expression: str) -> None:
        """Store a predicate."""
        if isinstance(operand, Sink):
            return
        if not isinstance(operand, Register) or operand.type != "pred":
            raise NoVectorFormError
        name = self.recorder.name(operand)
        self.emit(f"{name}=(g&({expression}))|(~g&{name});" if self.guarded else f"{name}={expression};")

    def loop_over_lanes(self, lines: list[str]) -> None:
        """One lane after the other, each as the scalar generator has it."""
        record = self._records[self._index]
        text = "\n".join(lines)
        registers = sorted((record.reads | record.writes) - self.invariants, key=self.recorder.name)
        registers = [r for r in registers if _mentions(text, self.recorder.name(r))]
        written = [r for r in registers if r in record.writes]
        thread = _mentions(text, "t")
        offset = 0
        for r in registers:
            name = self.recorder.name(r)
            if r.type == "pred":
                self.emit(f"u32 {name}_={name};")
                continue
            self.emit(f"{_element(r)}*const {name}_=({_element(r)}*)(scratch+{offset});")
            if r in record.reads:
                self.emit(f"*({_vector_type(r)}*){name}_={name};")
            offset += 32 * BYTES[r.type]
        self._scratch = max(self._scratch, offset)
        self.emit(f"for(u32 rest_={self.active};rest_;rest_&=rest_-1){{u32 lane_=first_lane(rest_);")
        if thread:
            self.emit("struct w2w_thread*t=lane_thread(wt,w,lane_);")
        for r in registers:
            name = self.recorder.name(r)
            self.emit(f"u8 {name}={name}_>>lane_&1;" if r.type == "pred" else f"{_element(r)} {name}={name}_[lane_];")
        self.emit(f"{{{text}}}")
        for r in written:
            name = self.recorder.name(r)
            if r.type == "pred":
                self.emit(f"{name}_=({name}_&~(1u<<lane_))|(u32)({name}!=0)<<lane_;")
            else:
                self.emit(f"{name}_[lane_]={name};")
        self.emit("}")
        for r in written:
            name = self.recorder.name(r)
            self.emit(f"{name}={name}_;" if r.type == "pred" else f"{name}=*({_vector_type(r)}*){name}_;")

    # ---- places and jumps --------------------------------------------------------------------------------

    def flush(self) -> None:
        """Keep what this block computed and others need."""
        self._store(self._defined & self._live.end[self._number])

    def _store(self, registers: set[Register]) -> None:
        names = [self.recorder.name(r) for r in sorted(registers, key=self.recorder.name) if r.type != "pred"]
        if names:
            # What is stored under a mask cannot be forwarded to the loads that follow.
            kept = "".join(f"{name}=blend(m,{name},f->{name});" for name in names)
            self.emit(f"if(UNLIKELY(m!=ALL)){{{kept}}}" + "".join(f"f->{name}={name};" for name in names))
        for name in sorted(self.recorder.name(r) for r in registers if r.type == "pred"):
            self.emit(f"f->{name}=(m&{name})|(~m&f->{name});")

    def block_at(self, label: str) -> int:
        return self._entry[label]

    @property
    def following(self) -> int | None:
        """The block behind this one."""
        number = self._number + 1
        return number if number in self._places else None

    def place(self, block: int) -> int:
        return self._places[block]

    def jump(self, block: int) -> str:
        """C text: the lanes of ``m`` go on at ``block``, unless it is the turn of others."""
        if self._places[block] > self._last_place:
            return f"goto B{block};"
        self._jumped_back.add(block)
        return f"goto T{block};"

    LEAVE = "goto ended;"
    """C text: the lanes of ``m`` end."""

    def resume_place(self) -> int:
        return self._resumes[self._index]

    def wait(self, park: str, take: str) -> None:
        """C text ``park`` parks the lanes at ``resume_place``; when others make them go on, they ``take`` what they
        waited for."""
        self.emit(f"{park}goto dispatch;R{self._index}:;{take}")


def _mentions(text: str, name: str) -> bool:
    start = text.find(name)
    while start >= 0:
        before = text[start - 1] if start else " "
        end = start + len(name)
        after = text[end] if end < len(text) else " "
        if not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_"):
            return True
        start = text.find(name, start + 1)
    return False


def _vector_type(register: Register) -> str:
    return "u32" if register.type == "pred" else f"V{BYTES[register.type]}"


def _element(register: Register) -> str:
    return UNSIGNED[BYTES[register.type]]


def _zero(register: Register) -> str:
    return "0" if register.type == "pred" else f"(V{BYTES[register.type]})(0)"
