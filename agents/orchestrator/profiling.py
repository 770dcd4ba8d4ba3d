"""Builds a port, or any HIP source, and runs it with counters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from agents.models import SourceFile, Submission
from agents.orchestrator.sandboxed import build_recipe, run_request
from sandbox.execution.builder import build_program
from sandbox.execution.workshop import Workshop
from sandbox.models import Build, Device, Run, Side
from sandbox.profiling.collect import with_facts
from sandbox.progress import Progress, ignore


@dataclass(frozen=True)
class Profiled:
    """``run`` is None where the program did not build; else ``run.profile`` has the kernels' facts too."""

    build: Build
    run: Run | None = None


def profile_source(
    workshop: Workshop,
    submission: Submission,
    files: tuple[SourceFile, ...],
    main_files: tuple[str, ...],
    device: Device,
    progress: Progress = ignore,
) -> Profiled:
    """``submission`` says how ``files`` are built and run; ``device`` is a HIP one."""
    recipe = build_recipe(submission, files, main_files, Side.HIP)
    build = build_program(workshop.bench(progress), recipe, Side.HIP, device.target)
    if not build.ok:
        return Profiled(build)
    return Profiled(build, profile_program(workshop, Path(build.program), submission, device, build, progress))


def profile_program(
    workshop: Workshop,
    program: Path,
    submission: Submission,
    device: Device,
    build: Build | None = None,
    progress: Progress = ignore,
) -> Run:
    """Run an executable with counters. Without ``build`` nothing is known of its registers."""
    request = replace(run_request(submission), counters=True, trace=False)
    run = workshop.runner(progress).run(program, device, request)
    if run.profile is None or build is None:
        return run
    return run.model_copy(update={"profile": with_facts(run.profile, build.kernels)})
