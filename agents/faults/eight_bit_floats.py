"""8-bit floating point: gfx942 knows other encodings than CUDA."""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft

_PREFIXES = ("__nv_fp8", "__nv_cvt_float_to_fp8", "__nv_cvt_fp8")
_FNUZ_TARGETS = frozenset({"gfx942"})


def find_eight_bit_floats(draft: Draft) -> None:
    affected = [target for target in draft.project.targets if target in _FNUZ_TARGETS]
    if not affected:
        return
    for index, token in enumerate(draft.source.code):
        if token.text.startswith(_PREFIXES) and not draft.excluded(index):
            report_fault(
                draft,
                "T01",
                index,
                Action.TO_DO,
                f"Convert in software for {', '.join(affected)}, or port for gfx950 alone.",
            )
