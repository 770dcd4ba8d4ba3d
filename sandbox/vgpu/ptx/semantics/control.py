"""Branches and calls. PTX ISA 9.7.12."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..names import c_string
from ..syntax import Arguments, Instruction, Operand, Register, Symbol
from ..types import BYTES, UNSIGNED


def branch(e: FunctionEmitter, i: Instruction) -> None:
    target = i.operands[0]
    if not isinstance(target, Symbol):
        raise UnsupportedInstructionError(i.text)
    e.emit(f"goto {e.label(target.name)};")


def branch_indexed(e: FunctionEmitter, i: Instruction) -> None:
    table = i.operands[1]
    targets = e.function.branch_targets.get(table.name) if isinstance(table, Symbol) else None
    if targets is None:
        raise UnsupportedInstructionError("brx.idx without a list of targets")
    cases = "".join(f"case {number}:goto {e.label(name)};" for number, name in enumerate(targets))
    e.emit(f"switch({e.value(i.operands[0], 'u32')}){{{cases}}}")


def return_(e: FunctionEmitter, i: Instruction) -> None:
    e.emit("goto leave;")


def exit_(e: FunctionEmitter, i: Instruction) -> None:
    if e.function.is_kernel:
        e.emit("return;")
    else:
        e.waits = True  # the fibre ends in the middle of a call
        e.emit("w2w_exit(t);")


def trap(e: FunctionEmitter, i: Instruction) -> None:
    e.emit(f"w2w_trap(t,{e.site(i)});")


def breakpoint(e: FunctionEmitter, i: Instruction) -> None:
    e.emit(f"w2w_breakpoint(t,{e.site(i)});")


def sleep(e: FunctionEmitter, i: Instruction) -> None:
    e.waits = True
    e.emit("w2w_yield(t);")


def call(e: FunctionEmitter, i: Instruction) -> None:
    operands = list(i.operands)
    results = _take_list(operands)
    target = operands.pop(0)
    arguments = _take_list(operands)
    pointers = [_argument(e, operand) for operand in arguments]
    result, after = _result(e, results[0]) if results else ("0", [])
    array = f"(u8*[]){{{','.join(pointers)}}}" if pointers else "0"
    if isinstance(target, Register):
        e.waits = True  # the callee is known only when it runs
        e.emit(f"w2w_call_target(t,{e.value(target, 'u64')},{e.site(i)})(t,{result},{array});")
    elif isinstance(target, Symbol):
        _call_by_name(e, i, target.name, result, array)
    else:
        raise UnsupportedInstructionError(i.text)
    for line in after:
        e.emit(line)


def _take_list(operands: list[Operand]) -> tuple[Operand, ...]:
    """Take the parenthesised list at the front, if there is one."""
    if operands and isinstance(operands[0], Arguments):
        names = operands[0].names
        del operands[0]
        return names
    return ()


def _call_by_name(e: FunctionEmitter, i: Instruction, name: str, result: str, array: str) -> None:
    if name == "vprintf":
        # Lanes that print together print in the order of their numbers, so they wait for each other.
        e.waits = True
    builtin = _BUILTINS.get(name)
    if builtin:
        e.emit(f"u8**b={array};")
        text = builtin.replace("RESULT", f"(u8*)({result})").replace("SITE", e.site(i))
        e.emit(text.replace("IN_KERNEL", str(int(e.function.is_kernel))))
        if name == "__assertfail":
            e.emit("return;")
        return
    function = e.callee(name)
    if function is None:
        raise UnsupportedInstructionError(f"call of undefined {name}")
    if function.startswith("missing"):
        e.emit(f"w2w_missing_function(t,{c_string(name)},{e.site(i)});")
        return
    e.emit(f"w2w_check_stack_before_call(t,{e.site(i)});{function}(t,{result},{array});")


_BUILTINS = {
    "vprintf": "store_u32(RESULT,(u32)w2w_vprintf(t,SITE,load_u64(b[0]),load_u64(b[1])));",
    "malloc": "store_u64(RESULT,w2w_device_malloc(t,load_u64(b[0])));",
    "free": "w2w_device_free(t,SITE,load_u64(b[0]));",
    "__assertfail": "w2w_assert_fail(t,SITE,load_u64(b[0]),load_u64(b[1]),load_u32(b[2]),load_u64(b[3]),IN_KERNEL);",
}
"""Functions of the device's system library. ``b`` holds pointers to the arguments."""


def _argument(e: FunctionEmitter, operand: Operand) -> str:
    """C expression of a pointer to the argument's bytes."""
    if isinstance(operand, Symbol):
        return f"(u8*){e.value(operand, 'u64')}"
    kind = operand.type if isinstance(operand, Register) else "b64"
    name = e.temporary()
    e.emit(f"{UNSIGNED[BYTES[kind]]} {name}={e.value(operand, kind)};")
    return f"(u8*)&{name}"


def _result(e: FunctionEmitter, operand: Operand) -> tuple[str, list[str]]:
    """Pointer for the result, and statements that must follow the call."""
    if isinstance(operand, Symbol):
        return f"(u8*){e.value(operand, 'u64')}", []
    if not isinstance(operand, Register):
        raise UnsupportedInstructionError("result of a call")
    name = e.temporary()
    c_type = UNSIGNED[BYTES[operand.type]]
    e.emit(f"{c_type} {name}=0;")
    return f"(u8*)&{name}", [f"{e.written(operand)}={name};"]
