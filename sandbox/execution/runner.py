"""Run a built program on a virtual device and say how it ended."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from sandbox.cancellation import NEVER, Cancellation
from sandbox.execution.code_objects import PROGRAM
from sandbox.execution.files import fresh_folder, read_regular_file, remove_tree, sha256_of_file, write_files
from sandbox.execution.runtime import VirtualRuntime
from sandbox.execution.translation import Translator
from sandbox.execution.workbench import Workbench
from sandbox.isolation.protocol import Command, Limits, Mount, OutputSink
from sandbox.models import Check, Device, FaultReport, Launch, OutputFile, Profile, Run, Side, Trace
from sandbox.numerics.recording import BYTES, EVENTS
from sandbox.profiling.collect import make_profile
from sandbox.profiling.virtual_counters import read_virtual_counters
from sandbox.toolchain import REPORT_MOUNT, WORK_MOUNT

_MAX_REPORT_BYTES = 16 << 20
_MAX_COUNTERS_BYTES = 64 << 20
_MAX_LAUNCHES = 10_000
_MAX_FINDINGS = 100
_MAX_RECORDING_BYTES = 512 << 20
RUNS = "runs"
COUNTERS = "counters.jsonl"


@dataclass(frozen=True)
class RunRequest:
    """``inputs`` are (relative path, bytes) put into the working directory; ``keep`` names a folder that
    receives the declared ``output_files``; ``record`` names one that receives what the program did with device
    memory (see ``sandbox/vgpu/recorder``), where it could be recorded. ``counters`` asks for a profile, of a HIP
    device."""

    args: tuple[str, ...] = ()
    inputs: tuple[tuple[str, bytes], ...] = ()
    stdin: bytes | None = None
    output_files: tuple[str, ...] = ()
    limits: Limits = Limits()
    environment: tuple[tuple[str, str], ...] = ()
    trace: bool = False
    counters: bool = False
    check: Check = Check.OFF
    keep: Path | None = None
    record: Path | None = None


@dataclass(frozen=True)
class Runner:
    """Runs programs on virtual devices. The translator lives in a sandbox of its own beside them."""

    bench: Workbench
    runtime: VirtualRuntime
    translator: Translator

    def run(
        self,
        program: Path,
        device: Device,
        request: RunRequest,
        cancellation: Cancellation = NEVER,
        *,
        on_output: OutputSink | None = None,
    ) -> Run:
        """Run the executable ``program`` on ``device``. A program that fails is a result."""
        self.translator.revive()
        with self._folders() as (work, reports):
            write_files(work, request.inputs)
            shutil.copyfile(program, work / PROGRAM)
            (work / PROGRAM).chmod(0o755)
            command = self._command(device, request, work, reports)
            started = time.monotonic()
            done = self.bench.run(command, request.limits, cancellation, on_output=on_output)
            seconds = time.monotonic() - started
            fault, findings, trace = _read_reports(reports / "report.jsonl", device)
            if request.record is not None:
                _keep_recording(reports, request.record)
            if fault is not None and fault.kind == "livelock" and done.exit_code is not None:
                fault = None  # it was said while waves span; then they went on
            return Run(
                device=device.name,
                exit_code=done.exit_code,
                signal=done.signal,
                limit=done.limit,
                stdout=done.stdout.decode("utf-8", "replace"),
                stderr=done.stderr.decode("utf-8", "replace"),
                outputs=_collect_outputs(work, request),
                seconds=seconds,
                fault=fault,
                findings=findings,
                trace=trace if request.trace else None,
                profile=_read_counters(reports / COUNTERS, device) if request.counters else None,
            )

    @contextmanager
    def _folders(self) -> Iterator[tuple[Path, Path]]:
        base = fresh_folder(self.bench.cache / RUNS / f"{os.getpid()}-{time.monotonic_ns()}")
        base.chmod(0o755)
        try:
            yield fresh_folder(base / "work"), fresh_folder(base / "report")
        finally:
            remove_tree(base)

    def _command(self, device: Device, request: RunRequest, work: Path, reports: Path) -> Command:
        mounts = (
            Mount(work, WORK_MOUNT, writable=True),
            Mount(reports, REPORT_MOUNT, writable=True),
            *self.runtime.mounts(device),
            *self.translator.client_mounts(),
            *((self.bench.cuda_mount(),) if device.side is Side.CUDA else ()),
        )
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": "/tmp",
            "LANG": "C.UTF-8",
            **self.runtime.environment(device),
            **self.translator.client_environment(),
            "W2W_REPORT": f"{REPORT_MOUNT}/report.jsonl",
            "W2W_MEMORY_GB": str(_largest_allocation_gib()),
            **({"W2W_TRACE": "1"} if request.trace else {}),
            **(self.runtime.recorder(device, REPORT_MOUNT) if request.record is not None else {}),
            **({"W2W_COUNTERS": f"{REPORT_MOUNT}/{COUNTERS}"} if request.counters else {}),
            **({"W2W_CHECK": request.check.value} if device.side is Side.HIP else {}),
            **dict(request.environment),
        }
        return Command(
            argv=(f"{WORK_MOUNT}/{PROGRAM}", *request.args),
            root=self.bench.toolchain.root,
            cwd=WORK_MOUNT,
            env=environment,
            mounts=mounts,
            stdin=request.stdin,
        )


def _largest_allocation_gib() -> int:
    """No single allocation may exceed the host's memory: the device then says that it is out of memory, as a real
    one does, rather than the sandbox ending the program when it touches what is not there."""
    return max(1, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30)


def _collect_outputs(work: Path, request: RunRequest) -> tuple[OutputFile, ...]:
    found = []
    for name in request.output_files:
        path = work / name
        if path.is_symlink() or not path.is_file() or not path.resolve().is_relative_to(work.resolve()):
            continue
        found.append(OutputFile(name=name, sha256=sha256_of_file(path), size=path.stat().st_size))
        if request.keep is not None:
            kept = request.keep / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept)
    return tuple(found)


def _keep_recording(reports: Path, folder: Path) -> None:
    """Copy the recording's files. The program can write whatever it likes there: only regular files of a bounded
    size are taken."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (EVENTS, BYTES):
        source = reports / name
        (folder / name).unlink(missing_ok=True)
        if source.is_symlink() or not source.is_file() or source.stat().st_size > _MAX_RECORDING_BYTES:
            continue
        shutil.copyfile(source, folder / name)


