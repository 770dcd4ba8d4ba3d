"""From what was built and run to a verdict. Pure: the same facts give the same verdict."""

from __future__ import annotations

from collections.abc import Sequence

from agents.models import Finding, Outcome, Provenance, TargetVerdict, Verdict
from sandbox.models import Build, Comparison, Divergence, Evidence, FaultReport, LaunchComparison, Run
from sandbox.numerics.compare import compare_runs, differs_in_wording_only

# What a run on virtual devices cannot show, whatever it printed.
EMULATION_DOES_NOT_SHOW = (
    "memory ordering weaker than x86's: a missing fence may still fail on the part",
    "time: virtual devices say nothing about speed",
    "the last bits of transcendental functions and of matrix-core sums, which AMD does not document",
)

_SHOWN_REPORTS = 5
"""Reasons that one target's verdict takes from a run."""

# Worst first: a port is as good as its worst target.
_ORDER = (Outcome.REJECTED, Outcome.NEEDS_ATTENTION, Outcome.UNVERIFIED, Outcome.ACCEPTED)


def judge_target(
    target: str,
    findings: Sequence[Finding],
    reference: Run,
    build: Build,
    run: Run | None,
    launches: LaunchComparison | str | None = None,
    replay: LaunchComparison | str | None = None,
) -> TargetVerdict:
    """One target's verdict from the reference's run and the port's build and run. ``launches``: what both sides'
    recordings show, ``replay``: what the port's kernels do to the reference's memory; or why they show nothing."""
    open_findings = [finding for finding in findings if finding.open]
    if not build.ok:
        failures = (_build_failure(build), *map(_describe, open_findings))
        return TargetVerdict(
            target=target, outcome=Outcome.NEEDS_ATTENTION, evidence=None, reasons=failures, build=build
        )
    if run is None:
        reason = "the port was not run"
        return TargetVerdict(
            target=target,
            outcome=Outcome.UNVERIFIED,
            evidence=Evidence.COMPILED,
            reasons=(reason,),
            build=build,
        )
    outcome, evidence, reasons, comparison = _judge_run(reference, run)
    if comparison is not None:
        comparison = _add_launches(comparison, launches, replay)
        outcome, reasons = _judge_launches(outcome, reasons, comparison)
    if outcome is Outcome.ACCEPTED and open_findings:
        outcome = Outcome.NEEDS_ATTENTION
    return TargetVerdict(
        target=target,
        outcome=outcome,
        evidence=evidence,
        reasons=(*reasons, *map(_describe, open_findings)),
        build=build,
        run=run,
        comparison=comparison,
    )


def judge_case(
    target: str,
    findings: Sequence[Finding],
    reference: Run | None,
    build: Build,
    replay: LaunchComparison | str | None,
    variant: str,
    proposed: str = "",
) -> TargetVerdict:
    """One target's verdict on kernels with a case: what their replay shows, and nothing else. ``variant``: shape and
    seed of the launch that differs. ``proposed``: the launches, where nobody gave them."""
    problem = "the original was not run" if reference is None else reference_problem(reference)
    if problem is not None and proposed:
        problem = f"{problem}; launched as proposed from the signatures, {proposed}: give a case"
    if problem is not None or not build.ok:
        return judge_unverified(target, findings, problem or "the port does not build", build)
    if not isinstance(replay, LaunchComparison):
        return judge_unverified(target, findings, f"launches were not replayed: {replay}", build)
    reasons = tuple(_describe(finding) for finding in findings if finding.open)
    outcome = Outcome.NEEDS_ATTENTION if reasons else Outcome.ACCEPTED
    if replay.divergence is not None:
        outcome = Outcome.REJECTED
        reasons = (f"with {variant}: {describe_divergence(replay.divergence)}", *reasons)
    elif not replay.reference_launches:
        return judge_unverified(target, findings, "the case launched nothing", build)
    compared = f"{replay.same_launches} of {replay.reference_launches} launches, {replay.bytes_compared} bytes"
    said = (compared, f"launches proposed from the signatures: {proposed}") if proposed else (compared,)
    comparison = Comparison(same=replay.divergence is None, compared=said, replay=replay)
    return TargetVerdict(
        target=target,
        outcome=outcome,
        evidence=Evidence.EMULATED,
        reasons=reasons,
        build=build,
        comparison=comparison,
    )


