"""The translator's own sandbox: the only writer of the translation cache.

It runs no submitted code; it is sent code objects and PTX by the programs that need them, over a unix socket, and
writes what it made of them under keys that it computes itself. Programs see the cache read-only.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from sandbox.errors import IsolationError
from sandbox.execution.files import fresh_folder, remove_tree, sweep_leftovers
from sandbox.execution.runtime import VirtualRuntime
from sandbox.execution.workbench import TOOL_ENVIRONMENT, Workbench
from sandbox.isolation.protocol import Command, Limits, Mount, Running
from sandbox.toolchain import CACHE_MOUNT, DEVICES_MOUNT, RUN_MOUNT

_SOCKET = "translator.sock"
_SOCKET_PREFIX = "w2w-"
# It lives as long as the process that uses it; each translation is bounded by the server itself.
_LIMITS = Limits(
    memory_bytes=8 << 30,
    pids=512,
    cpu_seconds=86_400,
    wall_seconds=86_400,
    output_bytes=64 << 20,
    tmp_bytes=4 << 30,
)


@dataclass
class Translator:
    """Starts the translator's sandbox and tells programs' sandboxes how to reach it. A context manager."""

    bench: Workbench
    runtime: VirtualRuntime
    _running: Running | None = field(default=None, init=False)
    _sockets: Path | None = field(default=None, init=False)
    _log: bytearray = field(default_factory=bytearray, init=False)
    _starting: threading.Lock = field(default_factory=threading.Lock, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def cache(self) -> Path:
        return self.bench.cache / "translations" / self.runtime.digest[:24]

    def client_mounts(self) -> tuple[Mount, ...]:
        assert self._sockets is not None, "the translator is started before programs run"
        return (Mount(self.cache, CACHE_MOUNT), Mount(self._sockets, RUN_MOUNT))

    def client_environment(self) -> dict[str, str]:
        return {"W2W_CACHE": str(CACHE_MOUNT), "W2W_TRANSLATOR": f"{RUN_MOUNT}/{_SOCKET}"}

    def __enter__(self) -> Translator:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the sandbox and wait until the socket is there. Raises IsolationError with the server's words."""
        self.cache.mkdir(parents=True, exist_ok=True)
        self.cache.chmod(0o777)
        # A unix socket's path is limited to 108 bytes, which a deep cache folder may exceed.
        sweep_leftovers(Path(tempfile.gettempdir()), _SOCKET_PREFIX)
        self._sockets = fresh_folder(Path(tempfile.mkdtemp(prefix=f"{_SOCKET_PREFIX}{os.getpid()}-")) / "run")
        self._spawn()

    def _spawn(self) -> None:
        assert self._sockets is not None
        (self._sockets / _SOCKET).unlink(missing_ok=True)
        command = Command(
            argv=(
                "python3",
                f"{DEVICES_MOUNT}/vgpu/translator/server.py",
                f"--socket={RUN_MOUNT}/{_SOCKET}",
                f"--cache={CACHE_MOUNT}",
                *self.runtime.translator_arguments(),
            ),
            root=self.bench.toolchain.root,
            env=TOOL_ENVIRONMENT,
            mounts=(
                Mount(self.cache, CACHE_MOUNT, writable=True),
                Mount(self._sockets, RUN_MOUNT, writable=True),
                self.runtime.mount(),
            ),
        )
        self._running = self.bench.sandbox.start(command, _LIMITS, on_output=self._hear)
        self._await_socket()

    def revive(self) -> None:
        """Start it again if it has ended: whatever one program did to it, the next one is served."""
        with self._starting:
            running = self._running
            if running is None:
                return
            try:
                running.wait(timeout=0)
            except TimeoutError:
                return
            self._spawn()

    def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            self._running.wait()
            self._running = None
        if self._sockets is not None:
            remove_tree(self._sockets.parent)
            self._sockets = None

    def log(self) -> str:
        """What the server has said: one line a translation."""
        with self._lock:
            return self._log.decode("utf-8", "replace")

    def _hear(self, stream: str, data: bytes) -> None:
        with self._lock:
            self._log += data
            del self._log[:-1_000_000]

    def _await_socket(self) -> None:
        assert self._sockets is not None
        assert self._running is not None
        deadline = time.monotonic() + 30
        while not os.path.lexists(self._sockets / _SOCKET):
            try:
                self._running.wait(timeout=0.005)
            except TimeoutError:
                if time.monotonic() < deadline:
                    continue
            message = self.log()[-2000:]
            self.stop()
            raise IsolationError(f"the translator did not start: {message}")
