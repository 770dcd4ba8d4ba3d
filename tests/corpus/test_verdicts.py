"""Programs whose verdict must not rest on what they print."""

import re
from pathlib import Path

import pytest

from agents.orchestrator.sandboxed import SandboxedStages
from agents.orchestrator.stages import Material, StageContext
from agents.orchestrator.submission import Program, read_submission
from sandbox.cancellation import NEVER
from sandbox.progress import ignore

CASES = sorted((Path(__file__).resolve().parents[1] / "cases" / "verdicts").glob("*.cu"))


def field(text, name):
    found = re.search(rf"^// {name}: (.*)$", text, re.MULTILINE)
    return found and found[1]


@pytest.mark.toolchain
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_verdict(path, workshop, tmp_path):
    stages = SandboxedStages(workshop)
    context = StageContext(port_id=path.stem, workspace=tmp_path, progress=ignore, cancellation=NEVER)
    submission = read_submission(Program(files=[path]), targets=("gfx942",))
    source = stages.translate(submission, context)
    reference = stages.reference(submission, context)
    port = stages.port_target(submission, source, "gfx942", context)
    material = Material(source=source, reference=reference, ports=(port,))
    target = stages.judge(submission, material, context).verdict.targets[0]
    assert target.outcome.value == field(path.read_text(), "verdict"), target.reasons
    reason = field(path.read_text(), "reason")
    assert reason is None or any(reason in said for said in target.reasons), target.reasons
    if missing := field(path.read_text(), "replay"):
        assert target.comparison.replay_missing == missing
    elif target.outcome.value == "accepted":
        assert target.comparison.replay_missing == ""
        assert target.comparison.replay.same_launches == len(reference.run.trace.launches)
