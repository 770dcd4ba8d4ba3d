"""The steps of a port: each runs one stage and keeps its result in the store.

A step may run more than once: its process may die after any line. So each first takes the port in hand (which
also shuts out a former owner that only looked dead) and does nothing where its result is there already.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from agents.models import Source, Submission
from agents.orchestrator.stages import Executed, Judgement, Material, StageContext, Stages
from sandbox.errors import SandboxLayerError
from sandbox.progress import ProgressEvent
from service.errors import ErrorRecord, StoreUnavailableError
from service.store.store import Store
from service.worker.acceptance import keep_artifacts
from service.worker.active_ports import ActivePorts, Interrupted
from service.worker.event_hub import EventHub
from service.worker.step_results import Plan, StepResult
from service.worker.stop_signal import StopReason, StopSignal

RETRY_AFTER_SECONDS = (1.0, 5.0)

OVER = StepResult(over=True)
_CANCELLED = StepResult(error=ErrorRecord(code="cancelled", message="cancelled on request"))

logger = logging.getLogger(__name__)
ModelT = TypeVar("ModelT", bound=BaseModel)
Work = Callable[[Submission, StageContext], BaseModel]


class PortSteps:
    """``workspaces``: folder in which each port gets one of its own while it is under way."""

    def __init__(
        self, store: Store, stages: Stages, executor: str, workspaces: Path, hub: EventHub, active: ActivePorts
    ) -> None:
        self._store = store
        self._stages = stages
        self._executor = executor
        self._workspaces = workspaces
        self._hub = hub
        self._active = active

    def begin(self, port_id: str) -> Plan:
        with self._active.step(port_id):
            if not self._take(port_id):
                return Plan(over=True)
            submission = self._store.submission(port_id)
            return Plan(targets=submission.targets, explain=submission.explain)

    def translate(self, port_id: str) -> StepResult:
        return self._run(port_id, "translate", self._stages.translate)

    def reference(self, port_id: str) -> StepResult:
        return self._run(port_id, "reference", self._stages.reference)

    def port_target(self, port_id: str, target: str) -> StepResult:
        def work(submission: Submission, context: StageContext) -> Executed:
            source = self._output(port_id, "translate", Source)
            return self._stages.port_target(submission, source, target, context)

        return self._run(port_id, f"port:{target}", work)

    def naive(self, port_id: str, target: str) -> StepResult:
        def work(submission: Submission, context: StageContext) -> Executed:
            return self._stages.naive(submission, target, context)

        return self._run(port_id, f"naive:{target}", work)

    def judge(self, port_id: str) -> StepResult:
        def work(submission: Submission, context: StageContext) -> Judgement:
            return self._stages.judge(submission, self._material(port_id, submission), context)

        return self._run(port_id, "judge", work)

    def accept(self, port_id: str) -> StepResult:
        """Assemble the port and keep all of it in one transaction."""
        with self._active.step(port_id) as signal:
            return self._accept(port_id, signal) if self._take(port_id) else OVER

    def fail(self, port_id: str, error: ErrorRecord) -> StepResult:
        """End the port without a verdict."""
        with self._active.step(port_id):
            if self._take(port_id):
                self._store.ports.fail(port_id, error, executor=self._executor)
                self._leave(port_id)
        return OVER

    def _accept(self, port_id: str, signal: StopSignal) -> StepResult:
        try:
            submission = self._store.submission(port_id)
            judgement = self._output(port_id, "judge", Judgement)
            assembly = self._stages.assemble(
                submission,
                self._material(port_id, submission),
                judgement,
                self._store.stage_outputs.seconds(port_id),
                self._context(port_id, signal),
            )
            artifacts = keep_artifacts(self._store.blobs, assembly)
        except Exception as error:
            return self._failure(port_id, "accept", error, signal)
        findings = assembly.port.source.findings
        self._store.ports.finish(port_id, self._executor, assembly.port.verdict, findings, artifacts)
        self._leave(port_id)
        return OVER

    def _run(self, port_id: str, stage: str, work: Work) -> StepResult:
        with self._active.step(port_id) as signal:
            return self._run_stage(port_id, stage, work, signal) if self._take(port_id) else OVER

    def _run_stage(self, port_id: str, stage: str, work: Work, signal: StopSignal) -> StepResult:
        if self._store.stage_outputs.has(port_id, stage):
            return StepResult()
        if not self._active.wait_for_slot(signal):
            return self._stopped(signal)
        try:
            return self._run_in_slot(port_id, stage, work, signal)
        finally:
            self._active.free_slot()

    def _run_in_slot(self, port_id: str, stage: str, work: Work, signal: StopSignal) -> StepResult:
        self._hub.publish(port_id, ProgressEvent(stage=stage, status="started"))
        submission = self._store.submission(port_id)
        begun = time.monotonic()
        context = self._context(port_id, signal)
        try:
            output = self._attempt(work, submission, context, signal)
        except Exception as error:
            return self._failure(port_id, stage, error, signal)
        if signal.requested:
            return self._stopped(signal)
        seconds = time.monotonic() - begun
        if not self._store.stage_outputs.put(port_id, stage, output, seconds, executor=self._executor):
            self._leave(port_id)
            return OVER
        self._hub.publish(port_id, ProgressEvent(stage=stage, status="finished", seconds=seconds))
        return StepResult()

    def _attempt(self, work: Work, submission: Submission, context: StageContext, signal: StopSignal) -> BaseModel:
        for delay in RETRY_AFTER_SECONDS:
            try:
                return work(submission, context)
            except SandboxLayerError as error:
                if not error.retryable or signal.requested:
                    raise
                logger.warning("port %s: %s; trying again in %g s", context.port_id, error, delay)
            signal.wait(delay)
        return work(submission, context)

    def _failure(self, port_id: str, stage: str, error: Exception, signal: StopSignal) -> StepResult:
        if signal.requested:
            return self._stopped(signal)
        if isinstance(error, StoreUnavailableError):
            raise error
        record = ErrorRecord.of(error)
        if not isinstance(error, SandboxLayerError):
            logger.error("port %s: stage %s", port_id, stage, exc_info=error)
        self._hub.publish(port_id, ProgressEvent(stage=stage, status="failed", message=record.message))
        return StepResult(error=record)

    def _stopped(self, signal: StopSignal) -> StepResult:
        if signal.reason is StopReason.CANCELLED:
            return _CANCELLED
        raise Interrupted

    def _take(self, port_id: str) -> bool:
        if self._store.ports.claim(port_id, self._executor):
            return True
        self._leave(port_id)
        return False

    def _leave(self, port_id: str) -> None:
        shutil.rmtree(self._workspaces / port_id, ignore_errors=True)
        self._active.forget(port_id)

    def _context(self, port_id: str, signal: StopSignal) -> StageContext:
        workspace = self._workspaces / port_id
        workspace.mkdir(parents=True, exist_ok=True)
        return StageContext(port_id, workspace, lambda event: self._hub.publish(port_id, event), signal)

    def _material(self, port_id: str, submission: Submission) -> Material:
        naive = submission.targets if submission.explain else ()
        return Material(
            source=self._output(port_id, "translate", Source),
            reference=self._output(port_id, "reference", Executed),
            ports=tuple(self._output(port_id, f"port:{target}", Executed) for target in submission.targets),
            naive=tuple(self._output(port_id, f"naive:{target}", Executed) for target in naive),
        )

    def _output(self, port_id: str, stage: str, kind: type[ModelT]) -> ModelT:
        return self._store.stage_outputs.get(port_id, stage, kind)
