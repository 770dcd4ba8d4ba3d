"""A port as a report that people read (Markdown). The same facts stand in ``report.json``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.models import Action, Finding, Outcome, Port, TargetVerdict

HEADLINES = {
    Outcome.ACCEPTED: "accepted: the port gives the original's results",
    Outcome.REJECTED: "rejected: the port's results differ from the original's",
    Outcome.NEEDS_ATTENTION: "needs attention: something is left for a person",
    Outcome.UNVERIFIED: "unverified: nothing was proven",
}


def render_markdown(port: Port) -> str:
    """The whole report. Text that came from the submission is fenced and can close no fence."""
    verdict = port.verdict
    evidence = f"evidence: **{verdict.evidence}**" if verdict.evidence else "no evidence: it did not build"
    lines = [
        f"# {_inline(port.name)}: {verdict.outcome}",
        "",
        f"{HEADLINES[verdict.outcome]}; {evidence}.",
        "",
    ]
    lines += [f"- {_inline(reason)}" for reason in verdict.reasons]
    lines += ["", "## Targets", ""]
    for target in verdict.targets:
        lines += _target(target)
    if port.naive:
        lines += ["", "## With renames only", ""]
        for target in port.naive:
            lines += _target(target)
    lines += ["", "## Findings", ""]
    lines += _findings(port.source.findings) or ["None: renames were enough."]
    lines += ["", "## What this evidence does not show", ""]
    lines += [f"- {point}" for point in verdict.not_shown]
    lines += ["", "## Provenance", ""]
    lines += [f"- {key}: `{value}`" for key, value in verdict.provenance.model_dump().items() if value]
    lines += [
        f"- code object for {t.target}: `{t.build.code_object_sha256}`"
        for t in verdict.targets
        if t.build is not None and t.build.code_object_sha256
    ]
    if port.seconds:
        lines += ["", "## Where the time went", ""]
        lines += [f"- {stage}: {seconds:.1f} s" for stage, seconds in port.seconds.items()]
    if port.diff:
        lines += ["", "## Diff", "", fence(port.diff, "diff")]
    return "\n".join(lines) + "\n"


def fence(text: str, language: str = "") -> str:
    """``text`` in a code fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def _target(target: TargetVerdict) -> list[str]:
    evidence = f" ({target.evidence})" if target.evidence else ""
    lines = [f"- **{target.target}**: {target.outcome}{evidence}"]
    lines += [f"  - {_inline(reason)}" for reason in target.reasons]
    if target.comparison is not None:
        lines.append(f"  - compared: {', '.join(target.comparison.compared)}")
    if target.build is not None:
        lines += [
            f"  - kernel `{kernel.name}`: {kernel.vgprs} VGPRs, {kernel.sgprs} SGPRs, {kernel.lds_bytes} bytes of LDS"
            + (f", {kernel.scratch_bytes} bytes of scratch a lane" if kernel.scratch_bytes else "")
            for kernel in target.build.kernels
        ]
    return lines


def _findings(findings: Iterable[Finding]) -> list[str]:
    marks = {Action.FIXED: "fixed", Action.TO_DO: "**to do**", Action.NOTED: "noted"}
    lines = []
    for finding in findings:
        place = f"`{finding.file}:{finding.line}`"
        lines.append(
            f"- {place} {marks[finding.action]}: {_inline(finding.title)} [{finding.fault}]. {finding.message}"
        )
        if finding.snippet:
            before = (
                f"{finding.snippet}\n" if not finding.replacement else f"- {finding.snippet}\n+ {finding.replacement}"
            )
            lines.append("\n" + fence(before, "diff" if finding.replacement else "cpp") + "\n")
    return lines


def _inline(text: str) -> str:
    """Text from outside inside a Markdown line: no markup, no line breaks."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))
