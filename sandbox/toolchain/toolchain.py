"""The toolchain that programs are built and run with, found in the cache or fetched into it."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.errors import ToolchainError
from sandbox.progress import Progress, ProgressEvent, ignore
from sandbox.toolchain.config import ToolchainConfig
from sandbox.toolchain.cuda import CUDA_HOME, INSTALLED_BYTES, cuda_digest, install_cuda
from sandbox.toolchain.errors import DiskSpaceError, NotFetchedError
from sandbox.toolchain.lock import read_lock
from sandbox.toolchain.root import build_root, digest_of
from sandbox.toolchain.store import built, check_space, folder_of, link_tree, locked

# Where a sandbox sees what is mounted into the root; the folders exist in it.
CUDA_MOUNT = PurePosixPath("/opt/cuda")  # ``Toolchain.cuda``
DEVICES_MOUNT = PurePosixPath("/opt/w2w")  # the virtual devices' libraries and translators
CACHE_MOUNT = PurePosixPath("/cache")  # the translation cache
RUN_MOUNT = PurePosixPath("/run/w2w")  # sockets
REPORT_MOUNT = PurePosixPath("/run/report")  # fault reports
WORK_MOUNT = PurePosixPath("/work")  # sources, programs and their files

_ROOT_NAME = "root"
_CUDA_NAME = "cuda"


@dataclass(frozen=True)
class Toolchain:
    """An unpacked toolchain; every path is absolute and what lies there is never written to.

    ``root`` is the root filesystem with ROCm and the host compilers; ``cuda`` holds NVIDIA's ``bin/``,
    ``include/``, ``lib/`` and ``nvvm/`` and belongs at ``CUDA_MOUNT``. Digests are SHA-256 in hex.
    """

    root: Path
    cuda: Path
    digest: str
    cuda_digest: str
    layers: tuple[str, ...]


def find_toolchain(config: ToolchainConfig) -> Toolchain | None:
    """The toolchain that the lock files name, if the cache holds it whole; takes milliseconds."""
    packages = read_lock(config.lock_file).select(config.layers)
    toolchain = _toolchain(config, digest_of(packages), cuda_digest())
    return toolchain if toolchain.root.is_dir() and toolchain.cuda.is_dir() else None


def require_toolchain(config: ToolchainConfig) -> Toolchain:
    """Like ``find_toolchain``, but raises NotFetchedError."""
    toolchain = find_toolchain(config)
    if toolchain is None:
        raise NotFetchedError(f"the toolchain is not in {config.store}", hint="python -m sandbox.toolchain fetch")
    return toolchain


def ensure_toolchain(config: ToolchainConfig, progress: Progress = ignore) -> Toolchain:
    """The toolchain, fetched and unpacked first if the cache lacks it (minutes).

    Safe to call from several processes at once: one works, the others wait for it. Raises a ToolchainError.
    """
    found = find_toolchain(config)
    if found is not None:
        return found
    with _writing(config, progress):
        _ensure_root(config, config.layers, progress)
        _ensure_cuda(config, progress)
    return require_toolchain(config)


def ensure_root(config: ToolchainConfig, progress: Progress = ignore) -> Path:
    """Only the root filesystem, as an image holds it: without NVIDIA's files. Otherwise like ``ensure_toolchain``."""
    with _writing(config, progress):
        return _ensure_root(config, config.layers, progress)


def _toolchain(config: ToolchainConfig, digest: str, cuda: str) -> Toolchain:
    return Toolchain(
        root=folder_of(config.store, digest) / _ROOT_NAME,
        cuda=folder_of(config.store, cuda) / _CUDA_NAME / CUDA_HOME,
        digest=digest,
        cuda_digest=cuda,
        layers=config.layers,
    )


def _ensure_root(config: ToolchainConfig, layers: tuple[str, ...], progress: Progress) -> Path:
    lock = read_lock(config.lock_file)
    packages = lock.select(layers)
    folder = folder_of(config.store, digest_of(packages))
    root = folder / _ROOT_NAME
    if root.is_dir():
        return root
    # More layers go on top of the core that is there already.
    base = _ensure_root(config, ("core",), progress) if layers != ("core",) else None
    missing = [each for each in packages if base is None or each.layer != "core"]
    check_space(config.store, sum(each.size + each.installed for each in missing), "the toolchain")
    with built(folder) as partial:
        if base is not None:
            link_tree(base, partial / _ROOT_NAME)
        build_root(partial / _ROOT_NAME, missing, config, lock.snapshot, progress)
    return root


def _ensure_cuda(config: ToolchainConfig, progress: Progress) -> None:
    folder = folder_of(config.store, cuda_digest())
    if folder.is_dir():
        return
    check_space(config.store, INSTALLED_BYTES, "the CUDA compiler")
    started = time.monotonic()
    progress(ProgressEvent(stage="toolchain-cuda", status="started", message="CUDA compiler, by uv"))
    with built(folder) as partial:
        install_cuda(partial / _CUDA_NAME)
    seconds = time.monotonic() - started
    progress(ProgressEvent(stage="toolchain-cuda", status="finished", fraction=1.0, seconds=seconds))


@contextmanager
def _writing(config: ToolchainConfig, progress: Progress) -> Iterator[None]:
    """Hold the store's lock; what the disk does becomes a ToolchainError."""

    def tell_waiting() -> None:
        progress(ProgressEvent(stage="toolchain-fetch", status="running", message="another process fetches it"))

    try:
        with locked(config.store, tell_waiting):
            yield
    except OSError as error:
        raise _explain(error, config.store) from error


def _explain(error: OSError, store: Path) -> ToolchainError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskSpaceError(
            f"{store}: {error.strerror} while the toolchain was written",
            hint="make room, or set WARP2WAVE_CACHE_DIR to a folder on a larger disk; run it again to continue",
        )
    return ToolchainError(
        f"{error.filename or store}: {error.strerror}",
        hint="WARP2WAVE_CACHE_DIR names the folder that the toolchain is kept in",
    )
