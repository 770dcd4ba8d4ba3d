"""Fetch packages: mirror after mirror, continuing partial files, verified by SHA-256."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from urllib.parse import quote

from sandbox.toolchain.errors import DownloadError, HashMismatchError
from sandbox.toolchain.lock import Package
from sandbox.toolchain.transfer import OnBytes, TransferError, transfer

_ATTEMPTS = 3


class Cancelled(Exception):
    """Another package failed, so that this one is not needed any more."""


class Downloader:
    """Fetches into ``folder``. Safe to use from many threads, for different packages.

    ``on_bytes`` is told of every piece that has arrived (or was there already), and of those thrown away
    again as a negative number.
    """

    def __init__(
        self, folder: Path, mirrors: tuple[str, ...], on_bytes: OnBytes, *, pause_seconds: float = 1.0
    ) -> None:
        self._folder = folder
        self._mirrors = mirrors
        self._count = on_bytes
        self._pause_seconds = pause_seconds
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Make downloads in progress end soon with ``Cancelled``; what has arrived stays for the next time."""
        self._cancelled.set()

    def fetch(self, package: Package) -> Path:
        """The verified archive. Raises HashMismatchError, DownloadError, or OSError from the disk."""
        target = self._folder / archive_name(package)
        if target.is_file() and target.stat().st_size == package.size and hash_file(target) == package.sha256:
            self._count(package.size)
            return target
        partial = target.with_suffix(".part")
        failures: list[DownloadError] = []
        for mirror in self._mirrors:
            try:
                self._fetch_from(f"{mirror}/{quote(package.path)}", package, partial)
            except DownloadError as error:
                failures.append(error)
            else:
                return partial.replace(target)
        raise _all_failed(package, failures)

    def _fetch_from(self, url: str, package: Package, partial: Path) -> None:
        for attempt in range(_ATTEMPTS):
            self._check_cancelled()
            try:
                fresh = transfer(url, partial, package.size, self._on_bytes)
            except TransferError as error:
                if not error.again or attempt == _ATTEMPTS - 1:
                    raise DownloadError(f"{url}: {error}") from error
                self._cancelled.wait(self._pause_seconds * (attempt + 1))
                continue
            digest = hash_file(partial)
            if digest == package.sha256:
                return
            partial.unlink()
            self._count(-package.size)
            # What was continued may have begun badly, which is not this mirror's doing.
            if fresh:
                raise HashMismatchError(f"{url}: SHA-256 is {digest}, not the lock's {package.sha256}")
        raise HashMismatchError(f"{url}: does not have the lock's SHA-256 {package.sha256}")

    def _on_bytes(self, count: int) -> None:
        self._count(count)
        if count >= 0:
            self._check_cancelled()

    def _check_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled


def archive_name(package: Package) -> str:
    return f"{package.sha256}.deb"


def hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _all_failed(package: Package, failures: list[DownloadError]) -> DownloadError:
    tried = "".join(f"\n  {failure.message}" for failure in failures)
    message = f"no mirror gave {package.name} {package.version}:{tried}\n"
    if any(isinstance(failure, HashMismatchError) for failure in failures):
        hint = "a mirror or a proxy changes packages; set WARP2WAVE_DEBIAN_MIRROR to one that you trust"
        return HashMismatchError(message, hint=hint, package=package.name)
    hint = "check the network, or set WARP2WAVE_DEBIAN_MIRROR to a Debian mirror in reach; run it again to continue"
    return DownloadError(message, hint=hint, package=package.name)
