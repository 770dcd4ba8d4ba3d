"""One live bubblewrap sandbox."""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sandbox.isolation.first_process import GO, Report, parse_report
from sandbox.isolation.lifeline import Lifeline
from sandbox.isolation.meter import Meter
from sandbox.isolation.output import Stream

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Pipes:
    """Our ends, as descriptors to read from without blocking."""

    stdout: int
    stderr: int
    status: int

    def all(self) -> Iterable[int]:
        return (self.stdout, self.stderr, self.status)


class BubblewrapCell:
    """``first`` is a pidfd of the sandbox's pid 1, whose end the kernel reports when nothing is left inside."""

    look_seconds = 0.05
    meter: Meter

    def __init__(
        self, process: subprocess.Popen[bytes], first: int, first_pid: int, pipes: Pipes, control: Lifeline
    ) -> None:
        self.first_pid = first_pid
        self._process = process
        self._first = first
        self._pipes = pipes
        self._control = control
        self._said = bytearray()

    def release(self) -> None:
        """Let the first process start the command."""
        with contextlib.suppress(BrokenPipeError):  # it has failed, which its report tells
            self._control.write(GO)

    def await_report(self, said: Callable[[Report], bool], seconds: float) -> Report:
        """Wait until the report is as ``said`` wants it, tells of a failure, or can tell no more."""
        poller = select.poll()
        poller.register(self._pipes.status, select.POLLIN)
        report = parse_report(self._said)
        while not said(report) and report.failure is None:
            if not poller.poll(seconds * 1000):
                break
            data = os.read(self._pipes.status, _CHUNK)
            if not data:
                break
            self._said += data
            report = parse_report(self._said)
        return report

    def pump(self, sink: Callable[[Stream, bytes], object]) -> None:
        with selectors.DefaultSelector() as selector:
            streams: tuple[tuple[int, Stream], ...] = ((self._pipes.stdout, "stdout"), (self._pipes.stderr, "stderr"))
            for descriptor, stream in streams:
                selector.register(descriptor, selectors.EVENT_READ, stream)
            selector.register(self._first, selectors.EVENT_READ, None)
            ended = False
            while not ended and len(selector.get_map()) > 1:
                for key, _ in selector.select():
                    if key.data is None:
                        ended = True
                    elif data := os.read(key.fd, _CHUNK):
                        sink(key.data, data)
                    else:
                        selector.unregister(key.fd)
        for descriptor, stream in streams:
            while data := _read_available(descriptor):
                sink(stream, data)

    def wait_for_end(self, seconds: float) -> bool:
        poller = select.poll()
        poller.register(self._first, select.POLLIN)
        return bool(poller.poll(seconds * 1000))

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)

    def report(self) -> Report:
        while data := _read_available(self._pipes.status):
            self._said += data
        return parse_report(self._said)

    def close(self) -> None:
        self._process.wait()
        self._control.close()
        for descriptor in (self._first, *self._pipes.all()):
            os.close(descriptor)

    def abandon(self) -> None:
        """End it before it was handed to a supervisor."""
        self.kill()
        self.wait_for_end(10)
        if hasattr(self, "meter"):
            self.meter.close()
        self.close()


def _read_available(descriptor: int) -> bytes:
    """What a non-blocking pipe holds, up to a chunk; empty at its end too."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return b""
