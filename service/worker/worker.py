"""This process as a worker: its lease, its engine and the thread that watches over both."""

from __future__ import annotations

import logging
import threading
import time

from agents.orchestrator.stages import Stages
from service.errors import StoreError
from service.settings import Settings
from service.store.store import Store
from service.worker.active_ports import ActivePorts
from service.worker.engine import Engine
from service.worker.event_hub import EventHub
from service.worker.lease import Lease
from service.worker.recovery import fail_hopeless, resume_dead, sweep_workspaces
from service.worker.steps import PortSteps

WATCH_SECONDS = 0.5
RECONCILE_SECONDS = 5.0
SHUTDOWN_SECONDS = 10.0

logger = logging.getLogger(__name__)


class Worker:
    def __init__(self, settings: Settings, store: Store, stages: Stages, hub: EventHub, *, serving: bool) -> None:
        self._store = store
        self._serving = serving
        self._leases = settings.data_dir / "executors"
        self._active = ActivePorts(settings.parallel_stages)
        self._lease = Lease.acquire(self._leases)
        self.executor = self._lease.executor_id
        self._workspaces = settings.data_dir / "work"
        steps = PortSteps(store, stages, self.executor, self._workspaces, hub, self._active)
        try:
            self._engine = Engine(
                store.database,
                settings.data_dir,
                self.executor,
                steps,
                serving=serving,
                concurrency=settings.worker_concurrency,
            )
        except BaseException:
            self._lease.release(work_left=False)
            raise
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="worker-watch", daemon=True)
        self._watcher.start()

    def start(self, port_id: str) -> None:
        self._engine.start(port_id)

    def cancel(self, port_id: str) -> None:
        self._active.cancel(port_id)

    def resume_dead(self) -> list[str]:
        resumed = resume_dead(self._leases, self._store, self._engine)
        sweep_workspaces(self._workspaces, self._store)
        return resumed

    def stop(self) -> None:
        """Interrupt what runs; it goes on in the next process."""
        self._stop.set()
        self._watcher.join()
        if not self._active.shut_down(SHUTDOWN_SECONDS):
            logger.warning("stages of %s did not stop in time", ", ".join(self._active.ids()))
        self._engine.stop()
        self._lease.release(work_left=self._has_work_left())

    def _has_work_left(self) -> bool:
        try:
            return bool(self._store.ports.held_by(self.executor))
        except StoreError:
            return True

    def _watch(self) -> None:
        reconcile_at = time.monotonic() + RECONCILE_SECONDS
        while not self._stop.wait(WATCH_SECONDS):
            try:
                if active := self._active.ids():
                    for port_id in self._store.ports.cancel_requests(active):
                        self._active.cancel(port_id)
                if time.monotonic() >= reconcile_at:
                    self._reconcile()
                    reconcile_at = time.monotonic() + RECONCILE_SECONDS
            except StoreError as error:
                logger.warning("%s; trying again", error)

    def _reconcile(self) -> None:
        for port_id in self._store.ports.held_by(self.executor):
            if self._engine.ended(port_id):
                fail_hopeless(self._store, self._engine, port_id)
                self._active.forget(port_id)
        if self._serving:
            self.resume_dead()
