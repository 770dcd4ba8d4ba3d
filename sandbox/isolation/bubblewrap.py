"""The bubblewrap engine: namespaces without a daemon and, where the kernel lets plain users make them, without root.

bwrap builds the namespaces and mounts and starts ``init.elf`` as pid 1, which waits until the sandbox is in its
control group, installs the seccomp filter and starts the command. Started by root, bwrap is given a user namespace
that holds all users, builds as its root, and the first process becomes an unprivileged user before anything runs.
"""

from __future__ import annotations

import platform
import re
import shutil
import tempfile
import threading
import time
from pathlib import Path

from sandbox.errors import SandboxLayerError
from sandbox.isolation.bubblewrap_cell import BubblewrapCell
from sandbox.isolation.bubblewrap_launch import Launch, launch
from sandbox.isolation.cgroup import usable_hierarchy
from sandbox.isolation.cgroup_meter import CgroupMeter
from sandbox.isolation.first_process import startup_error
from sandbox.isolation.meter import Meter
from sandbox.isolation.namespace_help import namespace_help
from sandbox.isolation.process_meter import ProcessMeter
from sandbox.isolation.protocol import Command, Completed, Limits, OutputSink
from sandbox.isolation.request import prepare
from sandbox.isolation.supervisor import SupervisedRun
from sandbox.isolation.user import sandbox_user

# A watcher must see a fork bomb grow past its limit. One that the kernel stops right there may be over before it looks.
_PIDS_MARGIN = 1024
_WATCHING_SECONDS = 0.01  # a fork bomb that dies of its own failures is over within a tenth of a second
_START_SECONDS = 30.0


class BubblewrapSandbox:
    """``bwrap`` is the command prefix that runs bubblewrap (0.8 or newer), e.g. a root filesystem's own loader,
    library path and program, so that the host needs no package.

    ``use_cgroups`` False watches processes even where control groups could be made.
    """

    name = "bubblewrap"

    def __init__(self, bwrap: tuple[str, ...], *, use_cgroups: bool = True) -> None:
        self._bwrap = bwrap
        self._use_cgroups = use_cgroups
        self._lock = threading.Lock()
        self._works = False

    def unavailable(self) -> str | None:
        with self._lock:
            if self._works:
                return None
            if shutil.which(self._bwrap[0]) is None:
                return f"{self._bwrap[0]} is missing: install bubblewrap or unpack the toolchain"
            try:
                self._try_out()
            except SandboxLayerError as error:
                return f"{error}{namespace_help()}"
            self._works = True
            return None

    def limits_held_by(self) -> str:
        """What enforces limits here: ``cgroup v2``, ``cgroup v1`` or ``watching processes``."""
        hierarchy = usable_hierarchy()
        return f"cgroup v{hierarchy.version}" if self._use_cgroups and hierarchy else "watching processes"

    def start(self, command: Command, limits: Limits, *, on_output: OutputSink | None = None) -> SupervisedRun:
        user = sandbox_user()
        request = Launch(self._bwrap, prepare(command, limits, user), limits, user, _process_limit(limits))
        cell = launch(request)
        try:
            cell.meter = self._meter(cell, limits)
            started = time.monotonic()
            cell.release()
            report = cell.await_report(lambda report: report.started, _START_SECONDS)
            if report.failure is not None:
                raise startup_error(command, report.failure)
        except BaseException:
            cell.abandon()
            raise
        return SupervisedRun(cell, limits, on_output, started)

    def run(self, command: Command, limits: Limits, *, on_output: OutputSink | None = None) -> Completed:
        return self.start(command, limits, on_output=on_output).finish()

    def _meter(self, cell: BubblewrapCell, limits: Limits) -> Meter:
        hierarchy = usable_hierarchy()
        if self._use_cgroups and hierarchy is not None:
            try:
                return CgroupMeter(hierarchy, limits, cell.first_pid)
            except OSError:
                # What looks writable may still be forbidden, e.g. to move processes between delegated subtrees.
                self._use_cgroups = False
        cell.look_seconds = _WATCHING_SECONDS
        return ProcessMeter(cell.first_pid, limits)

    def _try_out(self) -> None:
        """Build a whole sandbox around nothing."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            root.chmod(0o755)
            limits = Limits()
            user = sandbox_user()
            command = prepare(Command(argv=("/none",), root=root), limits, user)
            launch(Launch(self._bwrap, command, limits, user, None)).abandon()


def _process_limit(limits: Limits) -> int | None:
    """For RLIMIT_NPROC, which counts within a user namespace since Linux 5.14 and per user of the host before."""
    release = re.match(r"(\d+)\.(\d+)", platform.release())
    if release is None or (int(release[1]), int(release[2])) < (5, 14):
        return None
    return limits.pids + _PIDS_MARGIN
