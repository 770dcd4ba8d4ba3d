"""Programs on which a port once went wrong: each must be accepted on both targets."""

from pathlib import Path

import pytest

from agents.models import Outcome
from agents.orchestrator.sandboxed import SandboxedStages
from agents.orchestrator.stages import Material, StageContext
from agents.orchestrator.submission import Program, read_submission
from sandbox.cancellation import NEVER
from sandbox.progress import ignore

CASES = sorted((Path(__file__).resolve().parents[1] / "cases" / "ports").glob("*.cu"))
TARGETS = ("gfx942", "gfx950")


@pytest.mark.toolchain
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_port_is_accepted(path, workshop, tmp_path):
    stages = SandboxedStages(workshop)
    context = StageContext(port_id=path.stem, workspace=tmp_path, progress=ignore, cancellation=NEVER)
    submission = read_submission(Program(files=[path]), targets=TARGETS)
    source = stages.translate(submission, context)
    reference = stages.reference(submission, context)
    assert reference.run.stdout.endswith("PASS\n")
    ports = tuple(stages.port_target(submission, source, target, context) for target in TARGETS)
    material = Material(source=source, reference=reference, ports=ports)
    verdict = stages.judge(submission, material, context).verdict
    assert verdict.outcome is Outcome.ACCEPTED, [t.reasons for t in verdict.targets]
