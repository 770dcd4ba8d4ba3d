"""How a translation is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from agents.hipify.tables import Dialect


@dataclass(frozen=True)
class Options:
    """What ``warp2wave hipify`` offers beyond the port that ``warp2wave port`` makes."""

    dialect: Dialect = Dialect()
    fix_faults: bool = True
    """False: renames alone."""
    hip_launches: bool = False
    """``hipLaunchKernelGGL`` instead of ``<<<>>>``."""
    skip_excluded: bool = False
    """Leave branches alone that the preprocessor of a CUDA build would skip."""
    always_runtime: bool = False
    """Include the runtime's header even where nothing of CUDA is used, as nvcc does."""
    targets: tuple[str, ...] = ("gfx942", "gfx950")
    defines: tuple[str, ...] = ()
    """``NAME`` or ``NAME=VALUE``, as for a compiler."""
