"""What can go wrong with the toolchain.

ToolchainError
├── LockError          a lock or layout file is malformed
├── DownloadError      no mirror gave a package
├── HashMismatchError  what a mirror gave is not what the lock names
├── ArchiveError       a package is damaged, hostile or of a kind that is not supported
├── DiskSpaceError     the cache's file system is too full
├── CudaInstallError   the CUDA compiler could not be installed
└── NotFetchedError    the toolchain is not here and was not to be fetched
"""

from __future__ import annotations

from sandbox.errors import ToolchainError


class LockError(ToolchainError):
    code = "toolchain-lock"
    retryable = False


class DownloadError(ToolchainError):
    code = "toolchain-download"


class HashMismatchError(DownloadError):
    code = "toolchain-hash"


class ArchiveError(ToolchainError):
    code = "toolchain-archive"
    retryable = False


class DiskSpaceError(ToolchainError):
    code = "toolchain-disk"


class CudaInstallError(ToolchainError):
    code = "toolchain-cuda"


class NotFetchedError(ToolchainError):
    code = "toolchain-missing"
    retryable = False
