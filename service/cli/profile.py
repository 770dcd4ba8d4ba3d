"""``warp2wave profile``: what the kernels of a program, of a port or of rocprofv3's output did."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agents.hipify import translate_submission
from agents.models import RunOptions, SourceFile, Submission
from agents.orchestrator.profiling import profile_program, profile_source
from agents.orchestrator.submission import Program, read_submission
from sandbox.execution.devices import find_device
from sandbox.models import Device, Evidence, Profile, Run, Side
from sandbox.profiling.collect import make_profile
from sandbox.profiling.records import Recording
from sandbox.profiling.rocpd import read_rocpd
from sandbox.profiling.rocprof_csv import read_rocprof_csv
from service.cli import options
from service.cli.console import ProgressLines, open_console
from service.cli.render_profile import print_profile
from service.cli.run import OWN_FAILURE, exit_status, is_executable, show_failed_build
from service.cli.stored import stored
from service.cli.workshop import open_workshop
from service.errors import RequestError
from service.exit_codes import ExitCode
from service.settings import load_settings

_DEFAULT_DEVICE = "vgpu:gfx942"
_COUNTERS, _TRACE = "counter_collection.csv", "kernel_trace.csv"


def profile(
    context: typer.Context,
    what: Annotated[
        list[str],
        typer.Argument(metavar="FILE...|PORT", help="Sources, an executable, rocprofv3's .db or .csv, or a port's id."),
    ],
    device: Annotated[
        str, typer.Option("--device", help="vgpu:gfx942 (default) or vgpu:gfx950; of a .csv, the part it is about.")
    ] = "",
    include: options.Include = None,
    define: options.Define = None,
    standard: options.Standard = options.DEFAULT_STANDARD,
    hipcc_flag: options.HipccFlag = None,
    inputs: options.Input = None,
    stdin_file: options.StdinFile = None,
    timeout: options.Timeout = options.DEFAULT_TIMEOUT,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Count what kernels do: instructions, active lanes, cache lines, LDS bank conflicts, occupancy.

    A program runs on a virtual GPU; arguments for it follow [bold]--[/]. A CUDA source is ported on the way. What
    rocprofv3 measured on a real GPU is read from its database or CSV files.
    """
    measured = _read_measured([Path(name) for name in what], device)
    if measured is not None:
        _show(measured, json)
        return ExitCode.ACCEPTED
    chosen = find_device(device or _DEFAULT_DEVICE)
    if chosen.side is not Side.HIP:
        raise RequestError(f"{chosen.name} counts nothing", hint="give --device vgpu:gfx942 or vgpu:gfx950")
    run_options = options.run_options(options.ProgramArguments.of(context), inputs, stdin_file, None, timeout)
    build_options = options.build_options(define, standard, None, hipcc_flag)
    task = _stored_port(what, run_options) or _program(
        Program(
            files=[Path(name) for name in what], include_dirs=include or (), options=build_options, run=run_options
        ),
        chosen,
    )
    run = _run(task, chosen, ProgressLines(quiet=quiet))
    if run is None:
        return OWN_FAILURE
    if run.exit_code != 0:
        sys.stderr.write(run.stderr)
        open_console(stderr=True).print("warp2wave: the program failed; the counters are of what ran", markup=False)
    if run.profile is not None:
        _show(run.profile, json)
    return exit_status(run)


@dataclass(frozen=True)
class _Task:
    """HIP sources, or an ``executable``, and how they are built and run."""

    submission: Submission
    files: tuple[SourceFile, ...] = ()
    main_files: tuple[str, ...] = ()
    executable: Path | None = None


def _program(program: Program, device: Device) -> _Task:
    if len(program.files) == 1 and is_executable(program.files[0]):
        name = program.files[0].name
        return _Task(Submission(name=name, files=(), main_files=(), run=program.run), executable=program.files[0])
    submission = read_submission(program, targets=(device.target,), needs_kernel=False)
    source = translate_submission(submission)
    return _Task(submission, source.files, source.main_files)


def _stored_port(what: list[str], run: RunOptions) -> _Task | None:
    """The port with this id, with the arguments given here or else its own; None where ``what`` names files."""
    if len(what) != 1 or Path(what[0]).exists() or not what[0].isalnum():
        return None
    with stored() as store:
        port_id = store.ports.find(what[0])
        submission, port = store.submission(port_id), store.report(port_id)
    if run.args:
        submission = submission.model_copy(update={"run": submission.run.model_copy(update={"args": run.args})})
    return _Task(submission, port.source.files, port.source.main_files)


def _run(task: _Task, device: Device, progress: ProgressLines) -> Run | None:
    with open_workshop(load_settings()) as workshop:
        if task.executable is not None:
            run = profile_program(workshop, task.executable, task.submission, device, progress=progress)
            progress.close()
            return run
        profiled = profile_source(workshop, task.submission, task.files, task.main_files, device, progress)
        progress.close()
        if profiled.run is None:
            show_failed_build(profiled.build)
        return profiled.run


def _read_measured(paths: list[Path], device: str) -> Profile | None:
    """What rocprofv3 wrote, if ``paths`` is that."""
    if not all(path.suffix in (".db", ".csv") for path in paths):
        return None
    target = find_device(device).target if device else ""
    recording = read_rocpd(paths[0]) if paths[0].suffix == ".db" and len(paths) == 1 else _read_csv(paths)
    return make_profile(recording, "rocm", Evidence.HARDWARE, target=target)


def _read_csv(paths: list[Path]) -> Recording:
    """Counters and, from a second file or the one that lies beside, the launches."""
    counters = [path for path in paths if path.name.endswith(_COUNTERS)]
    traces = [path for path in paths if path.name.endswith(_TRACE)]
    if len(counters) != 1 or len(traces) > 1 or len(counters) + len(traces) != len(paths):
        raise RequestError(
            "give one .db, or one counter_collection.csv and at most one kernel_trace.csv",
            hint="rocprofv3 names its files so",
        )
    beside = counters[0].with_name(counters[0].name.removesuffix(_COUNTERS) + _TRACE)
    trace = traces[0] if traces else beside if beside.is_file() else None
    return read_rocprof_csv(_text(counters[0]), _text(trace) if trace else "")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}") from error


def _show(found: Profile, json: bool) -> None:
    if json:
        typer.echo(found.model_dump_json(by_alias=True, indent=2))
    else:
        print_profile(open_console(), found)