def judge_unverified(target: str, findings: Sequence[Finding], reason: str, build: Build) -> TargetVerdict:
    """One target's verdict where there is nothing to hold the port against: it was compiled at most."""
    failure = () if build.ok else (_build_failure(build),)
    return TargetVerdict(
        target=target,
        outcome=Outcome.UNVERIFIED,
        evidence=Evidence.COMPILED if build.ok else None,
        reasons=(reason, *failure, *(_describe(finding) for finding in findings if finding.open)),
        build=build,
    )


def conclude(targets: Sequence[TargetVerdict], provenance: Provenance, reasons: Sequence[str] = ()) -> Verdict:
    """The verdict over all targets: the worst outcome, the weakest evidence."""
    outcome = next(o for o in _ORDER if any(t.outcome is o for t in targets))
    levels = [t.evidence for t in targets]
    weakest = None if None in levels else min(level for level in levels if level is not None)
    return Verdict(
        outcome=outcome,
        evidence=weakest,
        targets=tuple(targets),
        reasons=tuple(reasons),
        not_shown=EMULATION_DOES_NOT_SHOW,
        provenance=provenance,
    )


def _judge_run(reference: Run, run: Run) -> tuple[Outcome, Evidence, tuple[str, ...], Comparison | None]:
    if problem := reference_problem(reference):
        return Outcome.UNVERIFIED, Evidence.COMPILED, (problem,), None
    if run.fault is not None and (run.fault.kind.startswith("unsupported") or run.fault.kind == "translation-failed"):
        return Outcome.UNVERIFIED, Evidence.COMPILED, (f"the virtual GPU stopped: {run.fault.message}",), None
    if run.exit_code == 125 and run.fault is None and reference.exit_code != 125:
        return Outcome.UNVERIFIED, Evidence.COMPILED, ("the virtual GPU failed without a report",), None
    comparison = compare_runs(reference, run)
    if run.fault is not None or run.findings:
        reports = [*([run.fault] if run.fault is not None else []), *run.findings]
        return Outcome.REJECTED, Evidence.EMULATED, _describe_reports(reports), comparison
    if run.limit is not None:
        return (
            Outcome.REJECTED,
            Evidence.EMULATED,
            (f"the port was ended by the {run.limit} limit",),
            comparison,
        )
    if not comparison.conclusive:
        reason = (
            "nothing to compare: the program exits with 0 and shows no number, no PASS or FAIL and no declared output"
        )
        return Outcome.UNVERIFIED, Evidence.EMULATED, (reason,), comparison
    if comparison.same:
        return Outcome.ACCEPTED, Evidence.EMULATED, (), comparison
    first = comparison.differences[0]
    reason = f"{first.where}: expected {first.expected!r}, got {first.got!r}"
    if differs_in_wording_only(comparison):
        return (
            Outcome.NEEDS_ATTENTION,
            Evidence.EMULATED,
            (f"only the wording differs: {reason}",),
            comparison,
        )
    return Outcome.REJECTED, Evidence.EMULATED, (reason,), comparison


def _add_launches(
    comparison: Comparison, launches: LaunchComparison | str | None, replay: LaunchComparison | str | None
) -> Comparison:
    found: dict[str, object] = {}
    for name, what in (("launches", launches), ("replay", replay)):
        if what is not None:
            found[name if isinstance(what, LaunchComparison) else f"{name}_missing"] = what
    if isinstance(replay, LaunchComparison):
        said = f"{replay.same_launches} of {replay.reference_launches} launches, replayed without the port's host code"
        found["compared"] = (*comparison.compared, said)
    elif replay is not None:
        found["compared"] = (*comparison.compared, f"launches were not replayed: {replay}")
    return comparison.model_copy(update=found)


