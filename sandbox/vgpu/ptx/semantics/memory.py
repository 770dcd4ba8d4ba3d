"""Loads, stores, fences. PTX ISA 9.7.9 and 9.7.13."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..sites import READ, WRITE
from ..syntax import Instruction, Operand, Sink, Vector
from ..types import BYTES, SIGNED, UNSIGNED

_ORDERED = frozenset({"volatile", "relaxed", "acquire", "release", "mmio"})


def state_space(i: Instruction) -> str:
    """``generic`` where the instruction names none. Constant memory is global memory here."""
    for modifier in i.modifiers:
        space = modifier.partition("::")[0]
        if space in ("shared", "local", "param"):
            return space
        if space in ("global", "const"):
            return "global"
    return "generic"


def _elements(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def _is_ordered(i: Instruction) -> bool:
    return not _ORDERED.isdisjoint(i.modifiers)


def _converge(e: FunctionEmitter, i: Instruction, space: str) -> None:
    """Code from before independent threads uses volatile shared memory and counts on a warp's lanes to go in step."""
    if space == "shared" and "volatile" in i.modifiers:
        e.waits = True
        e.emit(f"w2w_active_mask(t,{e.site(i)});")


def load(e: FunctionEmitter, i: Instruction) -> None:
    elements = _elements(i.operands[0])
    size, space = BYTES[i.type], state_space(i)
    ordered = _is_ordered(i) and space != "param" and size <= 8
    _converge(e, i, space)
    if ordered:
        e.poll()
    total = size * len(elements)
    pointer = e.pointer(i, i.operands[1], space, total, total, READ)
    signed = i.type.startswith("s") and size < 8
    c_type = SIGNED[size] if signed else UNSIGNED[size]
    names = []
    for number, element in enumerate(elements):
        name = e.temporary()
        place = f"{pointer}+{size * number}"
        text = f"load_shared_order({c_type},{place})" if ordered else f"load_{c_type}({place})"
        if not isinstance(element, Sink):
            wide = max(e.register_size(element), size)
            text = f"({SIGNED[wide]}){text}" if signed else text
        e.emit(f"{(SIGNED if signed else UNSIGNED)[max(size, 8)]} {name}={text};")
        names.append(name)
    for element, name in zip(elements, names, strict=True):
        e.assign(element, name)


def store(e: FunctionEmitter, i: Instruction) -> None:
    elements = _elements(i.operands[1])
    size, space = BYTES[i.type], state_space(i)
    total = size * len(elements)
    _converge(e, i, space)
    pointer = e.pointer(i, i.operands[0], space, total, total, WRITE)
    ordered = _is_ordered(i) and size <= 8
    c_type = UNSIGNED[size]
    for number, element in enumerate(elements):
        function = f"store_shared_order({c_type}," if ordered else f"store_{c_type}("
        e.emit(f"{function}{pointer}+{size * number},{e.value(element, i.type)});")


def fence(e: FunctionEmitter, i: Instruction) -> None:
    if "cta" in i.modifiers:
        e.emit("__atomic_signal_fence(__ATOMIC_SEQ_CST);")  # a block runs on one host thread
    else:
        e.emit("__atomic_thread_fence(__ATOMIC_SEQ_CST);")


def ignore(e: FunctionEmitter, i: Instruction) -> None:
    """Advice to caches, and copies that are complete when they are issued: nothing to do."""


def ignore_stack(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], "0")


def create_policy(e: FunctionEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], "0")


def allocate_local(e: FunctionEmitter, i: Instruction) -> None:
    """The memory is freed when the function returns."""
    if not e.function.body:
        raise UnsupportedInstructionError(i.text)
    e.emit(f"u64 n={e.value(i.operands[1], i.type)};")
    e.emit(f"if(n>(u64)(t->stack_high-t->stack_low)/2)w2w_check_stack(t,{e.site(i)});")
    e.assign(i.operands[0], "(u64)__builtin_alloca_with_align(n,128)")
