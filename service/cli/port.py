"""``warp2wave port``: port programs, prove the ports, keep them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from agents.models import Port, Submission
from agents.orchestrator.sandboxed import SandboxedStages
from agents.orchestrator.submission import Program, read_submission
from sandbox.errors import SandboxLayerError
from sandbox.execution.devices import hip_device
from sandbox.numerics.case import load_case
from service.cli import options
from service.cli.console import ProgressLines, open_console
from service.cli.render import print_port
from service.cli.workshop import open_workshop
from service.errors import PortCancelledError, PortFailedError, RequestError
from service.exit_codes import exit_code_for_outcome
from service.settings import load_settings
from service.store.documents import encode_model
from service.worker.runtime import Runtime

DEFAULT_TARGETS = "gfx942,gfx950"


def port(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="CUDA sources of one program.")],
    target: Annotated[str, typer.Option("--target", help="Targets, separated by commas.")] = DEFAULT_TARGETS,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Where to write the port and its report.")
    ] = None,
    case: Annotated[
        Path | None,
        typer.Option("--case", metavar="CASE.toml", help="How to launch the kernels; main() is then not run."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also build and run the port with renames only, to show what breaks.")
    ] = False,
    include: options.Include = None,
    define: options.Define = None,
    standard: options.Standard = options.DEFAULT_STANDARD,
    nvcc_flag: options.NvccFlag = None,
    hipcc_flag: options.HipccFlag = None,
    inputs: options.Input = None,
    stdin_file: options.StdinFile = None,
    output_file: options.OutputFile = None,
    timeout: options.Timeout = options.DEFAULT_TIMEOUT,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Port a CUDA program to HIP and prove the port on virtual GPUs. Arguments for the program follow [bold]--[/].

    Writes the port, report.json and report.md to DIR (default: a folder named after the file).
    """
    targets = parse_targets(target)
    program = Program(
        files=files,
        include_dirs=include or (),
        options=options.build_options(define, standard, nvcc_flag, hipcc_flag),
        run=options.run_options(options.ProgramArguments.of(context), inputs, stdin_file, output_file, timeout),
    )
    folder = out if out is not None else Path(f"{files[0].stem}.port")
    check_paths(files, include or (), folder)

    def read() -> Submission:
        submission = read_submission(program, targets=targets, explain=explain)
        if case is None:
            return submission
        # Nobody knows the inputs before the port is made.
        return submission.model_copy(update={"case": load_case(case), "case_seed": secrets.randbelow(1 << 31)})

    result = carry_out(read, files[0].name, targets, folder, quiet=quiet)
    return show_result(result, folder, json=json)


def carry_out(read: Callable[[], Submission], name: str, targets: Sequence[str], folder: Path, *, quiet: bool) -> Port:
    """Take in what ``read`` gives, see it through, and write the port to ``folder``. What cannot be read leaves a row
    with the error, which is raised."""
    settings = load_settings()
    progress = ProgressLines(quiet=quiet)
    with open_workshop(settings) as workshop, Runtime(settings, SandboxedStages(workshop)) as runtime:
        try:
            submission = read()
        except SandboxLayerError as error:
            runtime.refuse(name, error, targets)
            raise
        workshop.runner(progress)
        resumed = runtime.resume_dead()
        if resumed and not quiet:
            open_console(stderr=True).print(f"going on with interrupted ports: {', '.join(resumed)}")
        port_id = runtime.submit(submission)
        try:
            result = runtime.wait(port_id, progress)
            for other in resumed:
                _finish(runtime, other)
        except KeyboardInterrupt:
            runtime.cancel(port_id)
            raise
        finally:
            progress.close()
        write_port(runtime, result, folder)
    return result


def show_result(result: Port, folder: Path, *, json: bool) -> int:
    """Print a port; the exit code for its outcome."""
    if json:
        typer.echo(encode_model(result))
    else:
        console = open_console()
        print_port(console, result)
        console.print(f"written to {folder}/ (report.md, report.json)", style="dim", markup=False)
    return exit_code_for_outcome(result.verdict.outcome)


def write_port(runtime: Runtime, port: Port, folder: Path) -> None:
    """Write every artifact of ``port`` into ``folder``. Raises RequestError where that cannot be done."""
    try:
        for artifact in runtime.get_port(port.id).artifacts:
            _, content = runtime.get_artifact(port.id, artifact.name)
            path = folder / artifact.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read_bytes())
    except OSError as error:
        raise RequestError(
            f"{folder} cannot be written: {error.strerror}", hint="name another folder with -o"
        ) from error


def check_paths(files: Sequence[Path], include_dirs: Sequence[Path], folder: Path) -> None:
    """What is mistyped is said before anything is done or kept. Raises RequestError."""
    for path in files:
        if not path.is_file():
            raise RequestError(f"{path} {'is not a file' if path.exists() else 'does not exist'}")
    for path in include_dirs:
        if not path.is_dir():
            raise RequestError(f"-I {path}: there is no such folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(
            f"{folder} cannot be written: {error.strerror}", hint="name another folder with -o"
        ) from error


def parse_targets(text: str) -> tuple[str, ...]:
    """Raises InputError for a target that there is no device for."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise RequestError("--target names no target", hint=f"for example --target {DEFAULT_TARGETS}")
    for name in names:
        hip_device(name)
    return names


def _finish(runtime: Runtime, port_id: str) -> None:
    """Let an interrupted port end; how it ended stands in its row."""
    try:
        runtime.wait(port_id)
    except (PortFailedError, PortCancelledError):
        return
