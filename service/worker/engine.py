"""The workflow engine (DBOS) with what its use here needs. Only this module and workflow.py import it."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID, WorkflowStatus

from service.store.database import Database
from service.worker.steps import PortSteps
from service.worker.workflow import APPLICATION_VERSION, PortWorkflow, define_port_workflow

_QUEUE = "ports"
_QUEUE_POLLING_SECONDS = 0.5
_ENDED = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")


class Engine:
    """One per process. ``serving``: take ports from the shared queue, up to ``concurrency`` at a time; else
    run only what this process starts or takes over."""

    def __init__(
        self,
        database: Database,
        data_dir: Path,
        executor: str,
        steps: PortSteps,
        *,
        serving: bool,
        concurrency: int,
    ) -> None:
        self._serving = serving
        # Before the engine's own, which writes to the console: its messages go where the program's logs go.
        logging.getLogger("dbos").addHandler(logging.NullHandler())
        self._workflow: PortWorkflow = define_port_workflow(steps)
        DBOS(config=_config(_system_database(database, data_dir), executor))
        logging.getLogger("dbos").propagate = True
        try:
            DBOS.listen_queues([_QUEUE] if serving else [])
            DBOS.launch()
            DBOS.register_queue(
                _QUEUE,
                worker_concurrency=concurrency,
                polling_interval_sec=_QUEUE_POLLING_SECONDS,
                on_conflict="always_update" if serving else "never_update",
            )
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        DBOS.destroy(destroy_registry=True)

    def start(self, port_id: str) -> None:
        """Begin a port: at once, or by the queue where this process serves. Again is harmless."""
        with SetWorkflowID(_workflow_id(port_id)):
            if self._serving:
                DBOS.enqueue_workflow(_QUEUE, self._workflow, port_id)
            else:
                DBOS.start_workflow(self._workflow, port_id)

    def known(self, port_id: str) -> bool:
        return self._status(port_id) is not None

    def may_run_here(self, port_id: str) -> bool:
        """False for a port of the shared queue in a process that does not serve it."""
        status = self._status(port_id)
        return self._serving or status is None or status.queue_name != _QUEUE

    def ended(self, port_id: str) -> bool:
        """Whether the port's workflow ended, in whatever way."""
        status = self._status(port_id)
        return status is not None and status.status in _ENDED

    def attempts(self, port_id: str) -> int:
        """How often a process began or went on with the port."""
        status = self._status(port_id)
        return (status.recovery_attempts or 0) if status else 0

    def take_over(self, executor: str) -> None:
        """Make everything that a dead ``executor`` left unfinished eligible to run again, here or elsewhere."""
        DBOS._recover_pending_workflows([executor])

    def _status(self, port_id: str) -> WorkflowStatus | None:
        return DBOS.get_workflow_status(_workflow_id(port_id))


def _workflow_id(port_id: str) -> str:
    return f"{port_id}.{APPLICATION_VERSION}"


def _config(url: str, executor: str) -> DBOSConfig:
    return {
        "name": "warp2wave",
        "system_database_url": url,
        "executor_id": executor,
        "application_version": APPLICATION_VERSION,
        # The default pickles, which would let whoever can write the database run code here.
        "serializer": DBOSPortableJSONSerializer(),
        "log_level": "WARNING",
        # Bounds how long a shutdown takes; there are no notifications to poll for.
        "notification_listener_polling_interval_sec": 0.1,
    }


def _system_database(database: Database, data_dir: Path) -> str:
    """The engine's tables: a schema of their own in PostgreSQL, a file of their own beside SQLite's, where two
    libraries writing into one file would wait for each other."""
    if not database.is_sqlite:
        return database.url
    path = data_dir / "dbos.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    return f"sqlite:///{path}"
