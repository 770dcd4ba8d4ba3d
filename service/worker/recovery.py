"""Work of dead processes: every port that one had in hand goes on, or its row says why not."""

from __future__ import annotations

import shutil
from pathlib import Path

from service.errors import INTERNAL, ErrorRecord, NotFoundError
from service.store.store import Store
from service.worker.engine import Engine
from service.worker.lease import take_over_dead

MAX_ATTEMPTS = 5
"""A port that ended this many processes is not given to another."""


def sweep_workspaces(workspaces: Path, store: Store) -> None:
    """Remove what ports left that ended while their process died."""
    for folder in workspaces.iterdir() if workspaces.is_dir() else ():
        try:
            over = store.ports.state(folder.name).final
        except NotFoundError:
            over = True
        if over:
            shutil.rmtree(folder, ignore_errors=True)


def resume_dead(leases: Path, store: Store, engine: Engine) -> list[str]:
    """Take over the ports of every dead process; the ids of those that may run here."""
    resumed: list[str] = []
    for executor in take_over_dead(leases):
        held = store.ports.held_by(executor)
        gone = [port_id for port_id in held if fail_hopeless(store, engine, port_id)]
        engine.take_over(executor)
        for port_id in held:
            if port_id not in gone:
                # Killed between the row and the workflow, or left by another version: begin it here.
                if not engine.known(port_id):
                    engine.start(port_id)
                if engine.may_run_here(port_id):
                    resumed.append(port_id)
    return resumed


def fail_hopeless(store: Store, engine: Engine, port_id: str) -> bool:
    """End a port that no process will finish. False where there is hope."""
    if engine.ended(port_id):
        message = "the workflow ended without a result"
    elif (attempts := engine.attempts(port_id)) >= MAX_ATTEMPTS:
        message = f"{attempts} worker processes died while they worked on this port"
    else:
        return False
    store.ports.fail(port_id, ErrorRecord(code=INTERNAL, message=message, hint="see the worker's log"))
    return True
