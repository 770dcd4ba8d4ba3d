"""Every corpus case, end to end: the original on the virtual CUDA device, the port on both virtual GPUs."""

import tomllib
from pathlib import Path

import pytest

from agents.models import Outcome
from agents.orchestrator.sandboxed import SandboxedStages
from agents.orchestrator.stages import Material, StageContext
from agents.orchestrator.submission import Program, read_submission
from sandbox.cancellation import NEVER
from sandbox.models import Evidence, Run
from sandbox.numerics.compare import compare_runs
from sandbox.progress import ignore

CORPUS = Path(__file__).resolve().parents[2] / "kernels_corpus"
CASES = sorted(path.parent.name for path in CORPUS.glob("*/case.toml"))
TARGETS = ("gfx942", "gfx950")

pytestmark = pytest.mark.toolchain


@pytest.fixture(scope="module")
def stages(workshop):
    return SandboxedStages(workshop)


@pytest.fixture(params=CASES)
def case(request):
    data = tomllib.loads((CORPUS / request.param / "case.toml").read_text())
    assert data["schema"] == "warp2wave/case/1"
    assert data["name"] == request.param
    return data


def test_case_end_to_end(case, stages, tmp_path):
    context = StageContext(port_id=case["name"], workspace=tmp_path, progress=ignore, cancellation=NEVER)
    submission = read_submission(Program(files=[CORPUS / case["name"] / case["source"]]), targets=TARGETS, explain=True)
    reference = stages.reference(submission, context)
    recorded = Run(device="cuda:0", exit_code=0, stdout=case["recorded"]["stdout"])
    comparison = compare_runs(recorded, reference.run)
    assert comparison.differences == (), "the virtual CUDA device differs from the GPU's recording"
    assert comparison.conclusive

    source = stages.translate(submission, context)
    ports = tuple(stages.port_target(submission, source, target, context) for target in TARGETS)
    naive = tuple(stages.naive(submission, target, context) for target in TARGETS)
    material = Material(source=source, reference=reference, ports=ports, naive=naive)
    judgement = stages.judge(submission, material, context)
    assert (judgement.verdict.outcome.value, judgement.verdict.evidence) == (case["port"], Evidence.EMULATED)
    for target in judgement.verdict.targets:
        assert target.build.code_object_sha256
        launches = target.comparison.launches
        assert (launches.aligned, launches.complete, launches.divergence) == (True, True, None)
        assert launches.same_launches == launches.reference_launches > 0
        assert launches.bytes_compared > 0
        assert [kernel.wavefront_size for kernel in target.build.kernels] == [64] * len(case["kernels"])
        launched = {launch.kernel for launch in target.run.trace.launches}
        assert launched
        assert launched <= {kernel.name for kernel in target.build.kernels}
    for target in judgement.naive:
        assert _naive_state(target) == case["naive"]


def _naive_state(target):
    if not target.build.ok:
        return "does not build"
    return "right" if target.outcome is Outcome.ACCEPTED else "wrong"
