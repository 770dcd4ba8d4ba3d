"""mbarrier objects. PTX ISA 9.7.13.15. The state of an object is the engine's business."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..sites import ATOMIC, READ, WRITE
from ..syntax import Address, Instruction
from .memory import state_space


def mbarrier_init(e: FunctionEmitter, i: Instruction) -> None:
    pointer = e.pointer(i, i.operands[0], state_space(i), 8, 8, WRITE)
    e.emit(f"w2w_mbarrier_init((u64*){pointer},{e.value(i.operands[1], 'u32')});")


def _arrive(e: FunctionEmitter, i: Instruction, drop: int) -> None:
    operands = list(i.operands)
    # The result may be missing; the address is the first operand in brackets.
    result = None if isinstance(operands[0], Address) else operands.pop(0)
    pointer = e.pointer(i, operands[0], state_space(i), 8, 8, ATOMIC)
    value = e.value(operands[1], "u32") if len(operands) > 1 else "1"
    if "expect_tx" in i.modifiers:
        text = f"w2w_mbarrier_arrive((u64*){pointer},1,{drop},{value})"
    else:
        text = f"w2w_mbarrier_arrive((u64*){pointer},{value},{drop},0)"
    if result is None:
        e.emit(f"(void){text};")
    else:
        e.assign(result, text)


def mbarrier_arrive(e: FunctionEmitter, i: Instruction) -> None:
    _arrive(e, i, 0)


def mbarrier_arrive_drop(e: FunctionEmitter, i: Instruction) -> None:
    _arrive(e, i, 1)


def mbarrier_expect(e: FunctionEmitter, i: Instruction) -> None:
    pointer = e.pointer(i, i.operands[0], state_space(i), 8, 8, ATOMIC)
    e.emit(f"w2w_mbarrier_arrive((u64*){pointer},0,0,{e.value(i.operands[1], 'u32')});")


def mbarrier_complete(e: FunctionEmitter, i: Instruction) -> None:
    pointer = e.pointer(i, i.operands[0], state_space(i), 8, 8, ATOMIC)
    e.emit(f"w2w_mbarrier_complete_bytes((u64*){pointer},{e.value(i.operands[1], 'u32')});")


def mbarrier_wait(e: FunctionEmitter, i: Instruction) -> None:
    """Neither form blocks here: where the phase is not complete, the other threads run before it answers."""
    e.waits = True
    pointer = e.pointer(i, i.operands[1], state_space(i), 8, 8, READ)
    if "parity" in i.modifiers:
        test = f"w2w_mbarrier_test_parity((u64*){pointer},{e.value(i.operands[2], 'u32')})"
    else:
        test = f"w2w_mbarrier_test((u64*){pointer},{e.value(i.operands[2], 'u64')})"
    e.emit(f"u32 done={test};if(!done){{w2w_yield(t);done={test};}}")
    e.assign(i.operands[0], "done")


def mbarrier_pending(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"w2w_mbarrier_pending({e.value(i.operands[1], 'u64')})")
