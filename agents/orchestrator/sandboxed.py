"""The stages of a port, done for real: compilers and programs in sandboxes, runs on virtual devices."""

from __future__ import annotations

import difflib
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from agents.errors import SubmissionError
from agents.hipify import translate_submission
from agents.models import Finding, Port, Provenance, Source, SourceFile, Submission, TargetVerdict
from agents.orchestrator.judge import conclude, judge_case, judge_target, judge_unverified
from agents.orchestrator.kernel_case import case_inputs, describe_launches, with_harness
from agents.orchestrator.libraries import describe_missing_library
from agents.orchestrator.report import render_markdown
from agents.orchestrator.stages import Assembly, Executed, Judgement, Material, StageContext
from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.demangle import demangle
from sandbox.execution.devices import find_device, hip_device
from sandbox.execution.files import sha256_of
from sandbox.execution.replay import Replay
from sandbox.execution.runner import RunRequest
from sandbox.execution.workshop import Workshop
from sandbox.isolation.protocol import Limits
from sandbox.models import Build, Check, Device, LaunchComparison, Side
from sandbox.numerics.harness import choose_variants
from sandbox.numerics.launches import compare_recordings
from sandbox.numerics.recording import RecordedLaunch, Recording, RecordingError
from sandbox.numerics.replay_plan import ReplayError, same_launches
from sandbox.progress import ProgressEvent

REFERENCE_DEVICE = "vcuda:sm_90"
_RECORDINGS = "recordings"
_NAIVE = "naive-"
_REPLAY = "replay-"
_CHECKS_TAKE = 3
"""Times as long as without: what ``bench/vgpu_checks.py`` holds the checks to."""
_RUN_LIMITS = Limits(memory_bytes=8 << 30, pids=256)


@dataclass(frozen=True)
class _Reference:
    """The original's recording, opened, and the signatures of its kernels."""

    recording: Recording
    signatures: Mapping[str, str]

    def compare(self, folder: Path) -> LaunchComparison:
        """Hold the recording in ``folder`` against it. Raises RecordingError."""
        with closing(Recording(folder)) as port:
            return compare_recordings(self.recording, port, self.signatures)


