"""Chooses the isolation engine."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

from sandbox.errors import PlatformError
from sandbox.isolation.bubblewrap import BubblewrapSandbox
from sandbox.isolation.docker import DockerSandbox
from sandbox.isolation.protocol import Sandbox

Preference = Literal["auto", "bubblewrap", "docker"]


def choose_sandbox(
    preference: Preference, root: Path, *, digest: str | None = None, docker_host: str | None = None
) -> Sandbox:
    """The engine that ``preference`` names, or for ``auto`` bubblewrap where it works, else Docker.

    ``root`` is the root filesystem whose bubblewrap is used, if it has one, else the host's; ``digest`` tells
    Docker what is in it. Raises PlatformError with the reasons where no engine works.
    """
    engines: list[Sandbox] = []
    if preference in ("auto", "bubblewrap"):
        engines.append(BubblewrapSandbox(bwrap_of(root)))
    if preference in ("auto", "docker"):
        engines.append(DockerSandbox(host=docker_host, digest=digest))
    reasons = []
    for engine in engines:
        reason = engine.unavailable()
        if reason is None:
            return engine
        reasons.append(f"{engine.name}: {reason}")
    raise PlatformError("no sandbox works here. " + ". ".join(reasons))


def bwrap_of(root: Path) -> tuple[str, ...]:
    """The command prefix that runs the bubblewrap in ``root`` on this host, or the host's own if it has none."""
    program = root / "usr/bin/bwrap"
    if program.exists():
        loader = root / "usr/lib64/ld-linux-x86-64.so.2"
        return (str(loader), "--library-path", str(root / "usr/lib/x86_64-linux-gnu"), str(program))
    return (shutil.which("bwrap") or "bwrap",)
