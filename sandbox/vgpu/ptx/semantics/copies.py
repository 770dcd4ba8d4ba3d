"""Asynchronous copies. They are complete when they are issued, which the ISA permits. PTX ISA 9.7.9.25."""

from __future__ import annotations

from ..emitter import FunctionEmitter
from ..errors import UnsupportedInstructionError
from ..sites import READ, WRITE
from ..syntax import Immediate, Instruction, Register


def copy_async(e: FunctionEmitter, i: Instruction) -> None:
    """cp.async [shared], [global], size{, source size or ignore-src}{, policy}: the rest is zero."""
    amount = i.operands[2]
    if not isinstance(amount, Immediate) or amount.bits not in (4, 8, 16):
        raise UnsupportedInstructionError("cp.async of this size")
    size = amount.bits
    rest = i.operands[3:-1] if "L2::cache_hint" in i.modifiers else i.operands[3:]
    source_size = str(size)
    if rest:
        ignored = isinstance(rest[0], Register) and rest[0].type == "pred"
        value = e.value(rest[0], "pred" if ignored else "u32")
        source_size = f"({value}?0:{size})" if ignored else value
    to = e.pointer(i, i.operands[0], "shared", size, size, WRITE)
    e.emit(f"u32 n={source_size};if(n>{size})n={size};")
    e.emit(f"u8 c[{size}]={{0}};if(n){{")
    source = e.pointer(i, i.operands[1], "global", size, size, READ)
    e.emit(f"__builtin_memcpy(c,{source},n);}}")
    e.emit(f"__builtin_memcpy({to},c,{size});")


def copy_async_arrive(e: FunctionEmitter, i: Instruction) -> None:
    """The copies before it are done, so it arrives at once; without .noinc it counts as one more arrival."""
    object_ = e.pointer(i, i.operands[0], "shared" if len(i.modifiers) > 3 else "generic", 8, 8, WRITE)
    if "noinc" in i.modifiers:
        e.emit(f"w2w_mbarrier_arrive((u64*){object_},1,0,0);")


def copy_bulk(e: FunctionEmitter, i: Instruction) -> None:
    """cp.async.bulk.DST.SRC...: blocks of 16 bytes; the mbarrier counts the bytes."""
    spaces = [m.partition("::")[0] for m in i.modifiers if m.partition("::")[0] in ("shared", "global")]
    if len(spaces) != 2:
        raise UnsupportedInstructionError(i.text)
    e.emit(f"u32 n={e.value(i.operands[2], 'u32')};for(u32 o=0;o<n;o+=16){{")
    to, source = (e.address(operand, space) for operand, space in zip(i.operands[:2], spaces, strict=True))
    places = (e.site(i, size=16, align=16, access=WRITE), e.site(i, size=16, align=16, access=READ))
    e.emit(f"char*d={spaces[0]}_pointer(t,{to}+o,{places[0]},16,16);")
    e.emit(f"char*s={spaces[1]}_pointer(t,{source}+o,{places[1]},16,16);__builtin_memcpy(d,s,16);}}")
    if "mbarrier::complete_tx::bytes" in i.modifiers:
        object_ = e.pointer(i, i.operands[3], "shared", 8, 8, WRITE)
        e.emit(f"w2w_mbarrier_complete_bytes((u64*){object_},n);")
