"""The fixing passes, in the order in which they run. Each token goes to the first pass that claims it."""

from __future__ import annotations

from agents.faults.architecture import rewrite_architecture
from agents.faults.cooperative_groups import fix_cooperative_groups
from agents.faults.device_launches import find_device_launches
from agents.faults.inline_asm import find_inline_asm
from agents.faults.lane_arithmetic import note_lane_arithmetic
from agents.faults.launch_bounds import fix_launch_bounds
from agents.faults.logical_width import fix_logical_width
from agents.faults.matrix_fragments import fix_matrix_fragments
from agents.faults.replacements import replace_missing
from agents.faults.shared_memory import find_large_shared_memory
from agents.faults.special_registers import replace_special_registers
from agents.faults.spin_locks import fix_spin_locks
from agents.faults.warp_size import fix_warp_size
from agents.syntax.declarations import UserNames
from agents.syntax.draft import Draft


def apply_fixes(draft: Draft, user: UserNames) -> None:
    """Detect the catalogue's faults in ``draft``, mend those that have a fixer, report the rest."""
    note_lane_arithmetic(draft)
    rewrite_architecture(draft, user)
    fix_cooperative_groups(draft, user)
    fix_matrix_fragments(draft)
    replace_missing(draft, user)
    fix_warp_size(draft)
    fix_spin_locks(draft)
    fix_logical_width(draft)
    fix_launch_bounds(draft)
    find_large_shared_memory(draft)
    find_device_launches(draft)
    replace_special_registers(draft)
    find_inline_asm(draft)
