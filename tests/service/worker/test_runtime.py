from __future__ import annotations

import threading
import time

import pytest
from fake_stages import FINDING, KERNEL, FakeStages, make_submission

from agents.errors import SubmissionError
from agents.models import Outcome, SourceFile, Submission
from agents.orchestrator.stages import StageContext
from sandbox.errors import IsolationError, ToolchainError
from sandbox.models import Evidence
from sandbox.progress import ProgressEvent
from service.errors import NotFoundError, PortCancelledError, PortFailedError
from service.settings import Settings
from service.store.records import PortFilter, State
from service.worker import steps
from service.worker.runtime import Runtime

STAGES = {"translate", "reference", "port:gfx942", "port:gfx950", "judge", "assemble"}


def test_port_is_accepted_and_kept(runtime: Runtime, stages: FakeStages):
    port_id = runtime.submit(make_submission())
    port = runtime.wait(port_id, timeout=30)

    assert port.id == port_id
    assert port.verdict.outcome is Outcome.ACCEPTED
    assert sorted(stages.calls()) == sorted(STAGES)
    assert set(port.seconds) == STAGES - {"assemble"}
    record = runtime.get_port(port_id)
    assert (record.state, record.outcome, record.evidence) == (State.FINISHED, Outcome.ACCEPTED, Evidence.EMULATED)
    assert [verdict.target for verdict in record.verdicts] == ["gfx942", "gfx950"]
    assert record.finished_at is not None
    assert record.finished_at >= record.created_at
    assert [artifact.name for artifact in record.artifacts] == ["k.hip", "report.json", "report.md"]
    assert runtime.get_artifact(port_id, "k.hip")[1].read_text() == KERNEL
    assert runtime.get_report(port_id) == port


def test_text_that_is_not_utf8_survives_byte_exact(runtime: Runtime):
    raw = b"// caf\xe9 \xff\n" + KERNEL.encode()
    text = raw.decode("utf-8", "surrogateescape")
    port_id = runtime.submit(make_submission(files=(SourceFile(path="k.cu", text=text),)))
    port = runtime.wait(port_id, timeout=30)

    assert runtime.get_artifact(port_id, "k.hip")[1].read_bytes() == raw
    assert port.source.findings == (FINDING,)
    assert runtime.get_port(port_id).findings[0].snippet == r"0xffffffff \udcff"


def test_explain_also_runs_the_naive_port(runtime: Runtime, stages: FakeStages):
    port = runtime.wait(runtime.submit(make_submission(explain=True, targets=("gfx942",))), timeout=30)

    assert "naive:gfx942" in stages.calls()
    assert [verdict.target for verdict in port.naive] == ["gfx942"]


def test_events_arrive_in_order_and_whole(runtime: Runtime):
    seen: list[ProgressEvent] = []
    runtime.wait(runtime.submit(make_submission()), seen.append, timeout=30)

    for stage in STAGES - {"assemble"}:
        statuses = [event.status for event in seen if event.stage == stage]
        assert statuses == ["started", "running", "finished"]
    assert seen[-1] == ProgressEvent(stage="port", status="finished", message="finished")
    assert all(event.seconds is not None for event in seen[:-1] if event.status == "finished")


def test_stages_of_one_port_run_side_by_side(settings: Settings, stages: FakeStages):
    both = threading.Barrier(2)

    def hook(stage: str, context: StageContext) -> None:
        if stage.startswith("port:"):
            both.wait(timeout=10)

    stages.hook = hook
    with Runtime(settings.model_copy(update={"parallel_stages": 2}), stages) as runtime:
        assert runtime.wait(runtime.submit(make_submission()), timeout=30).verdict.outcome is Outcome.ACCEPTED


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SubmissionError("nvcc rejects k.cu", hint="mend it", line=3, surrogate="\udcff"), "submission"),
        (IsolationError("no namespaces"), "isolation"),
        (ZeroDivisionError("oops \0 \udcff"), "internal"),
    ],
)
def test_row_says_why_a_port_failed(runtime: Runtime, stages: FakeStages, error: Exception, code: str):
    def hook(stage: str, context: StageContext) -> None:
        if stage == "reference":
            raise error

    stages.hook = hook
    port_id = runtime.submit(make_submission())
    with pytest.raises(PortFailedError) as raised:
        runtime.wait(port_id, timeout=30)

    assert raised.value.code == code
    record = runtime.get_port(port_id)
    assert record.state is State.FAILED
    assert record.error is not None
    assert record.error.code == code
    assert "\0" not in record.error.message
    assert record.outcome is None
    assert record.artifacts == ()
    with pytest.raises(NotFoundError):
        runtime.get_report(port_id)


