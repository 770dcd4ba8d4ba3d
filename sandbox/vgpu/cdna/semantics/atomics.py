"""Atomic operations on global memory, flat addresses and buffers."""

from __future__ import annotations

from ..checked_access import CheckedKind, check_access
from ..emitter import Emitter
from ..instruction import Instruction, Operand
from ..types import I32, I64
from .buffers import buffer_access
from .memory_access import Access, AccessKind, as_addresses, count_access, data_shadows, flat_access, is_checked
from .registry import semantics


def run_atomic(
    e: Emitter,
    access: Access,
    op: str,
    bits: int,
    values: list[Operand],
    mask: str | None = None,
    *,
    returns: bool = True,
) -> str:
    """``w2w_<space>_atomic_<op>(wave, exec, addresses, offset, data..., result)``; the value before."""
    kind = I64 if bits == 64 else I32
    with e.unnoticed():  # looked at by the check
        places = [e.spill(kind, e.read(value, kind)) for value in values]
    if is_checked(e, access):
        shadows = [shadow for value in values for shadow in data_shadows(e, value, bits // 32)]
        how = CheckedKind.EXCHANGE if op.startswith("swap") else CheckedKind.ATOMIC
        mask = check_access(e, access, bits // 8, how, mask, shadows=shadows, returns=returns)
    result = e.temporary(kind)
    count_access(e, access, bits // 8, AccessKind.ATOMIC, mask)
    e.call_void(
        f"w2w_{access.space}_atomic_{op}",
        *access.arguments(e, mask),
        *(("ptr", place) for place in [*places, result]),
    )
    (old,) = e.reload(result, kind)
    if mask is None or not is_checked(e, access):
        return old
    return e.select(e.mask_of(mask), kind, old, "zeroinitializer")


def _data(e: Emitter, operand: Operand, bits: int, compare: bool) -> list[Operand]:
    """For a compare-and-swap the new value and the one compared with follow each other."""
    return [operand, e.part(operand, bits // 32)] if compare else [operand]


@semantics
def memory_atomic(e: Emitter, i: Instruction, *, op: str, bits: int, compare: bool = False) -> None:
    """[D,] address, data, scalar base or ``off``; D where sc0 asks for the value before."""
    e.note_pc()
    returns = "sc0" in i.modifiers
    operands = i.operands[1:] if returns else i.operands
    access = as_addresses(e, flat_access(e, i, operands[0], operands[2] if len(operands) > 2 else None))
    old = run_atomic(e, access, op, bits, _data(e, operands[1], bits, compare), returns=returns)
    if returns:
        e.write_bits(i.operands[0], old, wide=bits == 64)


@semantics
def buffer_atomic(e: Emitter, i: Instruction, *, op: str, bits: int, compare: bool = False) -> None:
    """Data (and result), vector address, descriptor, scalar offset."""
    e.note_pc()
    buffer = buffer_access(e, i, 1, "b64" if bits == 64 else "b32")
    data = _data(e, i.operands[0], bits, compare)
    old = run_atomic(e, buffer.access, op, bits, data, buffer.mask, returns="sc0" in i.modifiers)
    if "sc0" in i.modifiers:
        kind = I64 if bits == 64 else I32
        old = e.select(e.mask_of(buffer.mask), kind, old, "zeroinitializer")
        e.write_bits(i.operands[0], old, wide=bits == 64)
