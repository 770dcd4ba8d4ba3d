"""Compile a program for one side, inside a sandbox, once per content.

A finished build is kept in the cache under the hash of everything that made it: sources, command, toolchain.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from sandbox.cancellation import NEVER, Cancellation
from sandbox.errors import IsolationError
from sandbox.execution.code_objects import PROGRAM, UNFINISHED, inspect_program
from sandbox.execution.diagnostics import parse_diagnostics
from sandbox.execution.files import fresh_folder, remove_tree, sha256_of, sha256_of_file, write_files
from sandbox.execution.workbench import COMPILE_LIMITS, TOOL_ENVIRONMENT, Workbench
from sandbox.isolation.protocol import Command, Mount
from sandbox.models import Build, KernelFacts, Side
from sandbox.toolchain import CUDA_MOUNT, WORK_MOUNT

# The device code as hipcc makes it by default. Host code is not what is under test, nvcc leaves it unoptimised too, and
# clang's -O3 can take minutes on a plain loop of comparisons.
_OPTIMISE = ("-O3", "-Xarch_host", "-O1")


@dataclass(frozen=True)
class Recipe:
    """What to compile and how. ``files`` are (relative path, bytes); ``main_files`` go to the compiler."""

    files: tuple[tuple[str, bytes], ...]
    main_files: tuple[str, ...]
    standard: str = "c++17"
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


def build_program(
    bench: Workbench, recipe: Recipe, side: Side, target: str, cancellation: Cancellation = NEVER
) -> Build:
    """Compile ``recipe``; ``Build.ok`` tells whether it worked, ``Build.program`` where the result is.

    A compiler that fails, or hits a limit, is a result; only a sandbox that cannot start raises.
    """
    command = _command(recipe, side, target)
    toolchain = bench.toolchain.cuda_digest if side is Side.CUDA else bench.toolchain.digest
    parts = [part for name, data in sorted(recipe.files) for part in (name, data)]
    key = sha256_of("build-2", side, target, bench.toolchain.digest, toolchain, *command, "--", *parts)
    kept = bench.cache / "builds" / key[:2] / key
    if (build := _load(kept)) is not None:
        return build
    base = fresh_folder(bench.cache / UNFINISHED / f"{os.getpid()}-{time.monotonic_ns()}")
    base.chmod(0o755)
    try:
        folder = fresh_folder(base / "work")
        build = _compile(bench, recipe, side, target, toolchain, command, folder, cancellation)
        return _keep(build, folder, base / "kept", kept)
    finally:
        remove_tree(base)


def _command(recipe: Recipe, side: Side, target: str) -> tuple[str, ...]:
    common = [f"-std={recipe.standard}", *(f"-I{d}" for d in recipe.include_dirs)]
    common += [f"-D{d}" for d in recipe.defines]
    if side is Side.CUDA:
        # PTX is what the virtual device executes; no SASS is needed, so ptxas does not run.
        arch = target.replace("sm_", "compute_")
        tool = [f"{CUDA_MOUNT}/bin/nvcc", f"-arch={arch}", f"-code={arch}", "-cudart", "shared", "-lineinfo"]
        # Language extensions that hipcc grants without asking.
        tool += ["--extended-lambda", "--expt-relaxed-constexpr", f"-L{CUDA_MOUNT}/lib"]
    else:
        tool = ["hipcc", f"--offload-arch={target}", *_OPTIMISE, "-gline-tables-only", "-Wno-unused-value"]
    # A name that begins with a dash is a file all the same.
    mains = (f"./{name}" if name.startswith("-") else name for name in recipe.main_files)
    return (*tool, *common, *recipe.flags, *mains, "-o", PROGRAM)


def _compile(
    bench: Workbench,
    recipe: Recipe,
    side: Side,
    target: str,
    toolchain: str,
    command: tuple[str, ...],
    folder: Path,
    cancellation: Cancellation,
) -> Build:
    write_files(folder, recipe.files)
    mounts = (Mount(folder, WORK_MOUNT, writable=True), *((bench.cuda_mount(),) if side is Side.CUDA else ()))
    inside = Command(argv=command, root=bench.toolchain.root, cwd=WORK_MOUNT, env=TOOL_ENVIRONMENT, mounts=mounts)
    done = bench.run(inside, COMPILE_LIMITS, cancellation)
    log = (done.stdout + done.stderr).decode("utf-8", "replace")
    program = folder / PROGRAM
    ok = done.exit_code == 0 and program.is_file() and not program.is_symlink()
    build = Build(
        side=side,
        target=target,
        ok=ok,
        command=command,
        toolchain=toolchain,
        diagnostics=parse_diagnostics(log),
        log=log[-200_000:],
        limit=done.limit,
        program=str(program) if ok else "",
        program_sha256=sha256_of_file(program) if ok else "",
        seconds=done.usage.wall_seconds,
    )
    return _add_code_object(bench, build, folder, cancellation) if ok and side is Side.HIP else build


def _add_code_object(bench: Workbench, build: Build, folder: Path, cancellation: Cancellation) -> Build:
    """Read the code object's hash and kernel facts, with a parser that runs inside a sandbox too."""
    done = inspect_program(bench, folder, build.target, cancellation)
    if done.exit_code != 0:
        note = done.stderr.decode("utf-8", "replace")[-2000:]
        return build.model_copy(update={"ok": False, "log": f"{build.log}\nthe program cannot be read: {note}"})
    try:
        facts = json.loads(done.stdout)
        kernels = tuple(KernelFacts.model_validate(kernel) for kernel in facts["kernels"])
        sha256 = str(facts["code_object_sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise IsolationError(f"the program inspector answered nonsense: {error}") from error
    return build.model_copy(update={"code_object_sha256": sha256, "kernels": kernels})


def _keep(build: Build, folder: Path, staging: Path, kept: Path) -> Build:
    """Move a finished build into the cache. A build that a limit ended is not kept: it may pass next time."""
    if build.limit is not None:
        return build
    staging.mkdir(mode=0o755)
    if build.ok:
        shutil.copyfile(folder / PROGRAM, staging / PROGRAM)
        (staging / PROGRAM).chmod(0o755)
        build = build.model_copy(update={"program": str(kept / PROGRAM)})
    (staging / "build.json").write_text(build.model_dump_json(by_alias=True))
    kept.parent.mkdir(parents=True, exist_ok=True)
    try:
        staging.rename(kept)
    except OSError:  # another process kept the same build first
        if not (kept / "build.json").is_file():
            raise
    return build


def _load(kept: Path) -> Build | None:
    try:
        build = Build.model_validate_json((kept / "build.json").read_text())
    except (OSError, ValidationError):
        return None
    if build.ok and (not Path(build.program).is_file() or sha256_of_file(Path(build.program)) != build.program_sha256):
        remove_tree(kept)
        return None
    return build
