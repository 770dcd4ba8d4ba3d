"""Mangled names as people write them, told by the toolchain's own demangler."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox.cancellation import NEVER, Cancellation
from sandbox.execution.workbench import TOOL_ENVIRONMENT, Workbench
from sandbox.isolation.protocol import Command, Limits

_LIMITS = Limits(memory_bytes=1 << 30, pids=8, cpu_seconds=10, wall_seconds=20)
_LONGEST = 4096


def demangle(bench: Workbench, names: Iterable[str], cancellation: Cancellation = NEVER) -> dict[str, str]:
    """The demangled form of each name. Names come from programs: what is no plain word is left out."""
    asked = sorted({name for name in names if name.isascii() and name.isprintable() and len(name) <= _LONGEST})
    if not asked:
        return {}
    command = Command(
        argv=("llvm-cxxfilt-22",),
        root=bench.toolchain.root,
        env=TOOL_ENVIRONMENT,
        stdin="".join(f"{name}\n" for name in asked).encode(),
    )
    answers = bench.run(command, _LIMITS, cancellation).stdout.decode("utf-8", "replace").splitlines()
    return dict(zip(asked, answers, strict=False)) if len(answers) == len(asked) else {}
