"""The ``warp2wave`` command."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import click
import typer

from sandbox.errors import SandboxLayerError
from service.cli import demo, doctor, hipify, port, run, serve, stored
from service.cli.console import open_console
from service.cli.options import ProgramArguments
from service.exit_codes import ExitCode, exit_code_for_error

app = typer.Typer(
    name="warp2wave",
    help="Port CUDA programs to HIP for AMD Instinct GPUs, and prove the ports without a GPU.",
    epilog="Exit codes: 0 accepted, 1 internal error, 2 usage or unreadable input, 3 needs attention, 4 rejected, "
    "5 unverified, 6 toolchain, sandbox or platform, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("port")(port.port)
app.command("run")(run.run)
app.command("hipify")(hipify.hipify)
app.command("list")(stored.list_ports)
app.command("show")(stored.show)
app.command("doctor")(doctor.doctor)
app.command("serve")(serve.serve)
app.command("demo")(demo.demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"warp2wave {version('warp2wave')}")
        raise typer.Exit


@app.callback()
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
    sys.exit(_invoke(own, program))


def _invoke(arguments: list[str], program: ProgramArguments) -> int:
    console = open_console(stderr=True)
    try:
        outcome = app(arguments, prog_name="warp2wave", standalone_mode=False, obj=program)
        return outcome if isinstance(outcome, int) else ExitCode.ACCEPTED
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        console.print("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return ExitCode.INTERNAL
    except SandboxLayerError as error:
        console.print(f"[bold red]error[/] ({error.code}): ", end="")
        console.print(error.message, markup=False)
        if error.hint:
            console.print(f"  {error.hint}", markup=False)
        return exit_code_for_error(error)
