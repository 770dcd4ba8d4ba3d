"""One live container."""

from __future__ import annotations

import contextlib
import select
import shutil
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sandbox.errors import IsolationError
from sandbox.isolation.docker_daemon import Attached, Connect, connection, remove_container
from sandbox.isolation.docker_options import STATUS
from sandbox.isolation.first_process import GO, Report, parse_report
from sandbox.isolation.meter import Meter
from sandbox.isolation.output import Stream

_CHUNK = 1 << 16
# The program can write to the status file; what our first process says comes before that or in one short line.
_STATUS_BYTES = 4096
# Each frame of an attached stream: {u8 stream, 3 bytes padding, u32 size}, both big-endian, then the data.
_HEADER = struct.Struct(">BxxxI")
_STREAMS: dict[int, Stream] = {1: "stdout", 2: "stderr"}
# How long output may trail the end: somebody outside may hold the other end of a pipe.
_TRAIL_SECONDS = 2.0


class DockerCell:
    """``connect`` makes an ``APIClient``; each thread uses its own. ``attached`` is the socket of an attached
    container: output comes from it, and the container's first process ends when it closes."""

    look_seconds = 0.05
    meter: Meter

    def __init__(self, connect: Connect, container: str, attached: Attached, staged: Path) -> None:
        self._connect = connect
        self.container = container
        self._attached = attached
        self._socket = attached.socket
        self._staged = staged
        self._ended = threading.Event()

    def release(self) -> None:
        """Let the first process start the command."""
        with contextlib.suppress(OSError):  # it has failed, which its report tells
            self._socket.sendall(GO)

    def await_report(self, said: Callable[[Report], bool], seconds: float) -> Report:
        """Wait until the report is as ``said`` wants it or tells of a failure."""
        deadline = time.monotonic() + seconds
        report = self.report()
        while not said(report) and report.failure is None and time.monotonic() < deadline:
            time.sleep(0.002)
            report = self.report()
        return report

    def pump(self, sink: Callable[[Stream, bytes], object]) -> None:
        try:
            self._pump(sink)
        finally:
            self._ended.set()

    def _pump(self, sink: Callable[[Stream, bytes], object]) -> None:
        left, header = 0, b""
        stream: Stream = "stdout"
        trailing_since: float | None = None
        while trailing_since is None or time.monotonic() - trailing_since < _TRAIL_SECONDS:
            if not select.select([self._socket], [], [], self.look_seconds)[0]:
                if self.report().wait_status is not None:
                    trailing_since = trailing_since or time.monotonic()
                continue
            data = self._receive(_HEADER.size - len(header) if left == 0 else min(left, _CHUNK))
            if not data:
                return
            if left:
                sink(stream, data)
                left -= len(data)
                continue
            header += data
            if len(header) == _HEADER.size:
                kind, left = _HEADER.unpack(header)
                stream, header = _STREAMS[kind], b""

    def _receive(self, size: int) -> bytes:
        try:
            return self._socket.recv(size)
        except ConnectionError:  # the daemon went away
            return b""

    def wait_for_end(self, seconds: float) -> bool:
        if not self._ended.wait(seconds):
            return False
        # Its output has ended, and so has it unless the connection broke.
        self.kill()
        with connection(self._connect) as client:
            client.wait(self.container)
        return True

    def kill(self) -> None:
        with contextlib.suppress(IsolationError), connection(self._connect) as client:
            client.kill(self.container)

    def report(self) -> Report:
        with (self._staged / STATUS).open("rb") as file:
            return parse_report(file.read(_STATUS_BYTES))

    def close(self) -> None:
        self._attached.close()
        shutil.rmtree(self._staged, ignore_errors=True)
        remove_container(self._connect, self.container)
