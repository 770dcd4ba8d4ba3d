"""``warp2wave hipify``: HIP on stdout, findings on stderr. It takes hipify-clang's options of the same meaning."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Annotated

import typer

from agents.hipify import Dialect, Options
from agents.hipify.engines import ENGINES
from agents.hipify.tables import Headers
from service.cli import options
from service.cli.hipify_compare import compare_engines
from service.cli.hipify_job import Destination, HipifyJob
from service.errors import RequestError

_LIBRARIES, _LANGUAGE, _FILES = "Libraries and names", "Language", "Files"
_IGNORED_WITH_VALUE = (
    "--cuda-path", "--cuda-gpu-arch", "--clang-resource-directory", "--extra-arg", "--extra-arg-before", "-p",
    "--temp-dir",
)  # fmt: skip
_IGNORED_FLAGS = (
    "--save-temps", "--local-headers", "--local-headers-recursive", "--no-undocumented-features",
    "--no-warnings-undocumented-features", "--print-stats", "--print-stats-csv", "-v",
)  # fmt: skip
"""Options of hipify-clang that a translation without a CUDA compiler does not need."""
_OLDER_VERSION, _PINNED_VERSION = "6.3", "7.2"


def hipify(
    context: typer.Context,
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE...", help="CUDA source; - for stdin.")] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the source from stdin.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write here.", rich_help_panel=_FILES)
    ] = None,
    output_dir: Annotated[
        Path | None,
        typer.Option("--o-dir", metavar="DIR", help="Write FILE.hip of each file here.", rich_help_panel=_FILES),
    ] = None,
    inplace: Annotated[
        bool, typer.Option("--inplace", help="Overwrite each file; FILE.prehip keeps it.", rich_help_panel=_FILES)
    ] = False,
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="With --inplace: keep no FILE.prehip.", rich_help_panel=_FILES)
    ] = False,
    no_output: Annotated[
        bool, typer.Option("--no-output", "--examine", help="Findings only.", rich_help_panel=_FILES)
    ] = False,
    roc: Annotated[
        bool,
        typer.Option("--roc", "--translate-to-roc", help="roc* libraries, not hip*.", rich_help_panel=_LIBRARIES),
    ] = False,
    miopen: Annotated[
        bool,
        typer.Option("--miopen", "--translate-to-miopen", help="MIOpen for cuDNN.", rich_help_panel=_LIBRARIES),
    ] = False,
    hip_data_types: Annotated[
        bool,
        typer.Option(
            "--use-hip-data-types", help="With --roc: HIP's data types, not rocBLAS's.", rich_help_panel=_LIBRARIES
        ),
    ] = False,
    experimental: Annotated[
        bool,
        typer.Option(
            "--experimental",
            help="Names of ROCm 6.3's development, as hipify-clang: the same as --hip-version 6.3.",
            rich_help_panel=_LIBRARIES,
        ),
    ] = False,
    hip_version: Annotated[
        str | None,
        typer.Option(
            "--hip-version",
            metavar="[6.3|7.2]",
            help="Whose names to write. [default: 7.2]",
            rich_help_panel=_LIBRARIES,
        ),
    ] = None,
    hip_launches: Annotated[
        bool,
        typer.Option("--hip-kernel-execution-syntax", help="hipLaunchKernelGGL().", rich_help_panel=_LANGUAGE),
    ] = False,
    cuda_launches: Annotated[
        bool,
        typer.Option("--cuda-kernel-execution-syntax", help="<<<>>>, the default.", rich_help_panel=_LANGUAGE),
    ] = False,
    skip_excluded: Annotated[
        bool,
        typer.Option(
            "--skip-excluded-preprocessor-conditional-blocks",
            "--default-preprocessor",
            help="Leave code alone that the preprocessor skips.",
            rich_help_panel=_LANGUAGE,
        ),
    ] = False,
    naive: Annotated[
        bool, typer.Option("--naive", help="Renames alone: mend no faults.", rich_help_panel=_LANGUAGE)
    ] = False,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help=f"Translator: {', '.join(ENGINES)}, where installed.")
    ] = "builtin",
    compare: Annotated[bool, typer.Option("--compare", help="Show where the installed translators disagree.")] = False,
    define: options.Define = None,
    include: options.Include = None,
    amap: Annotated[bool, typer.Option("--amap", hidden=True)] = False,
    ignored: Annotated[list[str] | None, typer.Option(*_IGNORED_WITH_VALUE, hidden=True)] = None,
    ignored_flag: Annotated[bool, typer.Option(*_IGNORED_FLAGS, hidden=True)] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Translate CUDA source to HIP. Never in place unless asked. Exit 3 while anything is left for a person."""
    del amap, cuda_launches, ignored, ignored_flag, include  # hipify-clang's, of no effect here
    if bool(files) == stdin:
        raise RequestError("give a FILE or --stdin")
    if hip_version not in (None, _OLDER_VERSION, _PINNED_VERSION):
        raise RequestError(f"--hip-version {hip_version}: knows {_OLDER_VERSION} and {_PINNED_VERSION}")
    older = hip_version == _OLDER_VERSION or (experimental and hip_version is None)
    headers = {None: Headers.EITHER, _PINNED_VERSION: Headers.PINNED, _OLDER_VERSION: Headers.OLDER}[hip_version]
    wanted = Options(
        dialect=Dialect(roc, miopen, hip_data_types, older, headers),
        fix_faults=not naive,
        hip_launches=hip_launches,
        skip_excluded=skip_excluded,
        defines=(*(define or ()), *_defines(options.ProgramArguments.of(context))),
    )
    if compare:
        return compare_engines(files or [Path("-")], wanted, json=json)
    destination = Destination(output, output_dir, inplace, backup=not no_backup, none=no_output)
    return HipifyJob(wanted, destination, json=json, quiet=quiet, engine=engine).run(files or [Path("-")])


def normalize_arguments(arguments: list[str]) -> list[str]:
    """LLVM's ways to write an option: one dash before a long name, ``-o=FILE``."""
    normal: list[str] = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if name in ("-o", "--o") and equals:
            normal += ["-o", value]
        elif argument.startswith("-") and not argument.startswith("--") and f"-{name}" in _LONG_NAMES:
            normal.append(f"-{argument}")
        else:
            normal.append(argument)
    return normal


def _defines(arguments: tuple[str, ...]) -> list[str]:
    """The macros that the compiler's arguments behind ``--`` define."""
    found: list[str] = []
    for at, argument in enumerate(arguments):
        if argument == "-D" and at + 1 < len(arguments):
            found.append(arguments[at + 1])
        elif argument.startswith("-D") and len(argument) > 2:
            found.append(argument[2:])
    return found


_LONG_NAMES = frozenset(
    name
    for hint in typing.get_type_hints(hipify, include_extras=True).values()
    for option in getattr(hint, "__metadata__", ())
    for name in (option.default, *(getattr(option, "param_decls", None) or ()))
    if isinstance(name, str) and name.startswith("--")
)
"""Long names of the options; typer keeps the first one as the default until it reads the annotation."""
