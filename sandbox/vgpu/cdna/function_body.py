"""Translates the blocks of one function of machine code into the body of an LLVM function."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from . import wave_layout
from .control_flow import Block, FunctionGraph, is_branch, is_conditional_branch, is_fork, is_join
from .counting import CounterPlan, SegmentCounter
from .emitter import Emitter
from .encodings import execute_encoded
from .errors import UnsupportedFormError
from .float_mode import FloatMode
from .fork_stack import emit_fork, emit_join
from .instruction import Instruction
from .instruction_table import Row
from .module import Module

PROGRAM_ENDED = -1
"""What a device function returns, instead of the offset where control goes on, once the wave has ended."""
_ENDS = frozenset({"s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done"})


@dataclass(frozen=True)
class Unsupported:
    """An instruction that became a report."""

    instruction: Instruction
    reason: str


@dataclass
class FunctionBody:
    """``is_kernel``: the entry of the unit, which nobody returns from; else a device function, which returns the
    code offset that control goes on at. ``counter_plan``: of the unit, in the flavour ``counters``. ``skips_vectors``:
    MODE.VSKIP may be set."""

    module: Module
    table: dict[str, Row]
    graph: FunctionGraph
    modes: dict[int, FloatMode]
    is_kernel: bool
    vgpr_count: int = 256
    counter_plan: CounterPlan | None = None
    skips_vectors: bool = False
    unsupported: list[Unsupported] = field(default_factory=list)

    def translate(self) -> Emitter:
        """The emitter that holds the body's text, from the first block's label on."""
        self.emitter = Emitter(self.module, FloatMode(None), self.vgpr_count)
        self.segment_counter = SegmentCounter(self.counter_plan, self.emitter) if self.counter_plan else None
        for start in sorted(self.graph.blocks):
            self._block(self.graph.blocks[start])
        return self.emitter

    def _block(self, block: Block) -> None:
        emitter = self.emitter
        emitter.label(label(block.start))
        if not block.instructions:
            self._report(f"no code at offset {block.start:#x}", block.start)
            self._return_error()
            return
        emitter.mode, emitter.gpr_index = self.modes[block.start], None
        for instruction in block.instructions:
            emitter.start_instruction(instruction)
            if emitter.gpr_index is not None and instruction is block.instructions[-1]:
                self._report(f"{instruction.text} within VGPR indexing, which ends with a block", instruction.address)
            self._count(instruction, is_end=block.falls_to is None and instruction is block.instructions[-1])
            if not self._terminator(instruction):
                self._instruction_unless_skipped(instruction)
        if block.falls_to is not None:
            self._finish_counting()
            emitter.flush()
            emitter.line(f"br label %{label(block.falls_to)}")

    def _count(self, instruction: Instruction, is_end: bool) -> None:
        if self.segment_counter is None:
            return
        self.segment_counter.count(instruction)
        if is_end:
            self.segment_counter.finish()

    def _finish_counting(self) -> None:
        if self.segment_counter is not None:
            self.segment_counter.finish()

    def _instruction_unless_skipped(self, instruction: Instruction) -> None:
        """In code that sets MODE.VSKIP, every vector instruction depends on it. It is counted nevertheless."""
        row = self.table.get(instruction.mnemonic)
        if not self.skips_vectors or row is None or not row.is_vector:
            self._instruction(instruction)
            return
        emitter, number = self.emitter, self.emitter.name("")
        self._finish_counting()
        emitter.flush()
        mode = emitter.load_wave("i32", wave_layout.MODE)
        skipped = emitter.compare("ne", "i32", emitter.binary("and", "i32", mode, str(wave_layout.MODE_VSKIP)), "0")
        emitter.line(f"br i1 {skipped}, label %after{number}, label %vector{number}")
        emitter.label(f"vector{number}")
        self._instruction(instruction)
        self._finish_counting()
        emitter.flush()
        emitter.line(f"br label %after{number}")
        emitter.label(f"after{number}")

    def _instruction(self, instruction: Instruction) -> None:
        emitter = self.emitter
        length, registers, mode = len(emitter.lines), emitter.registers.snapshot(), emitter.mode
        counted = {access: replace(found) for access, found in emitter.counted_accesses.items()}
        try:
            row = self.table.get(instruction.mnemonic)
            if row is None:
                raise UnsupportedFormError("not an instruction of this target")
            if not row.implemented:
                raise UnsupportedFormError(row.status)
            execute_encoded(emitter, instruction, row)
        except (UnsupportedFormError, IndexError, KeyError, ValueError, AssertionError) as error:
            del emitter.lines[length:]
            emitter.counted_accesses = counted
            emitter.registers, emitter.mode = registers, mode
            self.unsupported.append(Unsupported(instruction, f"{type(error).__name__}: {error}"))
            self._report(instruction.text, instruction.address)

    def _report(self, text: str, address: int) -> None:
        self.emitter.call_void(
            "w2w_unsupported", ("ptr", "%wave"), ("ptr", self.module.string(text)), ("i64", str(address))
        )

    # ---- transfers of control -------------------------------------------------------------------------------------

    def _terminator(self, instruction: Instruction) -> bool:
        """Emit ``instruction`` if it ends a block; whether it does."""
        mnemonic = instruction.mnemonic
        if is_branch(instruction):
            self._branch(instruction)
        elif is_fork(instruction):
            self._fork(instruction)
        elif is_join(instruction):
            self._join(instruction)
        elif mnemonic in _ENDS:
            self._end_program()
        elif mnemonic == "s_setpc_b64":
            self._jump(instruction)
        elif mnemonic == "s_swappc_b64":
            target = self.emitter.read_scalar64(instruction.operands[1])
            self._call(instruction, self.emitter.binary("sub", "i64", target, "%code_base"))
        elif mnemonic == "s_call_b64":
            self._call(instruction, str(instruction.branch_target))
        elif mnemonic == "s_trap" and instruction.word & 0xFF == 2:
            self._instruction(instruction)
            self._end_program()
        elif mnemonic == "s_rfe_b64":
            self._instruction(instruction)
            self._return_error()
        else:
            return False
        return True

    def _branch(self, instruction: Instruction) -> None:
        emitter = self.emitter
        condition, exec_mask = self._condition(instruction), emitter.exec
        emitter.flush()
        if instruction.branch_target <= instruction.address:
            self._spend_fuel(exec_mask)
        target = label(instruction.branch_target)
        if condition is None:
            emitter.line(f"br label %{target}")
        else:
            emitter.line(f"br i1 {condition}, label %{target}, label %{label(instruction.next_address)}")

    def _condition(self, instruction: Instruction) -> str | None:
        """Whether the branch is taken, as an i1; None if always."""
        if not is_conditional_branch(instruction):
            return None
        emitter, kind = self.emitter, instruction.mnemonic.removeprefix("s_cbranch_")
        if emitter.undefined is not None:
            emitter.undefined.check_branch(instruction.mnemonic)
        if kind.startswith("cdbg"):  # no debugger is attached
            return "false"
        if kind in ("scc0", "scc1"):
            scc = emitter.scc
            return scc if kind == "scc1" else emitter.binary("xor", "i1", scc, "true")
        register = "vcc" if kind.startswith("vcc") else "exec"
        return emitter.compare("ne" if kind.endswith("nz") else "eq", "i64", emitter.read_register(register), "0")

    def _spend_fuel(self, exec_mask: str) -> None:
        """Backward branches give other waves their turn now and then. Place and EXEC are noted for reports."""
        emitter, number = self.emitter, self.emitter.name("")
        left = emitter.binary("sub", "i64", emitter.load_wave("i64", wave_layout.FUEL), "1")
        emitter.store_wave("i64", wave_layout.FUEL, left)
        is_spent = emitter.compare("slt", "i64", left, "0")
        emitter.line(f"br i1 {is_spent}, label %yield{number}, label %go{number}, !prof !0")
        emitter.label(f"yield{number}")
        emitter.note_pc()
        emitter.store_wave("i64", wave_layout.EXEC, exec_mask)
        emitter.call_void("w2w_yield", ("ptr", "%wave"))
        emitter.line(f"br label %go{number}")
        emitter.label(f"go{number}")

    def _end_program(self) -> None:
        self.emitter.line("ret i32 0" if self.is_kernel else f"ret i64 {PROGRAM_ENDED}")
        self.emitter.registers.dirty.clear()
        self.emitter.flush()

    def _return_error(self) -> None:
        self.emitter.line("ret i32 1" if self.is_kernel else f"ret i64 {PROGRAM_ENDED}")
        self.emitter.registers.dirty.clear()
        self.emitter.flush()

    def _fork(self, instruction: Instruction) -> None:
        emitter = self.emitter
        target = self.graph.jumps.get(instruction.address)
        if instruction.mnemonic == "s_cbranch_i_fork":
            target = instruction.branch_target
        if target is None:
            self._report(instruction.text, instruction.address)
            self._return_error()
            return
        places = [emitter.binary("add", "i64", "%code_base", str(at)) for at in (target, instruction.next_address)]
        taken = emit_fork(emitter, instruction.operands[0], *places)
        emitter.flush()
        emitter.line(f"br i1 {taken}, label %{label(target)}, label %{label(instruction.next_address)}")

    def _join(self, instruction: Instruction) -> None:
        emitter, number = self.emitter, self.emitter.name("")
        done, offset = emit_join(emitter, instruction.operands[0])
        exec_mask = emitter.exec
        emitter.flush()
        self._spend_fuel(exec_mask)
        emitter.line(f"br i1 {done}, label %{label(instruction.next_address)}, label %join{number}")
        emitter.label(f"join{number}")
        cases = " ".join(f"i64 {place}, label %{label(place)}" for place in sorted(self.graph.forks))
        emitter.line(f"switch i64 {offset}, label %lost{number} [ {cases} ]")
        emitter.label(f"lost{number}")
        self._report(instruction.text, instruction.address)
        self._return_error()

    def _jump(self, instruction: Instruction) -> None:
        """s_setpc_b64: a long branch, a return, or a tail call."""
        emitter = self.emitter
        known = self.graph.jumps.get(instruction.address)
        if known is not None:
            exec_mask = emitter.exec
            emitter.flush()
            if known <= instruction.address:
                self._spend_fuel(exec_mask)
            emitter.line(f"br label %{label(known)}")
            return
        target = emitter.read_scalar64(instruction.operands[0])
        offset = emitter.binary("sub", "i64", target, "%code_base")
        emitter.flush()
        if self.is_kernel:
            self._run_functions(offset, return_to=None)
        else:
            emitter.line(f"ret i64 {offset}")

    def _call(self, instruction: Instruction, offset: str) -> None:
        emitter = self.emitter
        known = self.graph.call_targets.get(instruction.address)
        if known is not None:
            offset = str(known)
        returns = emitter.binary("add", "i64", "%code_base", str(instruction.next_address))
        emitter.write_scalar64(instruction.operands[0], returns)
        emitter.flush()
        self._run_functions(offset, return_to=instruction.next_address)

    def _run_functions(self, offset: str, return_to: int | None) -> None:
        """Run the function at ``offset``, and whatever it jumps to, until control comes to ``return_to``."""
        emitter, number = self.emitter, self.emitter.name("")
        emitter.line(f"br label %from{number}")
        emitter.label(f"from{number}")
        emitter.line(f"br label %call{number}")
        emitter.label(f"call{number}")
        target = emitter.name("target")
        emitter.line(f"%{target} = phi i64 [ {offset}, %from{number} ], [ %next.{target}, %again{number} ]")
        emitter.line(f"%next.{target} = call i64 @w2w_dispatch(ptr %wave, ptr %regs, i64 %{target})")
        back = f"i64 {return_to}, label %{label(return_to)}" if return_to is not None else ""
        emitter.line(
            f"switch i64 %next.{target}, label %again{number} [ i64 {PROGRAM_ENDED}, label %end{number} {back} ]"
        )
        emitter.label(f"again{number}")
        emitter.line(f"br label %call{number}")
        emitter.label(f"end{number}")
        emitter.line("ret i32 0" if self.is_kernel else f"ret i64 {PROGRAM_ENDED}")


def label(address: int) -> str:
    return f"b{address:x}"
