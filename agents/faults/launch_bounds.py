"""``__launch_bounds__``: its third argument (clusters) is dropped, its second means something else on AMD."""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft


def fix_launch_bounds(draft: Draft) -> None:
    source = draft.source
    for index, token in enumerate(source.code):
        if token.text != "__launch_bounds__":
            continue
        arguments = source.call(index)
        if arguments is None or len(arguments) < 2 or any(a.empty for a in arguments):
            continue
        # HIP counts wavefronts on an execution unit where CUDA counts blocks on a multiprocessor: as it stands
        # the bound asks for something else, and it is a hint that may go.
        start = source.code[arguments[0].last].end
        if draft.edits.remove(start, source.code[arguments[-1].last].end):
            fault = "S02" if len(arguments) == 2 else "X18"
            report_fault(draft, fault, index, Action.FIXED, "The bound keeps its first argument alone.")
