"""Loads, stores, fences, and calls of the device's system library. PTX ISA 9.7.9, 9.7.12 and 9.7.13."""

from __future__ import annotations

from ...errors import UnsupportedInstructionError
from ...names import c_string
from ...semantics.memory import state_space
from ...sites import READ, WRITE
from ...syntax import Address, Arguments, Instruction, Operand, Sink, Symbol, Vector
from ...types import BYTES, UNSIGNED
from ..emitter import NoVectorFormError, VectorEmitter

_ORDERED = frozenset({"volatile", "relaxed", "acquire", "release", "mmio"})


def _elements(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def _space(i: Instruction, *, strong: bool) -> str:
    """``global`` or ``shared``. Others, and accesses with an order, are done lane by lane."""
    space = state_space(i)
    if space not in ("global", "shared", "generic") or (strong and not _ORDERED.isdisjoint(i.modifiers)):
        raise NoVectorFormError
    return "shared" if space == "shared" else "global"


def _addresses(e: VectorEmitter, operand: Operand, space: str) -> str:
    assert isinstance(operand, Address)
    kind, size = ("u32", 4) if space == "shared" else ("u64", 8)
    if isinstance(operand.base, Symbol):
        raise NoVectorFormError
    text = e.value(operand.base, kind)
    return f"({text}+(V{size})(({UNSIGNED[size]})({operand.offset}l)))" if operand.offset else text


def _is_invariant(e: VectorEmitter, operand: Operand) -> bool:
    return isinstance(operand, Address) and e.is_invariant(operand.base)


def load(e: VectorEmitter, i: Instruction) -> None:
    elements = _elements(i.operands[0])
    size = BYTES[i.type]
    if size > 8:
        raise NoVectorFormError
    if _is_invariant(e, i.operands[1]):
        _load_once(e, i, elements)
        return
    # Code from before independent threads counts on the lanes going in step where it uses volatile shared memory.
    strong = not (state_space(i) == "shared" and "volatile" in i.modifiers)
    space = _space(i, strong=strong)
    total = size * len(elements)
    site = e.recorder.site(i, size=total, align=total, access=READ)
    address = _addresses(e, i.operands[1], space)
    if len(elements) == 1:
        e.emit(f"V{size} x={space}_load{e.here}{size}(wt,w,{address},{e.active},{site});")
        _assign_loaded(e, i, elements[0], "x")
        return
    e.emit(f"{'V4' if space == 'shared' else 'V8'} a={address};V{size} x[{len(elements)}];")
    e.emit(f"{space}_load_several{size}(wt,w,&a,{e.active},{site},{total},{len(elements)},x);")
    for number, element in enumerate(elements):
        _assign_loaded(e, i, element, f"x[{number}]")


def _assign_loaded(e: VectorEmitter, i: Instruction, to: Operand, name: str) -> None:
    if isinstance(to, Sink):
        return
    size = BYTES[i.type]
    wide = max(e.recorder.register_size(to), size)
    letter = "S" if i.type.startswith("s") else "V"
    e.assign(to, name if wide == size else f"convert(({letter}{size}){name},{letter}{wide})", wide)


def _load_once(e: VectorEmitter, i: Instruction, elements: tuple[Operand, ...]) -> None:
    """All lanes read one place."""
    space, size = state_space(i), BYTES[i.type]
    total = size * len(elements)
    address = e.recorder.address(i.operands[1], space)
    if "lane_" in address:
        raise NoVectorFormError
    if space in ("param", "local"):
        e.emit(f"char*q=(char*){address};")
    else:
        site = e.recorder.site(i, size=total, align=total, access=READ)
        check = "shared_pointer" if space == "shared" else "global_pointer"
        e.emit(f"char*q={check}(lane_thread(wt,w,first_lane({e.active})),{address},{site},{total},{total});")
    ordered = not _ORDERED.isdisjoint(i.modifiers) and space != "param"
    c_type = UNSIGNED[size]
    for number in range(len(elements)):
        place = f"q+{size * number}"
        text = f"load_shared_order({c_type},{place})" if ordered else f"load_{c_type}({place})"
        e.emit(f"V{size} x{number}=(V{size})({text});")
    for number, element in enumerate(elements):
        _assign_loaded(e, i, element, f"x{number}")


def store(e: VectorEmitter, i: Instruction) -> None:
    elements = _elements(i.operands[1])
    size = BYTES[i.type]
    if size > 8 or _is_invariant(e, i.operands[0]):
        raise NoVectorFormError
    space = _space(i, strong=not (state_space(i) == "shared" and "volatile" in i.modifiers))
    total = size * len(elements)
    site = e.recorder.site(i, size=total, align=total, access=WRITE)
    address = _addresses(e, i.operands[0], space)
    values = [e.value(element, i.type) for element in elements]
    if len(elements) == 1:
        e.emit(f"{space}_store{e.here}{size}(wt,w,{address},{values[0]},{e.active},{site});")
        return
    e.emit(f"{'V4' if space == 'shared' else 'V8'} a={address};V{size} x[]={{{','.join(values)}}};")
    e.emit(f"{space}_scatter{size}(wt,w,&a,{e.active},{site},{total},{len(elements)},x);")


def fence(e: VectorEmitter, i: Instruction) -> None:
    kind = "signal" if "cta" in i.modifiers else "thread"
    e.emit(f"__atomic_{kind}_fence(__ATOMIC_SEQ_CST);")


def active_mask(e: VectorEmitter, i: Instruction) -> None:
    e.assign(i.operands[0], f"(V4)({e.active})", 4)


def sleep(e: VectorEmitter, i: Instruction) -> None:
    """The others run when the lanes jump back."""
    e.waits = True
    e.emit("w->polls=PATIENCE_OF_SIBLINGS;")


def mbarrier_wait(e: VectorEmitter, i: Instruction) -> None:
    """The test may fail at once: the others run when the lanes jump back."""
    e.waits = True
    e.loop_over_lanes([line.replace("w2w_yield(t)", "w->polls=PATIENCE_OF_SIBLINGS") for line in e.scalar_lines])


# ---- calls -----------------------------------------------------------------------------------------------

_BUILTINS = {
    "vprintf": "store_u32(RESULT,(u32)w2w_warp_vprintf(t,load_u64(b[0]),load_u64(b[1])));",
    "malloc": "store_u64(RESULT,w2w_device_malloc(t,load_u64(b[0])));",
    "free": "w2w_device_free(t,SITE,load_u64(b[0]));",
    "__assertfail": "w2w_warp_assert_fail(t,SITE,load_u64(b[0]),load_u64(b[1]),load_u32(b[2]),load_u64(b[3]),"
    "!(rest_&(rest_-1)));",
}


def call(e: VectorEmitter, i: Instruction) -> None:
    """Of what was not inlined: the system library, and functions that nothing defines."""
    position = next(n for n, operand in enumerate(i.operands) if isinstance(operand, Symbol))
    target = i.operands[position]
    assert isinstance(target, Symbol)
    site = e.recorder.site(i)
    text = _BUILTINS.get(target.name)
    if text is None:
        e.loop_over_lanes([f"w2w_missing_function(t,{c_string(target.name)},{site});"])
        return
    results = _names(i.operands[:position])
    arguments = [_argument(e, operand) for operand in _names(i.operands[position + 1 :])]
    result = f"(u8*){e.recorder.value(results[0], 'u64')}" if results else "0"
    text = text.replace("RESULT", result).replace("SITE", site)
    e.loop_over_lanes([f"u8*b[]={{{','.join(arguments)}}};", text])


def _names(operands: list[Operand]) -> tuple[Operand, ...]:
    found = next((o for o in operands if isinstance(o, Arguments)), None)
    return found.names if found else ()


def _argument(e: VectorEmitter, operand: Operand) -> str:
    if not isinstance(operand, Symbol):
        raise UnsupportedInstructionError("a parameter in a register")
    return f"(u8*){e.recorder.value(operand, 'u64')}"