def test_only_retryable_errors_are_tried_again(runtime: Runtime, stages: FakeStages, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(steps, "RETRY_AFTER_SECONDS", (0.01, 0.01))
    failures = iter([ToolchainError("mirror away"), ToolchainError("mirror away")])

    def hook(stage: str, context: StageContext) -> None:
        if stage == "reference" and (error := next(failures, None)):
            raise error

    stages.hook = hook
    assert runtime.wait(runtime.submit(make_submission()), timeout=30).verdict.outcome is Outcome.ACCEPTED
    assert stages.calls().count("reference") == 3

    stages.hook = _raising("reference", ToolchainError("mirror gone"))
    with pytest.raises(PortFailedError, match="mirror gone"):
        runtime.wait(runtime.submit(make_submission()), timeout=30)
    assert stages.calls().count("reference") == 6


def _raising(at: str, error: Exception):
    def hook(stage: str, context: StageContext) -> None:
        if stage == at:
            raise error

    return hook


@pytest.mark.parametrize(
    ("submission", "code", "message"),
    [
        (make_submission(files=(SourceFile(path="k.cu", text=KERNEL + "x" * (50 << 20)),)), "too-large", "50.0 MiB"),
        (make_submission(files=(SourceFile(path="k.cu", text=" \n"),)), "submission", "k.cu is empty"),
        (make_submission(files=(SourceFile(path="k.cu", text="\x7fELF\0"),)), "submission", "k.cu is binary"),
        (make_submission(files=(SourceFile(path="k.cu", text="int main(){}"),)), "submission", "no kernel"),
        (make_submission(main_files=("other.cu",)), "submission", "main_files"),
        (make_submission(targets=()), "submission", "targets"),
        (make_submission(targets=("gfx942", "gfx942")), "submission", "targets"),
        (make_submission(targets=("sm_90; rm",)), "submission", "not an AMD GPU"),
        *(
            (make_submission(files=(SourceFile(path=path, text=KERNEL),), main_files=(path,)), "submission", "path")
            for path in (
                "../k.cu",
                "/etc/k.cu",
                "a/../../k.cu",
                "a//k.cu",
                "./k.cu",
                "a\\k.cu",
                "a\nk.cu",
                "",
                "x" * 401,
            )
        ),
    ],
    ids=lambda value: "" if isinstance(value, Submission) else str(value),
)
def test_bad_submission_is_a_failed_row(
    runtime: Runtime, stages: FakeStages, submission: Submission, code: str, message: str
):
    port_id = runtime.submit(submission)
    with pytest.raises(PortFailedError, match=message):
        runtime.wait(port_id, timeout=5)

    record = runtime.get_port(port_id)
    assert record.state is State.FAILED
    assert record.error is not None
    assert record.error.code == code
    assert stages.calls() == []


def test_refused_input_leaves_a_row(runtime: Runtime):
    port_id = runtime.refuse("huge.cu", SubmissionError("huge.cu has 50 MiB"), ["gfx942"])

    with pytest.raises(PortFailedError, match="50 MiB"):
        runtime.wait(port_id)
    assert runtime.list_ports(PortFilter(state=State.FAILED)).ports[0].id == port_id


def test_cancel_stops_a_running_stage(runtime: Runtime, stages: FakeStages):
    entered, stopped = threading.Event(), threading.Event()

    def hook(stage: str, context: StageContext) -> None:
        if stage == "translate":
            context.cancellation.on_request(stopped.set)
            entered.set()
            assert stopped.wait(20)

    stages.hook = hook
    port_id = runtime.submit(make_submission())
    assert entered.wait(20)
    begun = time.monotonic()
    assert runtime.cancel(port_id) is State.RUNNING
    with pytest.raises(PortCancelledError):
        runtime.wait(port_id, timeout=20)

    assert time.monotonic() - begun < 2
    assert runtime.get_port(port_id).state is State.CANCELLED
    assert stages.calls() == ["translate"]
    assert runtime.cancel(port_id) is State.CANCELLED


def test_leaving_the_runtime_interrupts_and_the_next_one_goes_on(settings: Settings, stages: FakeStages):
    entered = threading.Event()

    def hook(stage: str, context: StageContext) -> None:
        if stage == "judge":
            entered.set()
            stop = threading.Event()
            context.cancellation.on_request(stop.set)
            assert stop.wait(20)

    stages.hook = hook
    with Runtime(settings, stages) as runtime:
        port_id = runtime.submit(make_submission())
        assert entered.wait(20)
    stages.hook = lambda stage, context: None
    with Runtime(settings, stages) as runtime:
        assert runtime.get_port(port_id).state is State.RUNNING
        assert runtime.resume_dead() == [port_id]
        assert runtime.wait(port_id, timeout=30).verdict.outcome is Outcome.ACCEPTED
        assert runtime.resume_dead() == []

    assert sorted(stages.calls()) == sorted([*STAGES, "judge"])
    assert list((settings.data_dir / "executors").iterdir()) == []
    assert list((settings.data_dir / "work").iterdir()) == []


def test_serving_runtime_takes_ports_from_the_queue(settings: Settings, stages: FakeStages):
    settings = settings.model_copy(update={"worker_concurrency": 1})
    running, most = 0, 0
    lock = threading.Lock()

    def hook(stage: str, context: StageContext) -> None:
        nonlocal running, most
        with lock:
            running += stage == "translate"
            most = max(most, running)
            running -= stage == "assemble"

    stages.hook = hook
    with Runtime(settings, stages, serving=True) as runtime:
        ids = [runtime.submit(make_submission(targets=("gfx942",))) for _ in range(3)]
        assert runtime.get_port(ids[-1]).state is State.QUEUED
        assert runtime.cancel(ids[-1]) is State.CANCELLED
        for port_id in ids[:2]:
            runtime.wait(port_id, timeout=30)

    assert most == 1


def test_wait_times_out_and_unknown_ports_are_not_found(runtime: Runtime, stages: FakeStages):
    release = threading.Event()

    def hook(stage: str, context: StageContext) -> None:
        assert release.wait(20)

    stages.hook = hook
    port_id = runtime.submit(make_submission())
    with pytest.raises(TimeoutError):
        runtime.wait(port_id, timeout=0.1)
    release.set()
    runtime.wait(port_id, timeout=30)
    for unknown in ("x", "0" * 26, "../../etc/passwd", "\udcff"):
        with pytest.raises(NotFoundError):
            runtime.wait(unknown)
        with pytest.raises(NotFoundError):
            runtime.cancel(unknown)


def test_looking_at_ports_starts_no_worker(runtime: Runtime, settings: Settings):
    assert runtime.list_ports().ports == ()
    assert not (settings.data_dir / "executors").exists()
