"""``warp2wave hipify``: HIP on stdout, findings on stderr."""

from __future__ import annotations

import json as json_text
import sys
from pathlib import Path
from typing import Annotated

import typer

from agents.hipify import translate_text
from agents.shims.library import INCLUDE_FOLDER
from service.cli import options
from service.cli.console import open_console
from service.cli.render import findings_table
from service.errors import RequestError
from service.exit_codes import ExitCode


def hipify(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="CUDA source; - for stdin.")] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the source from stdin.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Translate one file to HIP. Never in place. Exit 3 while anything is left for a person."""
    if (file is None) != stdin:
        raise RequestError("give a FILE or --stdin")
    path = file if file is not None else Path("-")
    text = options.read_text(path)
    translated, findings = translate_text(text, path="stdin.cu" if str(path) == "-" else str(path))
    if json:
        document = {
            "text": translated,
            "findings": [f.model_dump(mode="json", by_alias=True) for f in findings],
        }
        typer.echo(json_text.dumps(document, indent=2))
    else:
        sys.stdout.buffer.write(translated.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    console = open_console(stderr=True, quiet=quiet)
    for line in findings_table(tuple(findings)):
        console.print(line, soft_wrap=True)
    if '"warp2wave/' in translated and not json:
        console.print(
            f"the output includes headers of warp2wave: add -I {INCLUDE_FOLDER}", soft_wrap=True, markup=False
        )
    return ExitCode.NEEDS_ATTENTION if any(finding.open for finding in findings) else ExitCode.ACCEPTED
