"""The fixing passes, in the order in which they run. Each token goes to the first pass that claims it."""

from __future__ import annotations

from agents.faults.architecture import rewrite_architecture
from agents.faults.cooperative_groups import fix_cooperative_groups
from agents.faults.device_launches import find_device_launches
from agents.faults.device_properties import fix_device_properties
from agents.faults.eight_bit_floats import find_eight_bit_floats
from agents.faults.error_texts import find_error_texts
from agents.faults.inline_ptx import translate_inline_ptx
from agents.faults.lane_arithmetic import note_lane_arithmetic
from agents.faults.lane_waits import find_lane_waits
from agents.faults.launch_bounds import fix_launch_bounds
from agents.faults.logical_width import fix_logical_width
from agents.faults.matrix_fragments import fix_matrix_fragments
from agents.faults.min_max import fix_min_max
from agents.faults.replacements import replace_missing
from agents.faults.shared_memory import find_large_shared_memory
from agents.faults.spin_locks import fix_spin_locks
from agents.faults.textures import find_textures
from agents.syntax.declarations import UserNames
from agents.syntax.draft import Draft


def apply_fixes(draft: Draft, user: UserNames) -> None:
    """Detect the catalogue's faults in ``draft``, mend those that have a fixer, report the rest."""
    note_lane_arithmetic(draft, user)
    rewrite_architecture(draft, user)
    fix_cooperative_groups(draft, user)
    fix_matrix_fragments(draft)
    replace_missing(draft, user)
    fix_device_properties(draft, user)
    fix_min_max(draft, user)
    fix_spin_locks(draft)
    fix_logical_width(draft)
    fix_launch_bounds(draft)
    find_large_shared_memory(draft)
    find_device_launches(draft)
    translate_inline_ptx(draft)
    find_lane_waits(draft)
    find_textures(draft)
    find_eight_bit_floats(draft)
    find_error_texts(draft)
