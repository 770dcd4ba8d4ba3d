"""The device code inside programs that hipcc built. Programs are hostile bytes: they are parsed inside a sandbox."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path

from sandbox.cancellation import NEVER, Cancellation
from sandbox.errors import ToolchainError
from sandbox.execution.files import fresh_folder, read_regular_file, remove_tree
from sandbox.execution.workbench import TOOL_ENVIRONMENT, Workbench
from sandbox.isolation.protocol import Command, Completed, Limits, Mount
from sandbox.models import Build
from sandbox.toolchain import WORK_MOUNT

PROGRAM = "program"
UNFINISHED = "unfinished"
_INSPECTOR = Path(__file__).with_name("inspect_program.py")
_LIMITS = Limits(memory_bytes=2 << 30, pids=16, cpu_seconds=60, wall_seconds=60)
_LARGEST = 512 << 20


def inspect_program(
    bench: Workbench, folder: Path, target: str, cancellation: Cancellation = NEVER, *, extract: bool = False
) -> Completed:
    """Facts about the code objects for ``target`` in ``folder``'s program, as JSON on stdout. ``extract``: they are
    also written to the folder, as files 0, 1..."""
    inside = Command(
        argv=("python3", "-I", "-", PROGRAM, target, *((str(WORK_MOUNT),) if extract else ())),
        root=bench.toolchain.root,
        cwd=WORK_MOUNT,
        env=TOOL_ENVIRONMENT,
        mounts=(Mount(folder, WORK_MOUNT, writable=extract),),
        stdin=_INSPECTOR,
    )
    return bench.run(inside, _LIMITS, cancellation)


def extract_code_objects(bench: Workbench, build: Build, cancellation: Cancellation = NEVER) -> list[bytes]:
    """The code objects that ``build.code_object_sha256`` names, in order. Raises ToolchainError if the program has
    others by now."""
    base = fresh_folder(bench.cache / UNFINISHED / f"{os.getpid()}-{time.monotonic_ns()}")
    base.chmod(0o755)
    try:
        folder = fresh_folder(base / "work")
        shutil.copyfile(build.program, folder / PROGRAM)
        inspect_program(bench, folder, build.target, cancellation, extract=True)
        found: list[bytes] = []
        while data := read_regular_file(folder / str(len(found)), _LARGEST):
            found.append(data)
    finally:
        remove_tree(base)
    digest = hashlib.sha256(b"".join(hashlib.sha256(data).digest() for data in found)).hexdigest()
    if not found or digest != build.code_object_sha256:
        raise ToolchainError("the program's code objects are not those that were built")
    return found
