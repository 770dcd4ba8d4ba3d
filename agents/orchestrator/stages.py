"""The stages a port passes through, and the data between them.

Whoever drives a port (a durable workflow, a test, a loop in a script) calls the methods of ``Stages`` in the
order ``translate``, ``reference`` and every ``port_target`` (and ``naive``, where the submission asks for an
explanation) in any order or at once, ``judge``, ``assemble``. All that a stage needs comes in by argument and
all that it found goes out as its result, so a driver can keep results and go on later in another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agents.models import Port, Source, SourceFile, Submission, TargetVerdict, Verdict
from sandbox.cancellation import Cancellation as Cancellation
from sandbox.models import Build, Model, Run
from sandbox.progress import Progress


class Executed(Model):
    """One program built for one target and, where the build succeeded, run."""

    build: Build
    run: Run | None = None


class Material(Model):
    """Everything that was built and run for a submission: what a verdict is made from."""

    source: Source
    reference: Executed
    ports: tuple[Executed, ...]
    """One for each of the submission's targets, in their order."""
    naive: tuple[Executed, ...] = ()
    """The port with renames only, for the same targets; empty where it was not asked for."""


class Judgement(Model):
    verdict: Verdict
    naive: tuple[TargetVerdict, ...] = ()


class Assembly(Model):
    """The finished port and the files to keep with it, by the names that users ask for. ``report.json``,
    the port itself, is not among them: whoever stores the port writes it."""

    port: Port
    files: tuple[SourceFile, ...] = ()


@dataclass(frozen=True)
class StageContext:
    """What surrounds one stage of one port.

    ``workspace`` is a folder of the port's own. It outlives the process, but a stage must not count on
    another stage's files being there: a port may go on elsewhere. Stages of one port may run at the same
    time, so each writes under names of its own.
    """

    port_id: str
    workspace: Path
    progress: Progress
    cancellation: Cancellation


class Stages(Protocol):
    """The work itself. A stage may be run again with the same arguments (its process may have been killed
    before its result was kept), so it has no effect but its result and files in the workspace.

    Results tell what happened to programs: a build that fails, a run that crashes or is ended by a limit.
    Errors end the port without a verdict: ``SubmissionError`` where the submission itself cannot be worked
    on (also: the original program does not compile), other errors of ``sandbox`` and ``agents`` where our
    side failed; one with ``retryable`` set is tried again. A stage that is asked to stop returns or raises
    soon, whatever: its result is dropped.
    """

    def translate(self, submission: Submission, context: StageContext) -> Source:
        """The port's source with what hipify and the fixers found."""

    def reference(self, submission: Submission, context: StageContext) -> Executed:
        """The original program, built and run on the CUDA device."""

    def port_target(self, submission: Submission, source: Source, target: str, context: StageContext) -> Executed:
        """The port, built for ``target`` and run on its device."""

    def naive(self, submission: Submission, target: str, context: StageContext) -> Executed:
        """The port with renames only, built for ``target`` and run on its device."""

    def judge(self, submission: Submission, material: Material, context: StageContext) -> Judgement:
        """What the runs show, for each target and altogether."""

    def assemble(
        self,
        submission: Submission,
        material: Material,
        judgement: Judgement,
        seconds: Mapping[str, float],
        context: StageContext,
    ) -> Assembly:
        """The finished port, whose id is ``context.port_id``. ``seconds``: wall time by stage."""
