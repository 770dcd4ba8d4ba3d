"""``warp2wave serve``: the REST server with a worker in the same process."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agents.orchestrator.sandboxed import SandboxedStages
from service.api.serve import serve as serve_settings
from service.cli.console import ProgressLines, open_console
from service.cli.workshop import open_workshop
from service.exit_codes import ExitCode
from service.settings import load_settings


def serve(
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="TCP port.")] = None,
) -> int:
    """Serve the REST API on 127.0.0.1. Another address needs API keys."""
    chosen: dict[str, Any] = {k: v for k, v in {"host": host, "port": port}.items() if v is not None}
    settings = load_settings(**chosen)
    settings.require_safe_binding()
    with open_workshop(settings) as workshop:
        progress = ProgressLines()
        workshop.runner(progress)
        progress.close()
        console = open_console(stderr=True)
        serve_settings(settings, SandboxedStages(workshop), lambda url: console.print(f"serving on {url}"))
    return ExitCode.ACCEPTED
