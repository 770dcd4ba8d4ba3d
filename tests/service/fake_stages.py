"""Stages that build and run nothing: fixed findings, and a hook by which tests fail, block or kill a stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from agents.models import (
    Action,
    Finding,
    Outcome,
    Port,
    Provenance,
    Severity,
    Source,
    SourceFile,
    Submission,
    TargetVerdict,
    Verdict,
)
from agents.orchestrator.stages import Assembly, Executed, Judgement, Material, StageContext
from sandbox.models import Build, Evidence, Run, Side
from sandbox.progress import ProgressEvent

KERNEL = "__global__ void k(float *x) { x[threadIdx.x] *= 2; }\nint main() {}\n"
Hook = Callable[[str, StageContext], None]

FINDING = Finding(
    fault="W01",
    file="k.cu",
    line=1,
    severity=Severity.SILENTLY_WRONG,
    action=Action.FIXED,
    title="32-bit mask",
    message="a wavefront has 64 lanes",
    snippet="0xffffffff \udcff",
)


def make_submission(**fields: object) -> Submission:
    defaults = {"name": "k.cu", "files": (SourceFile(path="k.cu", text=KERNEL),), "main_files": ("k.cu",)}
    return Submission.model_validate(defaults | fields)


class FakeStages:
    """``calls``: a file that gets one line for every stage that begins."""

    def __init__(self, calls: Path, hook: Hook = lambda stage, context: None) -> None:
        self._calls = calls
        self.hook = hook

    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    def translate(self, submission: Submission, context: StageContext) -> Source:
        self._enter("translate", context)
        files = tuple(SourceFile(path=re.sub(r"\.cu$", ".hip", file.path), text=file.text) for file in submission.files)
        return Source(files=files, main_files=tuple(file.path for file in files), findings=(FINDING,))

    def reference(self, submission: Submission, context: StageContext) -> Executed:
        self._enter("reference", context)
        return _executed(Side.CUDA, "sm_90", "vcuda:sm_90")

    def port_target(self, submission: Submission, source: Source, target: str, context: StageContext) -> Executed:
        self._enter(f"port:{target}", context)
        assert source.findings == (FINDING,)
        return _executed(Side.HIP, target, f"vgpu:{target}")

    def naive(self, submission: Submission, target: str, context: StageContext) -> Executed:
        self._enter(f"naive:{target}", context)
        return _executed(Side.HIP, target, f"vgpu:{target}")

    def judge(self, submission: Submission, material: Material, context: StageContext) -> Judgement:
        self._enter("judge", context)
        targets = tuple(
            TargetVerdict(
                target=executed.build.target,
                outcome=Outcome.ACCEPTED,
                evidence=Evidence.EMULATED,
                build=executed.build,
                run=executed.run,
            )
            for executed in material.ports
        )
        provenance = Provenance(
            warp2wave="0", sources_sha256="", port_sha256="", toolchain="", cuda="", reference_device="vcuda:sm_90"
        )
        verdict = Verdict(
            outcome=Outcome.ACCEPTED,
            evidence=Evidence.EMULATED,
            targets=targets,
            not_shown=("time",),
            provenance=provenance,
        )
        return Judgement(verdict=verdict, naive=tuple(targets[: len(material.naive)]))

    def assemble(
        self,
        submission: Submission,
        material: Material,
        judgement: Judgement,
        seconds: Mapping[str, float],
        context: StageContext,
    ) -> Assembly:
        self._enter("assemble", context)
        port = Port(
            id=context.port_id,
            name=submission.name,
            source=material.source,
            verdict=judgement.verdict,
            naive=judgement.naive,
            seconds=dict(seconds),
        )
        return Assembly(port=port, files=(*material.source.files, SourceFile(path="report.md", text="# ok\n")))

    def _enter(self, stage: str, context: StageContext) -> None:
        with self._calls.open("a") as file:
            file.write(f"{stage}\n")
        (context.workspace / stage.replace(":", "-")).write_text("built")
        context.progress(ProgressEvent(stage=stage, status="running", fraction=0.5))
        self.hook(stage, context)


def _executed(side: Side, target: str, device: str) -> Executed:
    build = Build(
        side=side, target=target, ok=True, command=("cc",), toolchain="t", code_object_sha256=target.ljust(64, "0")
    )
    return Executed(build=build, run=Run(device=device, exit_code=0, stdout="PASS\n"))
