"""Starts bwrap and leads it to the point where the sandbox is complete and its first process waits."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import IsolationError
from sandbox.isolation.bubblewrap_cell import BubblewrapCell, Pipes
from sandbox.isolation.bubblewrap_options import bubblewrap_options
from sandbox.isolation.first_process import FirstProcess, first_process_program, startup_error
from sandbox.isolation.lifeline import Lifeline
from sandbox.isolation.protocol import Command, Limits
from sandbox.isolation.seccomp import default_filter
from sandbox.isolation.user import SandboxUser

_SETUP_SECONDS = 30.0


@dataclass(frozen=True)
class Launch:
    """A prepared command and how to build its sandbox. ``pids`` is for RLIMIT_NPROC, None leaves that alone."""

    bwrap: tuple[str, ...]
    command: Command
    limits: Limits
    user: SandboxUser
    pids: int | None


@dataclass(frozen=True)
class _OurEnds:
    pipes: Pipes
    info: int
    control: Lifeline
    mapped: Lifeline


def launch(request: Launch) -> BubblewrapCell:
    """A complete sandbox whose command starts on ``release``. Raises IsolationError with bwrap's own words."""
    try:
        return _launch(request)
    except OSError as error:
        raise IsolationError(f"the sandbox could not be set up: {error}") from error


def _launch(request: Launch) -> BubblewrapCell:
    with ExitStack() as ours:
        process, ends = _spawn(request, ours)
        ours.callback(process.wait)
        ours.callback(_kill_group, process)
        deadline = time.monotonic() + _SETUP_SECONDS
        first_pid = _read_first_pid(ends, deadline)
        first = os.pidfd_open(first_pid)
        ours.callback(os.close, first)
        if request.user.stand_in:
            _map_all_users(first_pid)
            ends.mapped.write(b"m")
        cell = BubblewrapCell(process, first, first_pid, ends.pipes, ends.control)
        report = cell.await_report(lambda report: report.ready, deadline - time.monotonic())
        if report.failure is not None:
            raise startup_error(request.command, report.failure)
        if not report.ready:
            raise _setup_error(ends.pipes.stderr)
        ours.pop_all()
    os.close(ends.info)
    ends.mapped.close()
    return cell


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End bwrap, with its child: one that waits for users to be mapped would wait for ever. Later in the setup the
    child has left the group, runs on to the first process and ends with the lifeline."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _spawn(request: Launch, ours: ExitStack) -> tuple[subprocess.Popen[bytes], _OurEnds]:
    """Start bwrap. What is left open at our side is closed by ``ours``."""
    with ExitStack() as inside:
        out, out_inside = _pipe(ours, inside)
        err, err_inside = _pipe(ours, inside)
        status, status_inside = _pipe(ours, inside)
        info, info_inside = _pipe(ours, inside)
        control_inside, control = _lifeline(ours, inside)
        mapped_inside, mapped = _lifeline(ours, inside)
        for end in (out, err, status):
            os.set_blocking(end, False)
        program = _anonymous_file(inside, "first-process", first_process_program())
        seccomp_filter = _anonymous_file(inside, "seccomp-filter", default_filter())
        options = bubblewrap_options(request.command, request.limits, request.user)
        options += ["--info-fd", str(info_inside)]
        if request.user.stand_in:
            options += ["--userns-block-fd", str(mapped_inside)]
        arguments = _anonymous_file(inside, "options", b"".join(option.encode() + b"\0" for option in options))
        first = FirstProcess(
            control=control_inside,
            status=status_inside,
            stdin=0,
            seccomp_filter=seccomp_filter,
            become=(request.user.uid, request.user.gid) if request.user.stand_in else None,
            pids=request.pids,
            file_bytes=request.limits.file_bytes,
        )
        command = first.argv(f"/proc/self/fd/{program}", request.command)
        process = subprocess.Popen(
            [*request.bwrap, "--args", str(arguments), "--", *command],
            stdin=_stdin(inside, request.command.stdin),
            stdout=out_inside,
            stderr=err_inside,
            pass_fds=(control_inside, status_inside, info_inside, mapped_inside, program, seccomp_filter, arguments),
            env={},
            start_new_session=True,
        )
    return process, _OurEnds(Pipes(out, err, status), info, control, mapped)


def _pipe(ours: ExitStack, inside: ExitStack) -> tuple[int, int]:
    """(our read end, write end inside), each closed by the stack of its side."""
    read_end, write_end = os.pipe2(os.O_CLOEXEC)
    ours.callback(os.close, read_end)
    inside.callback(os.close, write_end)
    return read_end, write_end


def _lifeline(ours: ExitStack, inside: ExitStack) -> tuple[int, Lifeline]:
    """(read end inside, our write end), each closed by the stack of its side."""
    read_end, write_end = os.pipe2(os.O_CLOEXEC)
    inside.callback(os.close, read_end)
    lifeline = Lifeline(write_end)
    ours.callback(lifeline.close)
    return read_end, lifeline


def _anonymous_file(stack: ExitStack, name: str, data: bytes) -> int:
    """A read-only descriptor of ``data``, closed by ``stack``."""
    writable = os.memfd_create(name, os.MFD_CLOEXEC)
    try:
        with os.fdopen(writable, "wb", closefd=False) as file:
            file.write(data)
        return _open(stack, Path(f"/proc/self/fd/{writable}"))
    finally:
        os.close(writable)


def _open(stack: ExitStack, path: Path) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    stack.callback(os.close, descriptor)
    return descriptor


def _stdin(stack: ExitStack, stdin: Path | bytes | None) -> int:
    if isinstance(stdin, bytes):
        return _anonymous_file(stack, "stdin", stdin)
    return _open(stack, stdin if stdin is not None else Path("/dev/null"))


def _read_first_pid(ends: _OurEnds, deadline: float) -> int:
    """The pid of the sandbox's first process, from bwrap's JSON, which ends when bwrap closes it."""
    text = b""
    while select.select([ends.info], [], [], max(0.0, deadline - time.monotonic()))[0]:
        data = os.read(ends.info, 4096)
        if not data:
            break
        text += data
    try:
        return int(json.loads(text)["child-pid"])
    except (ValueError, KeyError) as error:
        raise _setup_error(ends.pipes.stderr) from error


def _setup_error(stderr: int) -> IsolationError:
    # bwrap writes its reason before it ends, which is what was waited for.
    try:
        said = os.read(stderr, 4096).decode("utf-8", "replace").strip()
    except BlockingIOError:
        said = ""
    return IsolationError(f"the sandbox could not be set up: {said or 'bwrap gave no reason'}")


def _map_all_users(pid: int) -> None:
    """Give the user namespace of ``pid`` every user and group that ours has, under the same numbers."""
    for name in ("uid_map", "gid_map"):
        lines = (line.split() for line in Path(f"/proc/self/{name}").read_text().splitlines())
        mapping = "".join(f"{inside} {inside} {count}\n" for inside, _, count in lines)
        Path(f"/proc/{pid}/{name}").write_text(mapping)
