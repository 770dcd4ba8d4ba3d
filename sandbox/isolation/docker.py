"""The Docker engine: the same sandbox from a daemon, which needs no user namespaces for plain users.

The daemon's own default seccomp profile holds, and the first process adds ours; its default AppArmor profile holds
where the host has AppArmor.
"""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sandbox.errors import IsolationError
from sandbox.isolation.docker_cell import DockerCell
from sandbox.isolation.docker_daemon import Attached, connect, connection, remove_container
from sandbox.isolation.docker_meter import DockerMeter
from sandbox.isolation.docker_options import container_config
from sandbox.isolation.first_process import startup_error
from sandbox.isolation.image import ensure_image, root_digest
from sandbox.isolation.owner import is_orphaned, owner_mark
from sandbox.isolation.protocol import Command, Completed, Limits, OutputSink
from sandbox.isolation.request import prepare
from sandbox.isolation.staging import remove_orphaned_stages, stage
from sandbox.isolation.supervisor import SupervisedRun
from sandbox.isolation.user import SandboxUser, sandbox_user

OWNER_LABEL = "warp2wave.sandbox.owner"

_START_SECONDS = 30.0


class DockerSandbox:
    """``host`` is the daemon's address, None for what DOCKER_HOST or the default says. ``digest`` names what is in
    the root filesystem; without it, names, sizes and times of its files are hashed.

    The daemon must see the same files as this process: sources are bind-mounted.
    """

    name = "docker"

    def __init__(self, *, host: str | None = None, digest: str | None = None) -> None:
        self._host = host
        self._digest = digest
        self._lock = threading.Lock()
        self._digests: dict[Path, str] = {}

    def unavailable(self) -> str | None:
        try:
            with connection(self._connect) as client:
                facts = client.info()
        except IsolationError as error:
            return f"{error}; start its daemon with: sudo systemctl start docker"
        if facts["OSType"] != "linux" or facts["Architecture"] != "x86_64":
            return f"Docker runs {facts['OSType']} {facts['Architecture']} containers; Linux x86-64 is needed"
        return None

    def start(self, command: Command, limits: Limits, *, on_output: OutputSink | None = None) -> SupervisedRun:
        user = sandbox_user()
        command = prepare(command, limits, user)
        image = self._image(command.root)
        with ExitStack() as undo:
            cell = self._create(image, command, limits, user, undo)
            with connection(self._connect) as client:
                client.start(cell.container)
                pid = client.inspect_container(cell.container)["State"]["Pid"]
            cell.meter = DockerMeter(self._connect, cell.container, pid, limits)
            started = time.monotonic()
            cell.release()
            report = cell.await_report(lambda report: report.started, _START_SECONDS)
            if report.failure is not None:
                raise startup_error(command, report.failure)
            undo.pop_all()
        return SupervisedRun(cell, limits, on_output, started)

    def _create(self, image: str, command: Command, limits: Limits, user: SandboxUser, undo: ExitStack) -> DockerCell:
        """A container that is attached to and not started. ``undo`` gets what takes it away."""
        staged = stage(command.stdin)
        undo.callback(shutil.rmtree, staged, ignore_errors=True)
        with connection(self._connect) as client:
            labels = {OWNER_LABEL: owner_mark()}
            config = container_config(client, image, command, limits, user, staged, labels)
            container = client.create_container(**config)["Id"]
        undo.callback(remove_container, self._connect, container)
        attached = Attached(self._connect(), container)
        undo.callback(attached.close)
        return DockerCell(self._connect, container, attached, staged)

    def run(self, command: Command, limits: Limits, *, on_output: OutputSink | None = None) -> Completed:
        return self.start(command, limits, on_output=on_output).finish()

    def reap_orphans(self) -> list[str]:
        """Remove what processes that have ended left behind. Returns the ids of their containers."""
        remove_orphaned_stages()
        reaped = []
        with connection(self._connect) as client:
            for container in client.containers(all=True, filters={"label": OWNER_LABEL}):
                if is_orphaned(container["Labels"][OWNER_LABEL]):
                    client.remove_container(container["Id"], force=True, v=True)
                    reaped.append(container["Id"])
        return reaped

    def _connect(self) -> Any:
        return connect(self._host)

    def _image(self, root: Path) -> str:
        with self._lock:
            if root not in self._digests:
                self.reap_orphans()
                self._digests[root] = self._digest or root_digest(root)
            with connection(self._connect) as client:
                return ensure_image(client, root, self._digests[root])
