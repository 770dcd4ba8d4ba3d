"""Kernels launched from device code, which AMD cannot do."""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.tokens import CODE


def find_device_launches(draft: Draft) -> None:
    for index, token in enumerate(draft.source.code):
        if token.text != "<<<" or token.directive != CODE or draft.excluded(index):
            continue
        function = draft.function_at(index)
        if function is not None and function.device and not _runs_on_host(draft, index):
            report_fault(
                draft,
                "H07",
                index,
                Action.TO_DO,
                "Launch the child from the host, or let the parent's threads do its work.",
            )


def _runs_on_host(draft: Draft, index: int) -> bool:
    """Whether the function around the launch is ``__host__ __device__``: then its host half may launch."""
    function = draft.function_at(index)
    if function is None:
        return True
    head = {token.text for token in draft.source.code[function.head : function.opening]}
    return "__host__" in head
