"""ROCm and CUDA compilers and runtimes, pinned, verified and unpacked without root rights.

``packages.lock`` (Debian packages) and ``cuda.lock`` (Python wheels) name every byte; ``ensure_toolchain`` makes a
root filesystem of them in the user's cache.
"""

from sandbox.toolchain.config import ToolchainConfig, cache_folder
from sandbox.toolchain.toolchain import (
    CACHE_MOUNT,
    CUDA_MOUNT,
    DEVICES_MOUNT,
    REPORT_MOUNT,
    RUN_MOUNT,
    WORK_MOUNT,
    Toolchain,
    ensure_root,
    ensure_toolchain,
    find_toolchain,
    require_toolchain,
)

__all__ = [
    "CACHE_MOUNT",
    "CUDA_MOUNT",
    "DEVICES_MOUNT",
    "REPORT_MOUNT",
    "RUN_MOUNT",
    "WORK_MOUNT",
    "Toolchain",
    "ToolchainConfig",
    "cache_folder",
    "ensure_root",
    "ensure_toolchain",
    "find_toolchain",
    "require_toolchain",
]
