"""What may be set about the toolchain."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.toolchain.lock import LAYERS, LOCK_FILE


@dataclass(frozen=True)
class ToolchainConfig:
    """``cache`` holds everything that warp2wave can make again; the toolchain lies in ``cache/toolchain``.

    ``mirrors`` are base URLs of Debian archives (they hold ``pool/``), tried first and in this order.
    ``layers`` are those of the lock file that the root filesystem is made of; ``core`` is always one.
    """

    cache: Path
    mirrors: tuple[str, ...] = ()
    layers: tuple[str, ...] = ("core",)
    lock_file: Path = LOCK_FILE
    downloads: int = 8
    unpackers: int = 2
    keep_archives: bool = False

    def __post_init__(self) -> None:
        unknown = set(self.layers) - set(LAYERS)
        if unknown or "core" not in self.layers:
            raise ValueError(f"layers are core and optionally others of {', '.join(LAYERS)}: {self.layers}")
        if self.downloads < 1 or self.unpackers < 1:
            raise ValueError("downloads and unpackers are at least 1")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> ToolchainConfig:
        """``WARP2WAVE_CACHE_DIR``, ``WARP2WAVE_DEBIAN_MIRROR`` (space-separated), ``WARP2WAVE_TOOLCHAIN_LAYERS``
        (comma-separated) and ``WARP2WAVE_KEEP_ARCHIVES=1``."""
        return cls(
            cache=cache_folder(environment),
            mirrors=tuple(environment.get("WARP2WAVE_DEBIAN_MIRROR", "").split()),
            layers=_split(environment.get("WARP2WAVE_TOOLCHAIN_LAYERS", "")) or ("core",),
            keep_archives=environment.get("WARP2WAVE_KEEP_ARCHIVES", "") == "1",
        )

    @property
    def store(self) -> Path:
        return self.cache / "toolchain"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """``WARP2WAVE_CACHE_DIR``, else ``warp2wave`` in the user's cache folder. Absolute."""
    if chosen := environment.get("WARP2WAVE_CACHE_DIR"):
        return Path(chosen).expanduser().absolute()
    base = environment.get("XDG_CACHE_HOME") or ""
    # The XDG specification says that a relative path is to be ignored.
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "warp2wave"


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