def _judge_launches(
    outcome: Outcome, reasons: tuple[str, ...], comparison: Comparison
) -> tuple[Outcome, tuple[str, ...]]:
    """What device memory adds: where a rejected port went wrong, and doubt about one whose output agrees."""
    launches, replay = comparison.launches, comparison.replay
    if outcome is Outcome.REJECTED:
        found = (replay and replay.divergence) or (launches and launches.divergence)
        return outcome, (*reasons, describe_divergence(found)) if found else reasons
    if outcome is not Outcome.ACCEPTED:
        return outcome, reasons
    if launches is not None and launches.reference_launches and not launches.port_launches:
        reason = f"the port launches no kernel; the original launches {launches.reference_launches}"
        return Outcome.REJECTED, (*reasons, reason)
    for source, found in (("", launches), ("replayed from the original's memory, ", replay)):
        # In the port's own run, launches after one whose results came in another order may differ as well.
        if found is not None and found.divergence is not None and (found is replay or not found.reordered_buffers):
            reason = f"the output agrees, but {source}{describe_divergence(found.divergence)}"
            return Outcome.NEEDS_ATTENTION, (*reasons, reason)
    return outcome, reasons


def reference_problem(run: Run) -> str | None:
    """Why the original's own run is no reference, or None."""
    if run.fault is not None:
        return f"the original stopped on {run.device}: {run.fault.kind}: {run.fault.message}"
    if run.limit is not None:
        return f"the original was ended by the {run.limit} limit on {run.device}"
    if run.signal is not None:
        return f"the original was ended by signal {run.signal} on {run.device}"
    if run.exit_code == 125:
        return f"{run.device} failed without a report"
    if run.exit_code != 0:
        last = run.stdout.strip().splitlines()[-1:] or run.stderr.strip().splitlines()[-1:]
        said = f", its last line is {last[0]!r}" if last else ""
        return f"the original itself ends with exit code {run.exit_code} on {run.device}{said}"
    return None


def describe_divergence(divergence: Divergence) -> str:
    """Where device memory first differs, in a sentence."""
    kernel = f" ({divergence.kernel})" if divergence.kernel else ""
    where = "at the end" if divergence.launch is None else f"launch {divergence.launch}{kernel}"
    if divergence.by == "host" and divergence.launch is not None:
        where = f"before {where}, by the host"
    elif divergence.by == "read":
        where = "where the host reads it"
    kind = "" if divergence.element_type == "words" else f"{divergence.element_type} "
    more = f"; {divergence.elements} elements differ" if divergence.elements > 1 else ""
    return (
        f"device memory first differs {where}: {divergence.buffer}, {kind}element {divergence.element}: "
        f"expected {divergence.expected}, got {divergence.got}{more}"
    )


def _build_failure(build: Build) -> str:
    if build.limit is not None:
        return f"the compiler was ended by the {build.limit} limit"
    errors = [d for d in build.diagnostics if d.severity == "error"]
    if not errors:
        return f"hipcc failed: {build.log.strip().splitlines()[-1] if build.log.strip() else 'no message'}"
    first = errors[0]
    place = f"{first.file}:{first.line}: " if first.file else ""
    more = f" (and {len(errors) - 1} more errors)" if len(errors) > 1 else ""
    return f"hipcc: {place}{first.message}{more}"


def _describe_reports(reports: Sequence[FaultReport]) -> tuple[str, ...]:
    shown = [_describe_report(report) for report in reports[:_SHOWN_REPORTS]]
    if len(reports) > _SHOWN_REPORTS:
        shown.append(f"and {len(reports) - _SHOWN_REPORTS} more reports of the virtual GPU")
    return tuple(shown)


def _describe_report(report: FaultReport) -> str:
    """Kind, what happened, and the line of the port, or the kernel, where it did."""
    place = report.source or (f"kernel {report.kernel}" if report.kernel else "")
    return f"{place}: {report.kind}: {report.message}" if place else f"{report.kind}: {report.message}"


def _describe(finding: Finding) -> str:
    return f"{finding.file}:{finding.line}: {finding.title} [{finding.fault}]"
