"""``warp2wave verify``: judge a port that somebody made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agents.orchestrator.submission import Program, read_submission, with_given_port
from service.cli import options
from service.cli.port import DEFAULT_TARGETS, carry_out, check_paths, parse_targets, show_result


def verify(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="PORT.hip...", help="HIP sources of the port.")],
    against: Annotated[
        list[Path], typer.Option("--against", metavar="ORIGINAL.cu", help="CUDA source of the original; repeatable.")
    ],
    target: Annotated[str, typer.Option("--target", help="Targets, separated by commas.")] = DEFAULT_TARGETS,
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="DIR", help="Where to write the report.")] = None,
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
    """Judge a HIP port that anyone wrote against its CUDA original. Arguments for both programs follow [bold]--[/].

    The port is not changed. Exit codes are those of [bold]port[/].
    """
    targets = parse_targets(target)
    program = Program(
        files=against,
        include_dirs=include or (),
        options=options.build_options(define, standard, nvcc_flag, hipcc_flag),
        run=options.run_options(options.ProgramArguments.of(context), inputs, stdin_file, output_file, timeout),
    )
    folder = out if out is not None else Path(f"{files[0].stem}.verified")
    check_paths([*against, *files], include or (), folder)
    result = carry_out(
        lambda: with_given_port(read_submission(program, targets=targets), files, include or ()),
        files[0].name,
        targets,
        folder,
        quiet=quiet,
    )
    return show_result(result, folder, json=json)
