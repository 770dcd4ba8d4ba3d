"""Facts in, verdict out."""

import pytest

from agents.models import Action, Finding, Outcome, Provenance, Severity
from agents.orchestrator.judge import conclude, judge_target
from sandbox.models import Build, Diagnostic, Evidence, FaultReport, Run, Side

PROVENANCE = Provenance(
    warp2wave="0",
    sources_sha256="s",
    port_sha256="p",
    toolchain="t",
    cuda="c",
    reference_device="vcuda:sm_90",
)


def build(ok=True, **fields):
    return Build(side=Side.HIP, target="gfx942", ok=ok, command=("hipcc",), toolchain="t", **fields)


def run(stdout="PASS\n", exit_code=0, **fields):
    return Run(device="vgpu:gfx942", exit_code=exit_code, stdout=stdout, **fields)


def finding(action=Action.TO_DO, severity=Severity.BLOCKS):
    return Finding(fault="W07", file="a.cu", line=3, severity=severity, action=action, title="t", message="m")


def judge(*, findings=(), reference=None, built=None, ran=None):
    return judge_target("gfx942", findings, reference or run(), built or build(), ran)


def test_same_results_are_accepted_as_emulated():
    verdict = judge(ran=run())
    assert (verdict.outcome, verdict.evidence) == (Outcome.ACCEPTED, Evidence.EMULATED)


def test_wrong_results_are_rejected_and_named():
    verdict = judge(reference=run("sum = 10\n"), ran=run("sum = 5\n"))
    assert verdict.outcome is Outcome.REJECTED
    assert "expected 'sum = 10', got 'sum = 5'" in verdict.reasons[0]


def test_wrong_results_are_rejected_even_with_open_findings():
    assert judge(findings=[finding()], reference=run("1\n"), ran=run("2\n")).outcome is Outcome.REJECTED


def test_open_findings_keep_a_port_from_being_accepted():
    verdict = judge(findings=[finding()], ran=run())
    assert verdict.outcome is Outcome.NEEDS_ATTENTION
    assert "a.cu:3" in verdict.reasons[0]


@pytest.mark.parametrize(
    "harmless",
    [finding(Action.FIXED), finding(Action.NOTED), finding(Action.TO_DO, Severity.SLOWER)],
    ids=["fixed", "noted", "slower"],
)
def test_other_findings_do_not(harmless):
    assert judge(findings=[harmless], ran=run()).outcome is Outcome.ACCEPTED


def test_port_that_does_not_build_has_no_evidence():
    error = Diagnostic(file="a.hip", line=7, severity="error", message="no such thing")
    verdict = judge(built=build(ok=False, diagnostics=(error,)))
    assert (verdict.outcome, verdict.evidence) == (Outcome.NEEDS_ATTENTION, None)
    assert verdict.reasons[0] == "hipcc: a.hip:7: no such thing"


@pytest.mark.parametrize(
    ("reference", "word"),
    [
        (Run(device="vcuda:sm_90", exit_code=None, limit="memory"), "memory limit"),
        (Run(device="vcuda:sm_90", exit_code=None, signal=11), "signal 11"),
        (run("FAIL\n", exit_code=1), "exit code 1"),
        (run(exit_code=0, fault=FaultReport(kind="memory-fault", message="bad address")), "memory-fault"),
        (run(exit_code=125), "without a report"),
    ],
)
def test_broken_reference_proves_nothing(reference, word):
    verdict = judge(reference=reference, ran=run())
    assert (verdict.outcome, verdict.evidence) == (Outcome.UNVERIFIED, Evidence.COMPILED)
    assert word in verdict.reasons[0]


def test_our_own_failure_is_not_the_ports_fault():
    fault = FaultReport(kind="unsupported-instruction", message="v_new_thing at 0x40")
    verdict = judge(ran=run("", exit_code=125, fault=fault))
    assert (verdict.outcome, verdict.evidence) == (Outcome.UNVERIFIED, Evidence.COMPILED)
    assert "v_new_thing" in verdict.reasons[0]


@pytest.mark.parametrize(
    "ran",
    [
        run("PASS\n", fault=FaultReport(kind="memory-fault", message="out of bounds")),
        Run(device="vgpu:gfx942", exit_code=None, limit="wall-time", stdout="PASS\n"),
        Run(device="vgpu:gfx942", exit_code=None, signal=6, stdout="PASS\n"),
    ],
    ids=["fault", "limit", "signal"],
)
def test_pass_on_the_screen_does_not_hide_a_bad_ending(ran):
    assert judge(ran=ran).outcome is Outcome.REJECTED


def test_silence_is_unverified():
    verdict = judge(reference=run(""), ran=run(""))
    assert verdict.outcome is Outcome.UNVERIFIED
    assert "nothing to compare" in verdict.reasons[0]


def test_port_is_as_good_as_its_worst_target():
    good, bad = judge(ran=run()), judge(built=build(ok=False))
    verdict = conclude([good, bad], PROVENANCE)
    assert (verdict.outcome, verdict.evidence) == (Outcome.NEEDS_ATTENTION, None)
    assert conclude([good, good], PROVENANCE).evidence is Evidence.EMULATED
    assert any("memory ordering" in line for line in verdict.not_shown)


def report(kind="out-of-bounds", **fields):
    return FaultReport(kind=kind, kernel="k", pc="0x10", instruction="i", message="store of 4 bytes", **fields)


def test_what_a_check_finds_rejects_a_port_that_prints_the_right_numbers():
    verdict = judge(ran=run(exit_code=123, findings=(report(source="port.hip:7"), report("lds-race"))))
    assert (verdict.outcome, verdict.evidence) == (Outcome.REJECTED, Evidence.EMULATED)
    assert verdict.reasons == (
        "port.hip:7: out-of-bounds: store of 4 bytes",
        "kernel k: lds-race: store of 4 bytes",
    )


def test_a_program_cannot_hide_a_finding_behind_its_exit_code():
    verdict = judge(ran=run(exit_code=0, findings=(report(),)))
    assert verdict.outcome is Outcome.REJECTED


def test_few_of_many_findings_become_reasons():
    verdict = judge(ran=run(findings=tuple(report(source=f"a.hip:{line}") for line in range(30))))
    assert len(verdict.reasons) == 6
    assert verdict.reasons[-1] == "and 25 more reports of the virtual GPU"


def test_findings_stand_beside_the_fault_that_ended_the_run():
    verdict = judge(ran=run(exit_code=None, fault=report("trap"), findings=(report(),)))
    assert [reason.split(": ")[1] for reason in verdict.reasons] == ["trap", "out-of-bounds"]
