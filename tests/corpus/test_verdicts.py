"""Programs whose verdict must not rest on what they print."""

import re
from pathlib import Path

import pytest

from agents.orchestrator.sandboxed import SandboxedStages
from agents.orchestrator.stages import Material, StageContext
from agents.orchestrator.submission import Program, read_submission, with_given_port
from sandbox.cancellation import NEVER
from sandbox.progress import ignore

FOLDER = Path(__file__).resolve().parents[1] / "cases"
CASES = sorted((FOLDER / "verdicts").glob("*.cu"))
GIVEN = sorted((FOLDER / "given").glob("*.hip"))


def field(text, name):
    found = re.search(rf"^// {name}: (.*)$", text, re.MULTILINE)
    return found and found[1]


def judge(submission, workshop, folder):
    stages = SandboxedStages(workshop)
    context = StageContext(port_id="case", workspace=folder, progress=ignore, cancellation=NEVER)
    source = stages.translate(submission, context)
    reference = stages.reference(submission, context)
    port = stages.port_target(submission, source, "gfx942", context)
    material = Material(source=source, reference=reference, ports=(port,))
    return stages.judge(submission, material, context).verdict.targets[0]


def check(target, text):
    assert target.outcome.value == field(text, "verdict"), target.reasons
    reason = field(text, "reason")
    assert reason is None or any(reason in said for said in target.reasons), target.reasons


@pytest.mark.toolchain
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_verdict(path, workshop, tmp_path):
    target = judge(read_submission(Program(files=[path]), targets=("gfx942",)), workshop, tmp_path)
    text = path.read_text()
    check(target, text)
    if missing := field(text, "replay"):
        assert target.comparison.replay_missing == missing
    elif target.outcome.value == "accepted":
        assert target.comparison.replay_missing == ""
        assert target.comparison.replay.same_launches == target.comparison.replay.reference_launches > 0


@pytest.mark.toolchain
@pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.stem)
def test_ports_that_somebody_made(path, workshop, tmp_path):
    original = FOLDER / "given" / f"{path.stem.partition('_')[0]}.cu"
    submission = read_submission(Program(files=[original]), targets=("gfx942",))
    check(judge(with_given_port(submission, [path]), workshop, tmp_path), path.read_text())
