"""VGPR indexing: between s_set_gpr_idx_on and _off, M0 is added to the numbers of VGPR operands."""

from __future__ import annotations

from dataclasses import replace

from .emitter import Emitter
from .errors import UnsupportedFormError
from .instruction import Instruction, Operand, OperandKind
from .types import I32

_SOURCES = ("SRC0", "SRC1", "SRC2")


def apply_gpr_index(emitter: Emitter, instruction: Instruction, position: int) -> Instruction:
    """Replace indexed sources by their values; an indexed result is noted."""
    indexed = emitter.gpr_index
    assert indexed is not None
    operands = list(instruction.operands)
    for offset, source in enumerate(_SOURCES):
        where = position + offset
        if source in indexed and where < len(operands) and operands[where].kind is OperandKind.VECTOR:
            operands[where] = _read_indexed(emitter, operands[where])
    if "DST" in indexed:
        if instruction.mnemonic != "v_mov_b32":
            raise UnsupportedFormError("an indexed result of an instruction other than v_mov_b32")
        emitter.indexed_result = True
    return replace(instruction, operands=tuple(operands))


def _read_indexed(emitter: Emitter, operand: Operand) -> Operand:
    """Choose among the registers that the index may reach; the kernel's highest VGPR bounds them."""
    if operand.count != 1:
        raise UnsupportedFormError("an indexed operand of several registers")
    index = emitter.binary("and", "i32", emitter.read_register("m0"), "255")
    value = emitter.value_of(f"v{operand.index}")
    for distance in range(1, emitter.vgpr_count - operand.index):
        chosen = emitter.compare("eq", "i32", index, str(distance))
        other = emitter.value_of(f"v{operand.index + distance}")
        value = emitter.value(f"select i1 {chosen}, {I32} {other}, {I32} {value}")
    return Operand(OperandKind.COMPUTED, name=value, negate=operand.negate, absolute=operand.absolute)
