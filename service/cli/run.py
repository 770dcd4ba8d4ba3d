"""``warp2wave run``: build and run one program; its output and status pass through."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from agents.hipify import translate_submission
from agents.models import Submission
from agents.orchestrator.sandboxed import build_recipe, run_request
from agents.orchestrator.submission import Program, read_submission
from sandbox.errors import SandboxLayerError
from sandbox.execution.builder import build_program
from sandbox.execution.devices import find_device
from sandbox.execution.runner import RunRequest
from sandbox.execution.workshop import Workshop
from sandbox.models import Build, Check, Device, Run, Side
from service.cli import options
from service.cli.console import ProgressLines, open_console
from service.cli.workshop import open_workshop
from service.errors import RequestError
from service.exit_codes import ExitCode, exit_code_for_error
from service.settings import load_settings

OWN_FAILURE = 125
LIMIT_REACHED = 124
_ELF = b"\x7fELF"


def run(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="CUDA or HIP sources, or one executable.")],
    device: Annotated[str, typer.Option("--device", help="vcuda, vgpu:gfx942 or vgpu:gfx950.")] = "vcuda",
    include: options.Include = None,
    define: options.Define = None,
    standard: options.Standard = options.DEFAULT_STANDARD,
    nvcc_flag: options.NvccFlag = None,
    hipcc_flag: options.HipccFlag = None,
    inputs: options.Input = None,
    stdin_file: options.StdinFile = None,
    output_file: options.OutputFile = None,
    timeout: options.Timeout = options.DEFAULT_TIMEOUT,
    check: Annotated[
        str,
        typer.Option(
            "--check",
            metavar="[=race|off]",
            help="Check memory, LDS and barriers on a vgpu device; race: global memory, too.",
        ),
    ] = Check.OFF.value,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Build one program and run it on a virtual device. Arguments for the program follow [bold]--[/].

    Its output and exit status pass through; 125 means that warp2wave failed, 124 that a limit ended the program, 123
    that it ended with success but checks found something.
    A CUDA source for a vgpu device is ported on the way.
    """
    chosen = find_device(device)
    wanted = _check_of(check)
    settings = load_settings()
    progress = ProgressLines(quiet=quiet)
    run_options = options.run_options(options.ProgramArguments.of(context), inputs, stdin_file, output_file, timeout)
    try:
        with open_workshop(settings) as workshop:
            program = Program(
                files=files,
                include_dirs=include or (),
                options=options.build_options(define, standard, nvcc_flag, hipcc_flag),
                run=run_options,
            )
            binary = files[0] if len(files) == 1 and is_executable(files[0]) else None
            if binary is None:
                submission = read_submission(program, targets=(chosen.target,), needs_kernel=False)
                executable = _build(workshop, submission, chosen, progress)
                if executable is None:
                    return OWN_FAILURE
            else:
                submission = Submission(name=binary.name, files=(), main_files=(), run=run_options)
                executable = binary
            request = replace(run_request(submission), check=wanted)
            result = _run(workshop, executable, request, chosen, progress, show=not json)
    except SandboxLayerError as error:
        if exit_code_for_error(error) is ExitCode.USAGE:
            raise
        open_console(stderr=True).print(f"warp2wave: {error}", markup=False)
        return OWN_FAILURE
    if json:
        typer.echo(result.model_dump_json(by_alias=True, indent=2))
    return exit_status(result)


def _check_of(text: str) -> Check:
    try:
        return Check(text)
    except ValueError:
        raise RequestError(f"--check={text} is not one of {', '.join(Check)}") from None


def is_executable(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == _ELF
    except OSError:
        return False


def _build(workshop: Workshop, submission: Submission, device: Device, progress: ProgressLines) -> Path | None:
    files, mains = submission.files, submission.main_files
    if device.side is Side.HIP:
        source = translate_submission(submission)
        files, mains = source.files, source.main_files
    recipe = build_recipe(submission, files, mains, device.side)
    build = build_program(workshop.bench(progress), recipe, device.side, device.target)
    progress.close()
    if not build.ok:
        show_failed_build(build)
        return None
    return Path(build.program)


def show_failed_build(build: Build) -> None:
    sys.stderr.write(build.log)
    cause = f"the compiler was ended by the {build.limit} limit" if build.limit else "the program does not compile"
    open_console(stderr=True).print(f"warp2wave: {cause}", markup=False)


def _run(
    workshop: Workshop,
    executable: Path,
    request: RunRequest,
    device: Device,
    progress: ProgressLines,
    *,
    show: bool,
) -> Run:
    runner = workshop.runner(progress)
    progress.close()
    request = replace(request, keep=Path.cwd() if request.output_files else None)
    return runner.run(executable, device, request, on_output=_pass_through if show else None)


def _pass_through(stream: Literal["stdout", "stderr"], data: bytes) -> None:
    target = sys.stdout.buffer if stream == "stdout" else sys.stderr.buffer
    target.write(data)
    target.flush()


def exit_status(result: Run) -> int:
    if result.limit is not None:
        open_console(stderr=True).print(f"warp2wave: the program was ended by the {result.limit} limit")
        return LIMIT_REACHED
    if result.signal is not None:
        return 128 + result.signal
    return result.exit_code if result.exit_code is not None else OWN_FAILURE
