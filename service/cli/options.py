"""Options that several commands share, and what they become."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agents.errors import SubmissionError
from agents.models import BuildOptions, RunOptions, SourceFile
from agents.orchestrator.submission import read_source
from service.errors import RequestError

_BUILD, _RUN, _OUTPUT = "Build", "Run", "Output"

Include = Annotated[
    list[Path] | None,
    typer.Option("-I", metavar="DIR", help="Folder to search for headers.", rich_help_panel=_BUILD),
]
Define = Annotated[
    list[str] | None,
    typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.", rich_help_panel=_BUILD),
]
Standard = Annotated[str, typer.Option("-std", "--std", help="C++ standard.", rich_help_panel=_BUILD)]
NvccFlag = Annotated[
    list[str] | None,
    typer.Option("--nvcc-flag", metavar="FLAG", help="Pass to nvcc.", rich_help_panel=_BUILD),
]
HipccFlag = Annotated[
    list[str] | None,
    typer.Option("--hipcc-flag", metavar="FLAG", help="Pass to hipcc.", rich_help_panel=_BUILD),
]
Input = Annotated[
    list[Path] | None,
    typer.Option("--input", metavar="FILE", help="Put into the program's working folder.", rich_help_panel=_RUN),
]
StdinFile = Annotated[
    Path | None,
    typer.Option("--stdin-file", metavar="FILE", help="The program's stdin.", rich_help_panel=_RUN),
]
OutputFile = Annotated[
    list[str] | None,
    typer.Option("--output-file", metavar="NAME", help="File that the program writes; compared.", rich_help_panel=_RUN),
]
Timeout = Annotated[
    float,
    typer.Option("--timeout", min=0.1, metavar="SECONDS", help="Wall time of one run.", rich_help_panel=_RUN),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.", rich_help_panel=_OUTPUT)]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress.", rich_help_panel=_OUTPUT)]

DEFAULT_STANDARD = "c++17"
DEFAULT_TIMEOUT = 120.0


@dataclass(frozen=True)
class ProgramArguments:
    """What stood behind ``--`` on the command line. Carried in the click context."""

    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, context: typer.Context) -> tuple[str, ...]:
        found = context.find_object(cls)
        return found.values if found is not None else ()


def build_options(
    define: list[str] | None, standard: str, nvcc_flag: list[str] | None, hipcc_flag: list[str] | None
) -> BuildOptions:
    """Include folders are added where the files are read: they become relative to the submission there."""
    return BuildOptions(
        defines=tuple(define or ()),
        standard=standard,
        nvcc_flags=tuple(nvcc_flag or ()),
        hipcc_flags=tuple(hipcc_flag or ()),
    )


def run_options(
    arguments: tuple[str, ...],
    inputs: list[Path] | None,
    stdin_file: Path | None,
    output_files: list[str] | None,
    timeout: float,
) -> RunOptions:
    """Raises RequestError where a file cannot be read or a declared output leaves the working folder."""
    for name in output_files or ():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise RequestError(f"--output-file {name}: the name must stay inside the program's working folder")
    return RunOptions(
        args=arguments,
        inputs=tuple(SourceFile(path=path.name, text=_read(path)) for path in inputs or ()),
        stdin=_read(stdin_file) if stdin_file else None,
        output_files=tuple(output_files or ()),
        timeout_seconds=timeout,
    )


def _read(path: Path) -> str:
    """A data file's bytes; unlike a source it may be binary or empty."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}") from error


def read_text(path: Path) -> str:
    """A source file's text, ``-`` for stdin. Raises SubmissionError."""
    if str(path) != "-":
        return read_source(path)
    data = typer.get_binary_stream("stdin").read()
    if not data.strip():
        raise SubmissionError("stdin is empty", hint="give CUDA source text")
    return data.decode("utf-8", "surrogateescape")
