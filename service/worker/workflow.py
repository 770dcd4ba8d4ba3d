"""The durable workflow of a port. Its body only orders steps: it must do the same again when it is replayed."""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from dbos import DBOS, StepOptions, StepReservation

from sandbox.errors import SandboxLayerError
from service.errors import ErrorRecord
from service.worker.step_results import Plan, StepResult
from service.worker.steps import PortSteps

APPLICATION_VERSION = "1"
"""Moves when the order of steps below changes. Workflows under way then start over, and steps that have their
result in the store already return at once."""

logger = logging.getLogger(__name__)
PortWorkflow = Callable[[str], None]
_Step = tuple[str, Callable[[], StepResult]]


def define_port_workflow(steps: PortSteps) -> PortWorkflow:
    """Register the workflow with the engine, bound to the steps of this process."""

    @DBOS.workflow(name="port")
    def port_workflow(port_id: str) -> None:
        try:
            error = _order(steps, port_id)
            if error is not None:
                _run("fail", partial(steps.fail, port_id, error))
        except Exception as unexpected:
            logger.exception("port %s", port_id)
            steps.fail(port_id, ErrorRecord.of(unexpected))

    return port_workflow


def _order(steps: PortSteps, port_id: str) -> ErrorRecord | None:
    plan = Plan.model_validate(_run_raw("begin", partial(steps.begin, port_id)))
    if plan.ends:
        return plan.error
    targets, naive = plan.targets, plan.targets if plan.explain else ()
    groups: list[list[_Step]] = [
        [("translate", partial(steps.translate, port_id))],
        [
            ("reference", partial(steps.reference, port_id)),
            *((f"port:{target}", partial(steps.port_target, port_id, target)) for target in targets),
            *((f"naive:{target}", partial(steps.naive, port_id, target)) for target in naive),
        ],
        [("judge", partial(steps.judge, port_id))],
        [("accept", partial(steps.accept, port_id))],
    ]
    for group in groups:
        for result in _run_together(group):
            if result.ends:
                return result.error
    return None


def _run_together(group: list[_Step]) -> list[StepResult]:
    """Run steps side by side. Their numbers are drawn first, in order, so that a replay finds their results."""
    if len(group) == 1:
        return [_run(*group[0])]
    reserved = [DBOS.reserve_step() for _ in group]
    with ThreadPoolExecutor(len(group), thread_name_prefix="stage") as pool:
        futures = [
            pool.submit(contextvars.copy_context().run, partial(_run_reserved, reservation, name, call))
            for reservation, (name, call) in zip(reserved, group, strict=True)
        ]
    return [future.result() for future in futures]


def _run(name: str, call: Callable[[], StepResult]) -> StepResult:
    return StepResult.model_validate(_run_raw(name, call))


def _run_raw(name: str, call: Callable[[], StepResult]) -> dict[str, Any]:
    return DBOS.run_step(_options(name), _plain, call)


def _run_reserved(reservation: StepReservation, name: str, call: Callable[[], StepResult]) -> StepResult:
    return StepResult.model_validate(reservation.run(_options(name), _plain, call))


def _options(name: str) -> StepOptions:
    # Errors of stages are results by now: what is left is a database that is away for a while.
    return {
        "name": name,
        "retries_allowed": True,
        "max_attempts": 8,
        "interval_seconds": 0.5,
        "backoff_rate": 2.0,
        "should_retry": lambda error: isinstance(error, SandboxLayerError) and error.retryable,
    }


def _plain(call: Callable[[], StepResult]) -> dict[str, Any]:
    return call().model_dump(mode="json")
