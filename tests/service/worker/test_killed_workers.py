"""SIGKILL at every point of a port's way: it is finished by the next process, once, with nothing lost."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from fake_stages import FakeStages
from sqlmodel import select

from agents.models import Outcome
from service.errors import PortCancelledError, PortFailedError
from service.settings import Settings
from service.store.records import PortRecord, State
from service.store.tables import StageOutputRow
from service.worker.recovery import MAX_ATTEMPTS
from service.worker.runtime import Runtime

STAGES = ["assemble", "judge", "port:gfx942", "port:gfx950", "reference", "translate"]
SIDE_BY_SIDE = {"reference", "port:gfx942", "port:gfx950"}
POINTS = [
    "created",
    *(f"stage {stage}" for stage in STAGES if stage != "port:gfx950"),
    *(f"kept {stage}" for stage in ("reference", "judge")),
    "blob",
    "inside-finish",
    "finished",
]


class KillWorker(Protocol):
    def __call__(self, settings: Settings, point: str) -> None: ...


@pytest.fixture(scope="module")
def worker_process() -> Iterator[subprocess.Popen[str]]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here.parent), str(here.parents[2])])
    process = subprocess.Popen(
        [sys.executable, "-W", "error", str(here / "killable_worker.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    with process:
        yield process
        process.stdin.close()


@pytest.fixture
def start(worker_process: subprocess.Popen[str], stages: FakeStages, tmp_path: Path) -> Callable[[Settings, str], int]:
    def start(settings: Settings, point: str) -> int:
        request = {
            "data_dir": str(settings.data_dir),
            "database_url": settings.database_url,
            "calls": str(tmp_path / "calls"),
            "point": point,
        }
        print(json.dumps(request), file=worker_process.stdin, flush=True)
        return int(worker_process.stdout.readline())

    return start


@pytest.fixture
def kill_worker(worker_process: subprocess.Popen[str], start: Callable[[Settings, str], int]) -> KillWorker:
    def kill(settings: Settings, point: str) -> None:
        start(settings, point)
        assert int(worker_process.stdout.readline()) == -9

    return kill


def only_port(runtime: Runtime) -> PortRecord:
    (port,) = runtime.list_ports().ports
    return runtime.get_port(port.id)


def check_finished_once(runtime: Runtime, port_id: str) -> None:
    port = runtime.get_port(port_id)
    assert (port.state, port.outcome) == (State.FINISHED, Outcome.ACCEPTED)
    assert [verdict.target for verdict in port.verdicts] == ["gfx942", "gfx950"]
    assert len(port.findings) == 1
    assert [artifact.name for artifact in port.artifacts] == ["k.hip", "report.json", "report.md"]
    for artifact in port.artifacts:
        content = runtime.get_artifact(port_id, artifact.name)[1].read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (artifact.sha256, artifact.size)
    events = runtime.store.events.after(port_id, 0)
    assert [event.message for event in events if event.stage == "port"] == ["finished"]
    with runtime.store.database.reading() as session:
        assert session.exec(select(StageOutputRow)).all() == []


@pytest.mark.parametrize("point", POINTS)
def test_killed_port_is_finished_once(settings: Settings, stages: FakeStages, kill_worker: KillWorker, point: str):
    kill_worker(settings, point)

    before = stages.calls()
    with Runtime(settings, stages) as runtime:
        port = only_port(runtime)
        if point == "finished":
            assert runtime.resume_dead() == []
        else:
            assert (port.outcome, port.verdicts, port.findings, port.artifacts) == (None, (), (), ())
            assert runtime.resume_dead() == [port.id]
        runtime.wait(port.id, timeout=30)
        check_finished_once(runtime, port.id)
        assert runtime.resume_dead() == []

    # Only what was under way when the process died is done again.
    again = stages.calls()
    repeated = {stage for stage in again if again.count(stage) > 1}
    assert sorted(set(again)) == STAGES
    if point.startswith("stage "):
        assert point.removeprefix("stage ") in repeated
    group = next((SIDE_BY_SIDE for stage in SIDE_BY_SIDE if point.endswith(stage)), {before[-1]} if before else set())
    if point.startswith("kept"):
        group = group - {point.removeprefix("kept ")}
    assert repeated <= group
    assert list((settings.data_dir / "executors").iterdir()) == []
    assert list((settings.data_dir / "work").iterdir()) == []


@pytest.mark.parametrize("point", ["stage judge", "inside-finish"])
def test_killed_port_is_finished_once_on_postgresql(
    settings: Settings,
    stages: FakeStages,
    kill_worker: KillWorker,
    postgres: Callable[[str], str],
    point: str,
):
    url = postgres(f"killed-{point.replace(' ', '-')}")
    settings = settings.model_copy(update={"database_url": url})
    kill_worker(settings, point)

    with Runtime(settings, stages) as runtime:
        port = only_port(runtime)
        assert (port.outcome, port.artifacts) == (None, ())
        assert runtime.resume_dead() == [port.id]
        runtime.wait(port.id, timeout=30)
        check_finished_once(runtime, port.id)


def test_serving_process_takes_over_by_itself(settings: Settings, stages: FakeStages, kill_worker: KillWorker):
    kill_worker(settings, "stage judge")
    with Runtime(settings, stages, serving=True) as runtime:
        runtime.wait(only_port(runtime).id, timeout=30)


def test_port_that_kills_every_worker_is_given_up(
    settings: Settings, stages: FakeStages, kill_worker: KillWorker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("service.worker.recovery.MAX_ATTEMPTS", 1)
    assert MAX_ATTEMPTS > 1
    kill_worker(settings, "stage judge")
    with Runtime(settings, stages) as runtime:
        assert runtime.resume_dead() == []
        port_id = only_port(runtime).id
        with pytest.raises(PortFailedError, match="1 worker processes died"):
            runtime.wait(port_id)


def wait_for_call(stages: FakeStages, stage: str) -> None:
    deadline = time.monotonic() + 20
    while stage not in stages.calls():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_live_process_keeps_its_work_and_others_can_follow(
    settings: Settings, stages: FakeStages, start: Callable[[Settings, str], int]
):
    start(settings, "wait judge")
    wait_for_call(stages, "judge")
    with Runtime(settings, stages) as runtime:
        assert runtime.resume_dead() == []
        port_id = only_port(runtime).id
        (settings.data_dir / "work" / port_id / "go").touch()
        runtime.wait(port_id, timeout=30)
        check_finished_once(runtime, port_id)
    assert sorted(stages.calls()) == STAGES


def test_port_is_cancelled_from_another_process(
    settings: Settings, stages: FakeStages, start: Callable[[Settings, str], int]
):
    start(settings, "wait judge")
    wait_for_call(stages, "judge")
    with Runtime(settings, stages) as runtime:
        port_id = only_port(runtime).id
        begun = time.monotonic()
        assert runtime.cancel(port_id) is State.RUNNING
        with pytest.raises(PortCancelledError):
            runtime.wait(port_id, timeout=20)
        assert time.monotonic() - begun < 2
        assert runtime.get_port(port_id).state is State.CANCELLED
