"""Executes an instruction in its encoding: DPP and SDWA change what its operands are, the semantics stay the same."""

from __future__ import annotations

from .dpp import apply_dpp
from .emitter import Emitter
from .gpr_index import apply_gpr_index
from .instruction import Instruction
from .instruction_table import Row
from .sdwa import apply_sdwa


def execute_encoded(emitter: Emitter, instruction: Instruction, row: Row) -> None:
    """Raises UnsupportedFormError."""
    if instruction.encoding == "dpp":
        instruction = apply_dpp(emitter, instruction, source_position(instruction))
    elif instruction.encoding == "sdwa":
        instruction = apply_sdwa(emitter, instruction, source_position(instruction))
    elif emitter.gpr_index is not None and row.format.startswith("VOP"):
        instruction = apply_gpr_index(emitter, instruction, source_position(instruction))
    row.execute(emitter, instruction, **row.parameters)


def source_position(instruction: Instruction) -> int:
    """Position of src0: after the result, and the carry if there is one."""
    return 2 if "_co_" in instruction.mnemonic else 1
