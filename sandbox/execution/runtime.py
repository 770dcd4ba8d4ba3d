"""The virtual devices' libraries, compiled once for each version of their sources and of the toolchain.

They are built inside a sandbox from ``sandbox/vgpu`` as ``libraries.toml`` says, and kept in the cache together with
the translators' Python, so that one read-only mount (``/opt/w2w``) holds all that a program or the translator needs.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

from sandbox.errors import ToolchainError
from sandbox.execution.cpu import instruction_set_level
from sandbox.execution.devices import load_devices
from sandbox.execution.files import fresh_folder, sha256_of
from sandbox.execution.workbench import TOOL_ENVIRONMENT, Workbench
from sandbox.isolation.protocol import Command, Limits, Mount
from sandbox.models import Device, Side
from sandbox.progress import Progress, ProgressEvent
from sandbox.toolchain import DEVICES_MOUNT, WORK_MOUNT

SOURCES = Path(__file__).resolve().parents[1] / "vgpu"
_LIMITS = Limits(memory_bytes=6 << 30, pids=64, cpu_seconds=900, wall_seconds=600)
_FIRST_STREAM = Path(__file__).with_name("first_stream.c")
_STAGE = "virtual devices"
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


class Library(BaseModel):
    """One row of ``libraries.toml``; paths and globs are relative to ``sandbox/vgpu``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    output: str
    sources: tuple[str, ...]
    compiler: str
    flags: tuple[str, ...]
    include: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    soname: str = ""
    version_script: str = ""


@dataclass(frozen=True)
class VirtualRuntime:
    """A finished set: ``folder`` holds ``lib`` and ``vgpu``; ``digest`` names its version."""

    folder: Path
    digest: str
    march: str

    def mount(self) -> Mount:
        return Mount(self.folder, DEVICES_MOUNT)

    def mounts(self, device: Device) -> tuple[Mount, ...]:
        """What a program on ``device`` sees of us."""
        return (self.mount(),)

    def environment(self, device: Device) -> dict[str, str]:
        paths = [f"{DEVICES_MOUNT}/lib"]
        environment = {"LD_LIBRARY_PATH": ":".join(paths), "W2W_TARGET": device.target}
        if device.side is Side.HIP:
            environment |= {"HIP_PLATFORM": "amd", "AMD_COMGR_CACHE_DIR": f"{DEVICES_MOUNT}/comgr"}
        return environment

    def recorder(self, device: Device, folder: PurePosixPath) -> dict[str, str]:
        """Environment that makes a program on ``device`` record into ``folder``, a path that it sees."""
        side = "hip" if device.side is Side.HIP else "cuda"
        return {"LD_PRELOAD": f"{DEVICES_MOUNT}/lib/libw2w-record-{side}.so", "W2W_RECORD": str(folder)}

    def translator_arguments(self) -> tuple[str, ...]:
        return (f"--march={self.march}", f"--helpers={DEVICES_MOUNT}/lib")


