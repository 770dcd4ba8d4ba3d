"""``warp2wave doctor``: what works here, and the command that mends what does not."""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import files as distribution_files
from pathlib import Path
from typing import Annotated

import typer

from sandbox.errors import SandboxLayerError
from sandbox.isolation.select import choose_sandbox
from sandbox.toolchain import ensure_toolchain, find_toolchain
from service.cli import options
from service.cli.console import ProgressLines, open_console
from service.cli.workshop import open_workshop, workshop_config
from service.exit_codes import ExitCode
from service.settings import Settings, load_settings


@dataclass(frozen=True)
class Check:
    name: str
    ok: bool
    detail: str


def doctor(
    fetch: Annotated[bool, typer.Option("--fetch", help="Fetch and build what is missing.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Check platform, packages, toolchain, sandbox and virtual devices."""
    settings = load_settings()
    progress = ProgressLines(quiet=quiet)
    checks = [_platform(), *_packages()]
    if fetch:
        checks.append(_attempt("toolchain", lambda: _fetch(settings, progress)))
    else:
        checks.append(_toolchain(settings))
    checks.append(_attempt("sandbox", lambda: _sandbox(settings)))
    if fetch:
        checks.append(_attempt("virtual devices", lambda: _devices(settings, progress)))
    progress.close()
    _show(checks, json)
    return ExitCode.ACCEPTED if all(check.ok for check in checks) else ExitCode.ENVIRONMENT


def _show(checks: list[Check], json: bool) -> None:
    console = open_console()
    if json:
        console.print_json(data=[vars(check) for check in checks])
        return
    for check in checks:
        mark = "[green]✓[/]" if check.ok else "[red]✗[/]"
        console.print(f"{mark} {check.name:18} ", end="")
        console.print(check.detail, markup=False)


def _attempt(name: str, action: Callable[[], str]) -> Check:
    try:
        return Check(name, True, action())
    except SandboxLayerError as error:
        return Check(name, False, str(error))


def _platform() -> Check:
    ok = sys.platform == "linux" and platform.machine() == "x86_64"
    hint = "" if ok else ": supported are Linux x86-64 and WSL2; elsewhere use the Docker image"
    return Check("platform", ok, f"{platform.system()} {platform.machine()}, Python {platform.python_version()}{hint}")


def _packages() -> list[Check]:
    """The package names are plain words: another distribution may have put its own ``agents`` in front."""
    checks = []
    for name in ("service", "agents", "sandbox"):
        found = Path(str(importlib.import_module(name).__file__)).resolve()
        ours = _belongs_to_us(name, found)
        note = "ours" if ours else "shadowed by another distribution: remove it from this environment"
        checks.append(Check(f"package {name}", ours, f"{found.parent} ({note})"))
    return checks


def _belongs_to_us(name: str, found: Path) -> bool:
    own = Path(__file__).resolve().parents[2]
    if found == own / name / "__init__.py":
        return True
    listed = distribution_files("warp2wave") or []
    return any(Path(str(file.locate())).resolve() == found for file in listed)


def _toolchain(settings: Settings) -> Check:
    try:
        toolchain = find_toolchain(workshop_config(settings).toolchain)
    except SandboxLayerError as error:
        return Check("toolchain", False, str(error))
    if toolchain is None:
        return Check("toolchain", False, "not fetched yet: warp2wave doctor --fetch")
    return Check("toolchain", True, f"ROCm and CUDA compilers in {toolchain.root}")


def _fetch(settings: Settings, progress: ProgressLines) -> str:
    toolchain = ensure_toolchain(workshop_config(settings).toolchain, progress)
    return f"ROCm and CUDA compilers in {toolchain.root}"


def _sandbox(settings: Settings) -> str:
    toolchain = find_toolchain(workshop_config(settings).toolchain)
    if toolchain is None:
        return "not tried: it comes with the toolchain"
    return f"{choose_sandbox(settings.sandbox_engine.value, toolchain.root).name} works"


def _devices(settings: Settings, progress: ProgressLines) -> str:
    with open_workshop(settings) as workshop:
        runtime = workshop.runner(progress).runtime
    return f"built ({runtime.digest[:12]})"
