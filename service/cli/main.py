"""The ``warp2wave`` command."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from importlib.metadata import version
from typing import Annotated

import typer
from typer.exceptions import TyperException

from sandbox.errors import SandboxLayerError
from service.cli.console import open_console
from service.cli.options import ProgramArguments
from service.exit_codes import ExitCode, exit_code_for_error

COMMANDS = {
    "port": "service.cli.port:port",
    "verify": "service.cli.verify:verify",
    "run": "service.cli.run:run",
    "hipify": "service.cli.hipify:hipify",
    "profile": "service.cli.profile:profile",
    "list": "service.cli.stored:list_ports",
    "show": "service.cli.stored:show",
    "doctor": "service.cli.doctor:doctor",
    "serve": "service.cli.serve:serve",
    "demo": "service.cli.demo:demo",
}
"""Where each command stands. Only the one that is called is imported: together they take seconds."""

_BARE = {"--check": "--check=on"}
"""Options that may stand without their value: what they mean then. They never take the word behind them."""

_PIPE_CLOSED = 141  # as a shell shows SIGPIPE


def build_app(names: Iterable[str]) -> typer.Typer:
    """The command line with the commands ``names``."""
    app = typer.Typer(
        name="warp2wave",
        help="Port CUDA programs to HIP for AMD Instinct GPUs, and prove the ports without a GPU.",
        epilog="Exit codes: 0 accepted, 1 internal error, 2 usage or unreadable input, 3 needs attention, "
        "4 rejected, 5 unverified, 6 toolchain, sandbox or platform, 130 interrupted.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(options)
    for name in names:
        module, function = COMMANDS[name].split(":")
        app.command(name)(getattr(importlib.import_module(module), function))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"warp2wave {version('warp2wave')}")
        raise typer.Exit


def options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the command itself."""


def main() -> None:
    """Entry point. What stands behind ``--`` is the program's, whatever it looks like."""
    arguments = sys.argv[1:]
    own, program = arguments, ProgramArguments()
    if "--" in arguments:
        at = arguments.index("--")
        own, program = arguments[:at], ProgramArguments(tuple(arguments[at + 1 :]))
    sys.exit(_invoke([_BARE.get(word, word) for word in own], program))


def _invoke(arguments: list[str], program: ProgramArguments) -> int:
    console = open_console(stderr=True)
    called = next((argument for argument in arguments if not argument.startswith("-")), None)
    if called == "hipify":
        arguments = importlib.import_module("service.cli.hipify").normalize_arguments(arguments)
    names = [called] if called in COMMANDS else [] if "--version" in arguments else list(COMMANDS)
    try:
        app = build_app(names)
        outcome = app(arguments, prog_name="warp2wave", standalone_mode=False, obj=program)
        if outcome == ExitCode.INTERRUPTED:
            console.print("interrupted")
        return outcome if isinstance(outcome, int) else ExitCode.ACCEPTED
    except TyperException as error:
        console.print(f"usage: {error}", markup=False)
        command = f"warp2wave {called}" if called in COMMANDS else "warp2wave"
        console.print(f"  see {command} --help", markup=False)
        return ExitCode.USAGE
    except (typer.Abort, KeyboardInterrupt):
        console.print("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads any more; the interpreter would say so again at its end
        return _PIPE_CLOSED
    except SandboxLayerError as error:
        console.print(f"[bold red]error[/] ({error.code}): ", end="")
        console.print(error.message, markup=False)
        if error.hint:
            console.print(f"  {error.hint}", markup=False)
        return exit_code_for_error(error)
