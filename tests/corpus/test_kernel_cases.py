"""Kernels with a case: only their device code counts, launched on inputs that nobody saw before."""

import re
from pathlib import Path

import pytest

from agents.orchestrator.sandboxed import SandboxedStages
from agents.orchestrator.stages import Material, StageContext
from agents.orchestrator.submission import Program, read_submission
from sandbox.cancellation import NEVER
from sandbox.numerics.case import load_case
from sandbox.progress import ignore

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests" / "cases" / "kernels"
CORPUS = sorted(path.parent for path in (ROOT / "kernels_corpus").glob("*/case.toml"))

pytestmark = pytest.mark.toolchain


def judge(source, case, workshop, folder):
    submission = read_submission(Program(files=[source]), targets=("gfx942",))
    submission = submission.model_copy(update={"case": load_case(case), "case_seed": 11})
    stages = SandboxedStages(workshop)
    context = StageContext(port_id="case", workspace=folder, progress=ignore, cancellation=NEVER)
    translated = stages.translate(submission, context)
    reference = stages.reference(submission, context)
    port = stages.port_target(submission, translated, "gfx942", context)
    assert port.run is None, "host code of a kernel submission's port is never run"
    material = Material(source=translated, reference=reference, ports=(port,))
    return stages.judge(submission, material, context).verdict.targets[0]


@pytest.mark.parametrize("folder", CORPUS, ids=lambda folder: folder.name)
def test_corpus(folder, workshop, tmp_path):
    target = judge(folder / "kernel.cu", folder / "case.toml", workshop, tmp_path)
    assert target.outcome.value == "accepted", target.reasons
    replay = target.comparison.replay
    assert replay.same_launches == replay.reference_launches >= 7


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.cu")), ids=lambda path: path.stem)
def test_ports_that_got_it_wrong(path, workshop, tmp_path):
    text = path.read_text()
    fields = dict(re.findall(r"^// (\w+): (.*)$", text, re.MULTILINE))
    target = judge(path, KERNELS / f"{path.stem.partition('_')[0]}.toml", workshop, tmp_path)
    assert target.outcome.value == fields["verdict"], target.reasons
    if "reason" in fields:
        assert fields["reason"] in target.reasons[0]
