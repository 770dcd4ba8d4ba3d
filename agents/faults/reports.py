"""Findings of the catalogue's faults."""

from __future__ import annotations

from agents.faults.catalogue import load_catalogue
from agents.models import Action, Severity
from agents.syntax.draft import Confidence, Draft
from agents.syntax.source import Span


def report_fault(
    draft: Draft,
    fault_id: str,
    at: int | Span,
    action: Action,
    what: str,
    *,
    replacement: str = "",
    confidence: Confidence = "certain",
    severity: Severity | None = None,
) -> None:
    """Add a finding: the catalogue says why it breaks, ``what`` says what was done or must be done."""
    fault = load_catalogue()[fault_id]
    draft.report(
        fault_id,
        at,
        severity=severity or fault.severity,
        action=action,
        title=fault.title,
        message=f"{fault.why} {what}",
        replacement=replacement,
        confidence=confidence,
    )
