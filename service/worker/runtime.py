"""What the command line and the server use: submit ports, follow them, look at them."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from agents.models import Port, Submission
from agents.orchestrator.kernel_case import complete_case
from agents.orchestrator.stages import Stages
from sandbox.errors import SandboxLayerError
from sandbox.progress import Progress, ProgressEvent, ignore
from service.errors import ErrorRecord, PortCancelledError, PortFailedError
from service.settings import Settings
from service.store.documents import encode_model
from service.store.ids import new_port_id
from service.store.records import ArtifactRecord, PortFilter, PortPage, PortRecord, State
from service.store.store import Store, open_store
from service.worker.admission import check_submission
from service.worker.event_hub import EventHub

if TYPE_CHECKING:
    from service.worker.worker import Worker

_POLL_SECONDS = 0.2
_ANY = PortFilter()


class Runtime:
    """The store and, once there is work to do, a worker. One per process; a context manager.

    ``serving``: work from the start, on the shared queue, and take over what dead processes left. Else the
    worker starts with the first ``submit`` or ``resume_dead`` and runs only those ports. Leaving the context
    interrupts what still runs; a later process takes it over.

    Methods raise StoreError where the database cannot be used, NotFoundError for unknown ports.
    """

    def __init__(self, settings: Settings, stages: Stages, *, serving: bool = False) -> None:
        self._settings = settings
        self._stages = stages
        self._serving = serving
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._opened: tuple[Store, EventHub] | None = None

    def __enter__(self) -> Self:
        store = open_store(self._settings.resolved_database_url, self._settings.data_dir)
        self._opened = (store, EventHub(store.events))
        if self._serving:
            try:
                self.resume_dead()
            except BaseException:
                self.__exit__(None, None, None)
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None
        self.store.close()
        self._opened = None

    @property
    def store(self) -> Store:
        return self._open()[0]

    def check(self, submission: Submission) -> None:
        """Raises TooLargeError or SubmissionError for a submission that ``submit`` would refuse."""
        check_submission(submission, self._settings.max_source_bytes)

    def submit(self, submission: Submission) -> str:
        """Take a submission in and return its port's id. One that cannot be worked on becomes a failed port,
        whose error ``wait`` raises."""
        try:
            self.check(submission)
            submission = complete_case(submission)
        except SandboxLayerError as error:
            return self.refuse(submission.name, error, submission.targets)
        worker = self._start_worker()
        port_id = new_port_id()
        blob = self.store.blobs.put(encode_model(submission).encode("ascii"))
        self.store.ports.create(
            port_id,
            submission.name,
            submission.targets,
            submission_sha256=blob.sha256,
            executor=worker.executor,
        )
        worker.start(port_id)
        return port_id

    def refuse(self, name: str, error: SandboxLayerError, targets: Sequence[str] = ()) -> str:
        """Keep a row about input that could not even be read; its id."""
        port_id = new_port_id()
        self.store.ports.refuse(port_id, name, targets, ErrorRecord.of(error))
        return port_id

    def wait(self, port_id: str, on_event: Progress = ignore, timeout: float | None = None) -> Port:
        """Follow a port, wherever it runs, until it is final. ``on_event`` gets every event, from the first
        on, in this thread. Raises PortFailedError, PortCancelledError, and TimeoutError after ``timeout``
        seconds (the port runs on)."""
        store, hub = self._open()
        deadline = None if timeout is None else time.monotonic() + timeout
        last = 0
        with hub.listen(port_id) as live:
            while True:
                # The state first: what happened before the end is then among the events.
                state = store.ports.state(port_id)
                last = self._tell_kept(port_id, last, on_event)
                if state.final:
                    return self._result(port_id)
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError(f"port {port_id} is still {state}")
                self._tell_live(live, on_event)

    def cancel(self, port_id: str) -> State:
        """Ask a port to stop, wherever it runs; the state it has now. It is final soon after."""
        state = self.store.ports.request_cancel(port_id)
        if self._worker is not None:
            self._worker.cancel(port_id)
        return state

    def resume_dead(self) -> list[str]:
        """Take over what processes that died left unfinished; the ids of the ports that go on here. What came
        from the queue of ``serve`` goes back to it, for a process that serves."""
        return self._start_worker().resume_dead()

    def list_ports(self, wanted: PortFilter = _ANY, *, limit: int = 50, before: str | None = None) -> PortPage:
        """Newest first. ``before``: the ``next`` of the page before."""
        return self.store.ports.page(wanted, limit=limit, before=before)

    def find_port(self, beginning: str) -> str:
        """The id of the one port that begins so. Raises NotFoundError."""
        return self.store.ports.find(beginning)

    def get_port(self, port_id: str) -> PortRecord:
        return self.store.ports.get(port_id)

    def get_report(self, port_id: str) -> Port:
        """The whole port. Raises NotFoundError where it has no verdict."""
        return self.store.report(port_id)

    def get_artifact(self, port_id: str, name: str) -> tuple[ArtifactRecord, Path]:
        """An artifact and a file with its content (not to be changed)."""
        artifact = self.store.ports.artifact(port_id, name)
        return artifact, self.store.blobs.path(artifact.sha256)

    def _open(self) -> tuple[Store, EventHub]:
        if self._opened is None:
            raise RuntimeError("Runtime is used outside its context")
        return self._opened

    def _start_worker(self) -> Worker:
        with self._lock:
            if self._worker is None:
                # Late: the engine takes a second to import, and commands that only look need none.
                from service.worker.worker import Worker

                store, hub = self._open()
                self._worker = Worker(self._settings, store, self._stages, hub, serving=self._serving)
            return self._worker

    def _tell_kept(self, port_id: str, last: int, on_event: Progress) -> int:
        for event in self.store.events.after(port_id, last):
            last = event.id
            on_event(ProgressEvent.model_validate(event.model_dump(exclude={"id", "at"})))
        return last

    def _tell_live(self, live: queue.SimpleQueue[ProgressEvent | None], on_event: Progress) -> None:
        """Wait a moment for the next event, and tell it if the store does not have it."""
        try:
            event = live.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            return
        if event is not None:
            on_event(event)

    def _result(self, port_id: str) -> Port:
        port = self.get_port(port_id)
        if port.state is State.FINISHED:
            return self.get_report(port_id)
        record = port.error or ErrorRecord(code="internal", message=f"port {port_id} ended without a reason")
        if port.state is State.CANCELLED:
            raise PortCancelledError(record.message)
        raise PortFailedError(record)
