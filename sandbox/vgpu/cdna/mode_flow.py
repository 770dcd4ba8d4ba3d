"""What is known of MODE at the start of each block: s_setreg with a constant is followed, anything else is not."""

from __future__ import annotations

from .control_flow import FunctionGraph, is_call
from .float_mode import FloatMode
from .hardware_registers import parse_register_field
from .instruction import Instruction


def changes_mode(graph: FunctionGraph) -> bool:
    return any(_sets_mode(i) for block in graph.blocks.values() for i in block.instructions)


def _sets_mode(instruction: Instruction) -> bool:
    return instruction.mnemonic.startswith("s_setreg") and "HW_REG_MODE" in instruction.operands[0].name


def mode_after(instruction: Instruction, mode: FloatMode) -> FloatMode:
    """MODE after ``instruction``. A called function may change it only if it changes it back."""
    if not _sets_mode(instruction):
        return mode
    field = parse_register_field(instruction.operands[0].name)
    value = instruction.operands[1]
    return mode.set_field(field.offset, field.width, value.value if value.is_constant else None)


def find_modes(graph: FunctionGraph, entry_mode: FloatMode) -> dict[int, FloatMode]:
    """By address of the block."""
    modes = {graph.entry: entry_mode}
    work = [graph.entry]
    while work:
        start = work.pop()
        block, mode = graph.blocks[start], modes[start]
        for instruction in block.instructions:
            if instruction.mnemonic.startswith("s_setreg"):
                mode = mode_after(instruction, mode)
            elif is_call(instruction):
                mode = mode if mode == entry_mode else mode.merge(entry_mode)
        for successor in block.successors:
            merged = modes[successor].merge(mode) if successor in modes else mode
            if modes.get(successor) != merged:
                modes[successor] = merged
                work.append(successor)
    return {start: modes.get(start, entry_mode) for start in graph.blocks}
