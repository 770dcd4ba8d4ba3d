"""The parent's side of a worker process: start it, ask it, replace it when it crashes or takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

from .frontend import TranslationError

JOB_SECONDS = 600.0
_MAX_ANSWER_BYTES = 8 << 20


class WorkerProcess:
    """One worker. Not thread-safe: one thread owns it."""

    def __init__(self, arguments: list[str], *, job_seconds: float = JOB_SECONDS) -> None:
        self._arguments = arguments
        self._job_seconds = job_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """The running process, a new one if there is none."""
        if self._process is None or self._process.poll() is not None:
            script = Path(__file__).with_name("server.py")
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(script), "--worker", *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # so that its compilers can be ended with it
            )
        return self._process

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """Raises TranslationError ``translator-crashed`` or ``translator-timeout``; a new worker follows."""
        process = self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
            line = _read_line(process.stdout, time.monotonic() + self._job_seconds)
            answer = json.loads(line)
        except TimeoutError:
            self.stop()
            message = f"translation took more than {self._job_seconds:g} s"
            raise TranslationError("translator-timeout", message) from None
        except (OSError, ValueError):
            status = self.stop()
            message = f"the worker ended with status {status} in mid-translation"
            raise TranslationError("translator-crashed", message) from None
        if not isinstance(answer, dict) or not isinstance(answer.get("ok"), bool):
            self.stop()
            raise TranslationError("translator-crashed", "the worker's answer makes no sense")
        return answer

    def stop(self) -> int | None:
        """End the worker and everything that it started."""
        process, self._process = self._process, None
        if process is None:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return status


def _read_line(pipe: IO[bytes], deadline: float) -> bytes:
    buffered = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while not buffered.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                raise TimeoutError
            data = os.read(pipe.fileno(), 65536)
            if not data or len(buffered) > _MAX_ANSWER_BYTES:
                raise ValueError("the worker closed its output or talks without end")
            buffered += data
    return buffered
