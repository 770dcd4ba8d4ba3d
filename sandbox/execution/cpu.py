"""What the host CPU can execute, as a level that compilers know."""

from __future__ import annotations

from functools import cache
from pathlib import Path

# x86-64 psABI, "micro-architecture levels": what each level needs beyond the one before it.
_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}
_V4 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}


@cache
def instruction_set_level() -> str:
    """``x86-64-v4``, ``-v3`` or ``-v2``, from /proc/cpuinfo."""
    flags: set[str] = set()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            flags = set(line.split(":", 1)[1].split())
            break
    if flags >= _V3 | _V4:
        return "x86-64-v4"
    return "x86-64-v3" if flags >= _V3 else "x86-64-v2"
