"""Replays the reference's launches with the port's kernels, in a program of ours that holds none of its host code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.cancellation import NEVER, Cancellation
from sandbox.execution.code_objects import extract_code_objects
from sandbox.execution.runner import Runner, RunRequest
from sandbox.isolation.protocol import Limits
from sandbox.models import Build, Device, Run
from sandbox.numerics.recording import BYTES, RecordedLaunch, Recording
from sandbox.numerics.replay_plan import ReplayError, plan_replay

REPLAY_PROGRAM = "w2w-replay"
_FAILED = 3
# Not the schedule of the port's own run: what depends on the order of wavefronts shows.
_OTHER_SCHEDULE = (("W2W_WAVE_ORDER", "reverse"), ("W2W_FUEL", "501"))


@dataclass(frozen=True)
class Replay:
    """``reference``: its recording, opened, and the folder that it is in. ``launches``: the port's, whose grids may be
    others."""

    reference: Recording
    folder: Path
    launches: Sequence[RecordedLaunch]
    limits: Limits

    def run(
        self, runner: Runner, build: Build, device: Device, target: Path, cancellation: Cancellation = NEVER
    ) -> Run:
        """Replay on ``device`` and record into the folder ``target``. Raises ReplayError where that is not possible; a
        kernel that faults is a result."""
        plan = plan_replay(self.reference, [kernel.name for kernel in build.kernels], self.launches)
        objects = extract_code_objects(runner.bench, build, cancellation)
        names = [f"code{number}" for number in range(len(objects))]
        files = (("plan", plan.encode()), ("bytes", (self.folder / BYTES).read_bytes()))
        request = RunRequest(
            args=("plan", "bytes", *names),
            inputs=(*files, *zip(names, objects, strict=True)),
            limits=self.limits,
            environment=_OTHER_SCHEDULE,
            record=target,
        )
        program = runner.runtime.folder / "lib" / REPLAY_PROGRAM
        run = runner.run(program, device, request, cancellation)
        if run.exit_code == _FAILED and run.fault is None:
            raise ReplayError(run.stdout.strip()[-500:] or "the replay ended without a reason")
        return run