def build_runtime(bench: Workbench, progress: Progress) -> VirtualRuntime:
    """The runtime for this toolchain and CPU, compiled if it is not there yet. Raises ToolchainError."""
    march = instruction_set_level()
    digest = sha256_of("runtime-2", bench.toolchain.digest, bench.toolchain.cuda_digest, march, *_contents())
    folder = bench.cache / "runtime" / digest[:24]
    runtime = VirtualRuntime(folder=folder, digest=digest, march=march)
    if folder.is_dir():
        return runtime
    started = time.monotonic()
    progress(ProgressEvent(stage=_STAGE, status="started", message="compiling"))
    staging = fresh_folder(bench.cache / "runtime" / f"unfinished-{os.getpid()}-{time.monotonic_ns()}")
    try:
        _compile(bench, staging, march, progress)
        _publish(staging, folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    progress(ProgressEvent(stage=_STAGE, status="finished", seconds=time.monotonic() - started))
    return runtime


def load_libraries() -> dict[str, Library]:
    tables = tomllib.loads((SOURCES / "libraries.toml").read_text())
    return {name: Library.model_validate(table) for name, table in tables.items()}


def _contents() -> Iterator[str | bytes]:
    for path in _files():
        yield str(path.relative_to(SOURCES))
        yield path.read_bytes()


def _files() -> list[Path]:
    return sorted(p for p in SOURCES.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def _publish(staging: Path, folder: Path) -> None:
    shutil.rmtree(staging / "objects")
    for path in staging.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    staging.chmod(0o755)
    try:
        staging.rename(folder)
    except OSError:  # another process was first
        if not folder.is_dir():
            raise


def _compile(bench: Workbench, staging: Path, march: str, progress: Progress) -> None:
    for path in _files():
        copy = staging / "vgpu" / path.relative_to(SOURCES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    for name in ("lib", "objects", "comgr"):
        (staging / name).mkdir()
        (staging / name).chmod(0o777)
    libraries = load_libraries()
    toolchain = sha256_of(bench.toolchain.digest, bench.toolchain.cuda_digest)
    jobs = [job for name, library in libraries.items() for job in _compile_jobs(name, library, march)]
    done = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for _ in pool.map(lambda job: _compile_object(bench, staging, job, toolchain), jobs):
            done += 1
            progress(ProgressEvent(stage=_STAGE, status="running", fraction=done / (len(jobs) + 1)))
    for name, library in libraries.items():
        _call(bench, staging, _link_job(name, library))
    _fill_comgr_cache(bench, staging)


def included_files(source: Path, root: Path = SOURCES) -> list[Path]:
    """``source`` and every file below ``root`` that it includes, whatever the preprocessor would leave out."""
    found: dict[Path, None] = {}
    work = [source]
    while work:
        path = work.pop()
        if path in found:
            continue
        found[path] = None
        for name in _INCLUDE.findall(path.read_text()):
            candidates = (path.parent / name, root / name)
            work += [c.resolve() for c in candidates if c.is_file()][:1]
    return sorted(found)


@dataclass(frozen=True)
class _CompileJob:
    source: str
    output: str
    command: tuple[str, ...]


def _compile_jobs(name: str, library: Library, march: str) -> list[_CompileJob]:
    # Absolute ones lie in the toolchain: joining keeps them as they are.
    include = tuple(f"-I{WORK_MOUNT / 'vgpu' / folder}" for folder in library.include)
    jobs = []
    for source in _sources(library):
        output = _object_name(name, source)
        flags = (*library.flags, f"-march={march}", *include)
        arguments = ("-c", f"{WORK_MOUNT}/vgpu/{source}", "-o", f"{WORK_MOUNT}/objects/{output}")
        jobs.append(_CompileJob(source, output, (library.compiler, *flags, *arguments)))
    return jobs


def _compile_object(bench: Workbench, staging: Path, job: _CompileJob, toolchain: str) -> None:
    """Compile one source, or take the object that the same source, headers and command gave before."""
    # The copies that are compiled, not the files that somebody may be editing.
    root = (staging / "vgpu").resolve()
    files = included_files(root / job.source, root)
    texts = [part for path in files for part in (str(path.relative_to(root)), path.read_bytes())]
    key = sha256_of("object-3", toolchain, *job.command, *texts)
    kept = bench.cache / "objects" / f"{key}.o"
    finished = staging / "objects" / job.output
    if not kept.is_file():
        _call(bench, staging, job.command)
        kept.parent.mkdir(exist_ok=True)
        partial = kept.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        shutil.copyfile(finished, partial)
        partial.rename(kept)
    else:
        shutil.copyfile(kept, finished)


def _link_job(name: str, library: Library) -> tuple[str, ...]:
    objects = tuple(f"{WORK_MOUNT}/objects/{_object_name(name, source)}" for source in _sources(library))
    output = ("-o", f"{WORK_MOUNT}/lib/{library.output}")
    if library.output.endswith(".bc"):
        return ("llvm-link-22", *objects, *output)
    soname = (f"-Wl,-soname,{library.soname}",) if library.soname else ()
    script = (f"-Wl,--version-script={WORK_MOUNT}/vgpu/{library.version_script}",) if library.version_script else ()
    return (library.compiler, *objects, *soname, *script, *library.link_flags, *output)


def _fill_comgr_cache(bench: Workbench, staging: Path) -> None:
    """Let AMD's runtime compile its own kernels once, for every virtual GPU, where programs will look for them."""
    shutil.copyfile(_FIRST_STREAM, staging / "objects" / _FIRST_STREAM.name)
    program = f"{WORK_MOUNT}/objects/first_stream"
    source = f"{WORK_MOUNT}/objects/{_FIRST_STREAM.name}"
    _call(bench, staging, ("clang-22", "-D__HIP_PLATFORM_AMD__", source, "-lamdhip64", "-o", program))
    for device in sorted({d.name: d for d in load_devices().values()}.values(), key=lambda d: d.name):
        if device.side is Side.HIP:
            environment = {
                "LD_LIBRARY_PATH": f"{WORK_MOUNT}/lib",
                "W2W_TARGET": device.target,
                "AMD_COMGR_CACHE_DIR": f"{WORK_MOUNT}/comgr",
            }
            _call(bench, staging, (program,), environment)


def _sources(library: Library) -> list[str]:
    """Relative paths, in order. Raises ToolchainError for a pattern that finds nothing."""
    found: dict[str, None] = {}
    for pattern in library.sources:
        paths = sorted(SOURCES.glob(pattern))
        if not paths:
            raise ToolchainError(f"libraries.toml: nothing matches {pattern}", hint="the installation is damaged")
        found.update({str(path.relative_to(SOURCES)): None for path in paths})
    return list(found)


def _object_name(library: str, source: str) -> str:
    return f"{library}-{source.replace('/', '-')}.o"


def _call(
    bench: Workbench, staging: Path, argv: tuple[str, ...], environment: Mapping[str, str] = MappingProxyType({})
) -> None:
    command = Command(
        argv=argv,
        root=bench.toolchain.root,
        cwd=WORK_MOUNT,
        env={**TOOL_ENVIRONMENT, **environment},
        mounts=(Mount(staging, WORK_MOUNT, writable=True), bench.cuda_mount()),
    )
    done = bench.sandbox.run(command, _LIMITS)
    if done.exit_code != 0:
        said = (done.stderr + done.stdout).decode("utf-8", "replace")[-4000:]
        cause = f"ended by the {done.limit} limit" if done.limit else f"exit code {done.exit_code}"
        raise ToolchainError(f"the virtual devices do not compile ({cause}): {' '.join(argv[-3:])}\n{said}")