def _read_counters(path: Path, device: Device) -> Profile:
    recording = read_virtual_counters(read_regular_file(path, _MAX_COUNTERS_BYTES))
    return make_profile(recording, device.name, device.evidence, target=device.target)


def _read_reports(path: Path, device: Device) -> tuple[FaultReport | None, tuple[FaultReport, ...], Trace]:
    """The first fault, what checks found, and all launches. The program can write this file: lines that make no sense
    are dropped."""
    fault: FaultReport | None = None
    findings: list[FaultReport] = []
    launches: list[Launch] = []
    truncated = False
    for line in read_regular_file(path, _MAX_REPORT_BYTES).splitlines():
        try:
            entry = _without_surrogates(json.loads(line))
            if "launch" in entry:
                truncated = truncated or len(launches) >= _MAX_LAUNCHES
                if not truncated:
                    launches.append(_launch(_without_surrogates(entry["launch"]), len(launches)))
            elif entry.pop("finding", False):
                if len(findings) < _MAX_FINDINGS:
                    findings.append(FaultReport.model_validate(entry))
            elif fault is None:
                fault = FaultReport.model_validate(entry)
        except (ValueError, ValidationError, TypeError, KeyError, IndexError, RecursionError):
            continue
    return fault, tuple(findings), Trace(device=device.name, launches=tuple(launches), truncated=truncated)


def _without_surrogates(entry: object) -> dict[str, object]:
    """A report's entry, with text that every database can hold. Raises TypeError where it is no object."""
    if not isinstance(entry, dict):
        raise TypeError("a report is an object")
    return {
        str(key): value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for key, value in entry.items()
    }


def _launch(entry: dict[str, object], index: int) -> Launch:
    def sizes(key: str) -> dict[str, object]:
        values = entry[key]
        if not isinstance(values, list) or len(values) != 3:
            raise ValueError(key)
        return dict(zip("xyz", values, strict=True))

    return Launch.model_validate(
        {
            "index": index,
            "kernel": entry["kernel"],
            "grid": sizes("grid"),
            "block": sizes("block"),
            "lds_bytes": entry.get("lds_bytes", 0),
            "milliseconds": entry.get("milliseconds"),
        }
    )
