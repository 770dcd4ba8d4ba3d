"""Dynamic shared memory beyond what a work-group can have."""

from __future__ import annotations

from agents.faults.constants import evaluate
from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft

LDS_BYTES = {"gfx90a": 65536, "gfx942": 65536, "gfx950": 163840}
"""LDS that one work-group can have, by target."""
_ATTRIBUTE = "cudaFuncAttributeMaxDynamicSharedMemorySize"
_DEFAULT_LIMIT = 49152
"""What a CUDA kernel may use without asking, in bytes."""


def find_large_shared_memory(draft: Draft) -> None:
    """Report opt-ins to more dynamic shared memory than one of the targets has."""
    source = draft.source
    for index, token in enumerate(source.code):
        if token.text != "cudaFuncSetAttribute":
            continue
        arguments = source.call(index)
        if arguments is None or len(arguments) != 3 or source.slice(arguments[1]) != _ATTRIBUTE:
            continue
        wanted = evaluate(source, arguments[2])
        if wanted is None:
            report_fault(
                draft,
                "S01",
                index,
                Action.NOTED,
                f"The size, {source.slice(arguments[2])}, is known at run time only: see that it fits.",
                confidence="possible",
            )
            continue
        small = [t for t in draft.project.targets if wanted > LDS_BYTES.get(t, 65536)]
        if small:
            limits = ", ".join(f"{t} has {LDS_BYTES.get(t, 65536)} bytes" for t in small)
            report_fault(
                draft,
                "S01",
                index,
                Action.TO_DO,
                f"The kernel asks for {wanted} bytes; {limits}. Use smaller tiles there.",
            )
