"""Watches one sandbox until it has ended: the part of ``Running`` that the engines share."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from sandbox.isolation.first_process import Report
from sandbox.isolation.meter import Meter
from sandbox.isolation.output import Output, Stream
from sandbox.isolation.protocol import Completed, LimitName, Limits, OutputSink, Usage

_Number = TypeVar("_Number", int, float)


class Cell(Protocol):
    """One live sandbox as its engine hands it to the supervisor."""

    meter: Meter
    look_seconds: float
    """How often limits are looked at: what one look costs decides."""

    def pump(self, sink: Callable[[Stream, bytes], object]) -> None:
        """Hand over output until all of it was read. Returns soon after the sandbox has ended, even if somebody
        still holds the other end of its pipes."""

    def wait_for_end(self, seconds: float) -> bool:
        """Whether everything inside has ended; waits up to ``seconds`` for it."""

    def kill(self) -> None:
        """End everything inside. From any thread, any number of times."""

    def report(self) -> Report:
        """What the first process reported, after the end."""

    def close(self) -> None:
        """Give back what the engine holds for it, after the end. The meter is closed by the supervisor."""


class SupervisedRun:
    """A ``Running``: one thread reads output, one looks at limits and concludes. ``started`` as
    ``time.monotonic`` tells it."""

    def __init__(self, cell: Cell, limits: Limits, on_output: OutputSink | None, started: float) -> None:
        self._cell = cell
        self._limits = limits
        self._output = Output(limits.output_bytes, on_output)
        self._started = started
        self._lock = threading.Lock()
        # Held while the cell is killed and before it is closed. The reader of output never takes it: an engine's
        # kill may wait until the output is read.
        self._kill_lock = threading.Lock()
        self._closed = False
        self._over = False
        self._broken: LimitName | None = None
        self._error: BaseException | None = None
        self._completed: Completed | None = None
        self._done = threading.Event()
        self._pump = threading.Thread(target=self._read_output, name="sandbox-output", daemon=True)
        self._pump.start()
        threading.Thread(target=self._watch, name="sandbox-watch", daemon=True).start()

    def wait(self, timeout: float | None = None) -> Completed:
        if not self._done.wait(timeout):
            raise TimeoutError(f"the sandbox still runs after {timeout} seconds")
        if self._error is not None:
            raise self._error
        assert self._completed is not None
        return self._completed

    def cancel(self) -> None:
        self._end(LimitName.CANCELLED)

    def finish(self) -> Completed:
        """``wait``, and cancel if the wait itself is interrupted."""
        try:
            return self.wait()
        except BaseException:
            self.cancel()
            raise

    def _end(self, limit: LimitName) -> None:
        with self._lock:
            # Output that was cut stays cut, even if the sandbox ended before its last output was read.
            if self._broken is None and (not self._over or limit is LimitName.OUTPUT):
                self._broken = limit
            over = self._over
        if not over:
            self._kill()

    def _kill(self) -> None:
        with self._kill_lock:
            if not self._closed:
                self._cell.kill()

    def _read_output(self) -> None:
        try:
            self._cell.pump(self._take_output)
        except BaseException as error:
            self._error = error
            self._end(LimitName.CANCELLED)

    def _take_output(self, stream: Stream, data: bytes) -> None:
        if self._output.add(stream, data):
            return
        with self._lock:
            first = self._broken is None
            if first:
                self._broken = LimitName.OUTPUT
        if first:
            threading.Thread(target=self._kill, name="sandbox-kill", daemon=True).start()

    def _watch(self) -> None:
        try:
            while not self._cell.wait_for_end(self._cell.look_seconds):
                self._look()
            wall_seconds = time.monotonic() - self._started
            with self._lock:
                self._over = True
            self._pump.join()
            self._completed = self._conclude(wall_seconds)
        except BaseException as error:
            self._error = self._error or error
            self._kill()
        finally:
            with self._kill_lock:
                self._closed = True
            self._clean_up()
            self._done.set()

    def _look(self) -> None:
        if time.monotonic() - self._started > self._limits.wall_seconds:
            self._end(LimitName.WALL_TIME)
            return
        broken = self._cell.meter.broken_limit()
        if broken is not None:
            self._end(broken)

    def _conclude(self, wall_seconds: float) -> Completed:
        report = self._cell.report()
        meter = self._cell.meter
        # The last look may have come before the limit broke.
        enforced = meter.enforced_at_end()
        limit = self._broken or enforced
        exit_code, number = _cause(report)
        if limit is None and number == signal.SIGXFSZ:
            limit = LimitName.FILE_SIZE
        if limit is not None:
            exit_code = number = None
        return Completed(
            exit_code=exit_code,
            signal=number,
            limit=limit,
            stdout=self._output.stdout(),
            stderr=self._output.stderr(),
            usage=Usage(
                wall_seconds=wall_seconds,
                cpu_seconds=_largest(meter.cpu_seconds(), report.cpu_seconds),
                peak_memory_bytes=_largest(meter.peak_memory_bytes(), report.largest_process_bytes),
            ),
        )

    def _clean_up(self) -> None:
        try:
            self._cell.meter.close()
            self._cell.close()
        except Exception as error:
            self._error = self._error or error


def _cause(report: Report) -> tuple[int | None, int | None]:
    """(exit code, signal). A sandbox whose first process could not report was killed from outside."""
    status = report.wait_status
    if status is not None and os.WIFEXITED(status):
        return os.WEXITSTATUS(status), None
    if status is not None and os.WIFSIGNALED(status):
        return None, os.WTERMSIG(status)
    return None, int(signal.SIGKILL)


def _largest(*values: _Number | None) -> _Number | None:
    return max((value for value in values if value is not None), default=None)