@dataclass(frozen=True)
class SandboxedStages:
    """Implements ``Stages`` with one workshop for all ports."""

    workshop: Workshop

    def translate(self, submission: Submission, context: StageContext) -> Source:
        if submission.given is not None:
            return Source(files=submission.given.files, main_files=submission.given.main_files)
        return translate_submission(with_harness(submission))

    def reference(self, submission: Submission, context: StageContext) -> Executed:
        program = with_harness(submission)
        executed = self._execute(program, program.files, program.main_files, find_device(REFERENCE_DEVICE), context)
        if not executed.build.ok and describe_missing_library(executed.build, submission.files) is None:
            raise SubmissionError(
                f"the original does not compile: {_first_error(executed.build)}",
                hint="nvcc must accept the program; -I, -D, -std and --nvcc-flag reach it",
                log=executed.build.log[-4000:],
            )
        return executed

    def port_target(self, submission: Submission, source: Source, target: str, context: StageContext) -> Executed:
        return self._execute(
            submission,
            source.files,
            source.main_files,
            hip_device(target),
            context,
        )

    def naive(self, submission: Submission, target: str, context: StageContext) -> Executed:
        source = translate_submission(with_harness(submission), fix_faults=False)
        device = hip_device(target)
        return self._execute(submission, source.files, source.main_files, device, context, _NAIVE)

    def judge(self, submission: Submission, material: Material, context: StageContext) -> Judgement:
        reference = material.reference.run
        if reference is None:
            return self._judge_unrun(submission, material)
        if submission.case is not None:
            return self._judge_case(submission, material, context)
        findings = material.source.findings
        with self._open_reference(context) as recorded:
            verdicts = [
                judge_target(
                    target,
                    findings,
                    reference,
                    executed.build,
                    executed.run,
                    self._launches(executed, recorded, context),
                    self._replay(submission, executed, recorded, context),
                )
                for target, executed in zip(submission.targets, material.ports, strict=True)
            ]
            naive = [
                judge_target(
                    target,
                    (),
                    reference,
                    executed.build,
                    executed.run,
                    self._launches(executed, recorded, context, _NAIVE),
                )
                for target, executed in zip(submission.targets, material.naive, strict=False)
            ]
        return Judgement(verdict=conclude(verdicts, self._provenance(submission, material.source)), naive=tuple(naive))

    def _judge_case(self, submission: Submission, material: Material, context: StageContext) -> Judgement:
        """A case rests on the replay of its launches alone."""
        assert submission.case is not None
        launches = len(submission.case.launches)
        proposed = describe_launches(submission.case) if submission.case.inferred else ""
        variants = choose_variants(submission.case, submission.case_seed)

        def judge(
            target: str, findings: tuple[Finding, ...], executed: Executed, recorded: _Reference | str
        ) -> TargetVerdict:
            replay = self._replay(submission, executed, recorded, context)
            at = replay.divergence.launch if isinstance(replay, LaunchComparison) and replay.divergence else None
            variant = str(variants[at // launches]) if at is not None and at // launches < len(variants) else ""
            return judge_case(target, findings, material.reference.run, executed.build, replay, variant, proposed)

        ports = zip(submission.targets, material.ports, strict=True)
        naive_ports = zip(submission.targets, material.naive, strict=False)
        with self._open_reference(context) as recorded:
            verdicts = [judge(target, material.source.findings, executed, recorded) for target, executed in ports]
            naive = [judge(target, (), executed, recorded) for target, executed in naive_ports]
        return Judgement(verdict=conclude(verdicts, self._provenance(submission, material.source)), naive=tuple(naive))

    def _judge_unrun(self, submission: Submission, material: Material) -> Judgement:
        """Where the original cannot be run, a port is as good as what its compiler says."""
        reason = describe_missing_library(material.reference.build, submission.files) or "the original was not run"
        verdicts = [
            judge_unverified(target, material.source.findings, reason, executed.build)
            for target, executed in zip(submission.targets, material.ports, strict=True)
        ]
        return Judgement(verdict=conclude(verdicts, self._provenance(submission, material.source)))

    def assemble(
        self,
        submission: Submission,
        material: Material,
        judgement: Judgement,
        seconds: Mapping[str, float],
        context: StageContext,
    ) -> Assembly:
        port = Port(
            id=context.port_id,
            name=submission.name,
            source=material.source,
            diff=unified_diff(submission, material.source),
            reference_build=material.reference.build,
            reference_run=material.reference.run,
            naive=judgement.naive,
            verdict=judgement.verdict,
            seconds=dict(seconds),
        )
        shutil.rmtree(context.workspace / _RECORDINGS, ignore_errors=True)
        report = SourceFile(path="report.md", text=render_markdown(port))
        diff = SourceFile(path="port.diff", text=port.diff)
        return Assembly(port=port, files=(*material.source.files, report, diff))

    def _execute(
        self,
        submission: Submission,
        files: tuple[SourceFile, ...],
        main_files: tuple[str, ...],
        device: Device,
        context: StageContext,
        variant: str = "",
    ) -> Executed:
        recipe = build_recipe(submission, files, main_files, device.side)
        bench = self.workshop.bench(context.progress)
        compiler = "nvcc" if device.side is Side.CUDA else "hipcc"
        started = time.monotonic()
        build = build_program(bench, recipe, device.side, device.target, context.cancellation)
        _tell(context, f"{compiler} {device.target}", "finished" if build.ok else "failed", started)
        if not build.ok or (submission.case is not None and device.side is Side.HIP):
            return Executed(build=build)  # of a case, only the port's code object is used
        runner = self.workshop.runner(context.progress)
        started = time.monotonic()
        request = replace(run_request(submission), record=_recording_of(context, device.name, variant))
        if device.side is Side.HIP:
            request = checked(request)
        run = runner.run(Path(build.program), device, request, context.cancellation)
        _tell(context, f"run on {device.name}", "finished", started)
        return Executed(build=build, run=run)

    @contextmanager
    def _open_reference(self, context: StageContext) -> Iterator[_Reference | str]:
        """The reference's recording, or why there is none."""
        try:
            recording = Recording(_recording_of(context, REFERENCE_DEVICE))
        except RecordingError as error:
            yield str(error)
            return
        with closing(recording):
            names = {launch.kernel for launch in recording.launches}
            yield _Reference(recording, demangle(self.workshop.bench(), names, context.cancellation))

    @staticmethod
    def _launches(
        executed: Executed, reference: _Reference | str, context: StageContext, variant: str = ""
    ) -> LaunchComparison | str | None:
        """The port's device memory held against the reference's, or why that cannot be."""
        if executed.run is None:
            return None
        if isinstance(reference, str):
            return reference
        try:
            return reference.compare(_recording_of(context, executed.run.device, variant))
        except RecordingError as error:
            return str(error)

    def _replay(
        self, submission: Submission, executed: Executed, reference: _Reference | str, context: StageContext
    ) -> LaunchComparison | str | None:
        """The port's kernels on the reference's memory, launch by launch, or why that cannot be."""
        if not executed.build.ok or (executed.run is None and submission.case is None):
            return None
        if isinstance(reference, str):
            return reference
        device = hip_device(executed.build.target)
        target = _recording_of(context, device.name, _REPLAY)
        started = time.monotonic()
        try:
            launches = reference.recording.launches
            if submission.case is None:
                launches = _launches_of(_recording_of(context, device.name), reference.recording)
            folder = _recording_of(context, REFERENCE_DEVICE)
            replay = Replay(reference.recording, folder, launches, _run_limits(submission))
            runner = self.workshop.runner(context.progress)
            run = replay.run(runner, executed.build, device, target, context.cancellation)
            _tell(context, f"replay on {device.name}", "finished", started)
            return f"{run.fault.kind}: {run.fault.message}" if run.fault is not None else reference.compare(target)
        except (RecordingError, ReplayError) as error:
            return str(error)

    def _provenance(self, submission: Submission, source: Source) -> Provenance:
        toolchain = self.workshop.bench().toolchain
        inputs = [part for file in submission.run.inputs for part in (file.path, file.text)]
        return Provenance(
            warp2wave=version("warp2wave"),
            sources_sha256=sha256_of(*_parts(submission.files)),
            port_sha256=sha256_of(*_parts(source.files)),
            toolchain=toolchain.digest,
            cuda=toolchain.cuda_digest,
            reference_device=REFERENCE_DEVICE,
            inputs_sha256=sha256_of(*submission.run.args, "--", *inputs, submission.run.stdin or ""),
        )


def _launches_of(port: Path, reference: Recording) -> tuple[RecordedLaunch, ...]:
    """The port's launches, if its recording is there. A port that spoiled it is launched as the original was. Raises
    ReplayError where the port launches other kernels."""
    try:
        recording = Recording(port)
    except RecordingError:
        return reference.launches
    with closing(recording):
        return same_launches(reference, recording)


def _recording_of(context: StageContext, device: str, variant: str = "") -> Path:
    return context.workspace / _RECORDINGS / f"{variant}{device}".replace(":", "-")


def build_recipe(
    submission: Submission, files: tuple[SourceFile, ...], main_files: tuple[str, ...], side: Side
) -> Recipe:
    """How ``files``, the submission's own or its port's, are compiled for ``side``."""
    options, given = submission.build, submission.given
    return Recipe(
        files=tuple((file.path, _bytes(file.text)) for file in files),
        main_files=main_files,
        standard=options.standard,
        include_dirs=given.include_dirs if given is not None and side is Side.HIP else options.include_dirs,
        defines=options.defines,
        flags=options.nvcc_flags if side is Side.CUDA else options.hipcc_flags,
    )


def run_request(submission: Submission) -> RunRequest:
    """How the submission's program is run, on either side."""
    options = submission.run
    return RunRequest(
        args=options.args,
        inputs=(*((file.path, _bytes(file.text)) for file in options.inputs), *case_inputs(submission)),
        stdin=_bytes(options.stdin) if options.stdin is not None else None,
        output_files=options.output_files,
        limits=_run_limits(submission),
        trace=True,
    )


def _run_limits(submission: Submission) -> Limits:
    seconds = submission.run.timeout_seconds
    return replace(_RUN_LIMITS, wall_seconds=seconds, cpu_seconds=seconds * 8)


def checked(request: RunRequest) -> RunRequest:
    """The same run with the virtual GPU's checks, and the time that they take."""
    limits = request.limits
    longer = replace(
        limits,
        wall_seconds=limits.wall_seconds * _CHECKS_TAKE,
        cpu_seconds=limits.cpu_seconds * _CHECKS_TAKE,
    )
    return replace(request, check=Check.ON, limits=longer)


def unified_diff(submission: Submission, source: Source) -> str:
    """From the original files to the port's, in the order of the port's files."""
    originals = {file.path: file.text for file in submission.files}
    renamed = dict(zip(source.main_files, submission.main_files, strict=submission.given is None))
    lines: list[str] = []
    for file in source.files:
        old = renamed.get(file.path, file.path)
        before = originals.get(old)
        lines += difflib.unified_diff(
            (before or "").splitlines(keepends=True),
            file.text.splitlines(keepends=True),
            fromfile=old if before is not None else "/dev/null",
            tofile=file.path,
        )
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _first_error(build: Build) -> str:
    if build.limit is not None:
        return f"nvcc was ended by the {build.limit} limit"
    error = next((d for d in build.diagnostics if d.severity == "error"), None)
    if error is None:
        lines = build.log.strip().splitlines()
        return lines[-1] if lines else "nvcc gave no message"
    return f"{error.file}:{error.line}: {error.message}" if error.file else error.message


def _tell(context: StageContext, stage: str, status: Literal["finished", "failed"], started: float) -> None:
    context.progress(ProgressEvent(stage=stage, status=status, seconds=time.monotonic() - started))


def _parts(files: tuple[SourceFile, ...]) -> list[str]:
    return [part for file in sorted(files, key=lambda f: f.path) for part in (file.path, file.text)]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
