"""A process that forks workers to be killed: each request, a line of JSON on stdin, is one child that submits
a port and dies by SIGKILL at the named point. Forking after the imports makes a child cost little."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake_stages import FakeStages, make_submission

import service.store.blobs
import service.store.ports
import service.worker.engine  # the slow import
from agents.orchestrator.stages import StageContext
from service.settings import Settings
from service.store.ports import Ports
from service.store.stage_outputs import StageOutputs
from service.worker.runtime import Runtime


def die(*_arguments: Any, **_more: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def run_then_die(function: Callable[..., Any], when: Callable[..., bool] = lambda *a: True) -> Callable[..., Any]:
    def wrapper(*arguments: Any, **more: Any) -> Any:
        result = function(*arguments, **more)
        if when(*arguments):
            die()
        return result

    return wrapper


def arm(point: str) -> Callable[[str, StageContext], None]:
    """Set the trap; the result is the hook for stages."""
    kind, _, stage = point.partition(" ")
    if kind == "created":
        Ports.create = run_then_die(Ports.create)  # type: ignore[method-assign]
    elif kind == "kept":
        StageOutputs.put = run_then_die(  # type: ignore[method-assign]
            StageOutputs.put, lambda self, port_id, name, *rest: name == stage
        )
    elif kind == "inside-finish":
        service.store.ports._finding_row = die  # type: ignore[assignment]
    elif kind == "finished":
        Ports.finish = run_then_die(Ports.finish)  # type: ignore[method-assign]

    def hook(name: str, context: StageContext) -> None:
        if kind == "stage" and name == stage:
            die()
        if kind == "blob" and name == "assemble":
            service.store.blobs.os.fsync = die  # type: ignore[assignment]
        if kind == "wait" and name == stage:
            begun = time.monotonic()
            while not Path(context.workspace / "go").exists() and time.monotonic() < begun + 30:
                if context.cancellation.requested:
                    return
                time.sleep(0.02)

    return hook


def work(request: dict[str, str]) -> None:
    settings = Settings(data_dir=Path(request["data_dir"]), database_url=request["database_url"])
    stages = FakeStages(Path(request["calls"]), arm(request["point"]))
    with Runtime(settings, stages) as runtime:
        port_id = runtime.submit(make_submission())
        runtime.wait(port_id, timeout=60)


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                work(json.loads(line))
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        print(child, flush=True)  # noqa: T201
        if json.loads(line)["point"].startswith("wait"):
            continue
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
