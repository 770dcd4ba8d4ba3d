"""Fetch packages over HTTP: mirror after mirror, continuing partial files, verified by SHA-256."""

from __future__ import annotations

import hashlib
import http.client
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from sandbox.toolchain.errors import DownloadError, HashMismatchError
from sandbox.toolchain.lock import Package

_CHUNK = 256 << 10
_TIMEOUT_SECONDS = 30.0
_ATTEMPTS = 3
_NETWORK_ERRORS = (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError)

OnBytes = Callable[[int], None]


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
        self._on_bytes = on_bytes
        self._pause_seconds = pause_seconds
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Make downloads in progress end soon with ``Cancelled``; what has arrived stays for the next time."""
        self._cancelled.set()

    def fetch(self, package: Package) -> Path:
        """The verified archive. Raises HashMismatchError, DownloadError, or OSError from the disk."""
        target = self._folder / f"{package.sha256}.deb"
        partial = target.with_suffix(".part")
        if target.is_file() and target.stat().st_size == package.size and hash_file(target) == package.sha256:
            self._on_bytes(package.size)
            return target
        failures: list[str] = []
        mismatched = False
        for mirror in self._mirrors:
            try:
                self._fetch_from(mirror, package, partial)
                partial.replace(target)
                return target
            except HashMismatchError as error:
                mismatched = True
                failures.append(str(error))
            except DownloadError as error:
                failures.append(str(error))
        raise self._all_failed(package, failures, mismatched)

    def _fetch_from(self, mirror: str, package: Package, partial: Path) -> None:
        url = f"{mirror}/{quote(str(PurePosixPath(package.path)))}"
        for attempt in range(_ATTEMPTS):
            try:
                if self._transfer(url, package, partial):
                    self._verify(url, package, partial)
                    return
                reason = "the connection ended early"
            except urllib.error.HTTPError as error:
                error.close()
                if error.code not in (408, 429) and error.code < 500:
                    raise DownloadError(f"{url}: {error.code} {error.reason}") from error
                reason = f"{error.code} {error.reason}"
            except _NETWORK_ERRORS as error:
                reason = str(getattr(error, "reason", error)) or type(error).__name__
                if _is_hopeless(error):
                    break
            self._cancelled.wait(self._pause_seconds * (attempt + 1) if attempt + 1 < _ATTEMPTS else 0)
        raise DownloadError(f"{url}: {reason}")

    def _transfer(self, url: str, package: Package, partial: Path) -> bool:
        """Append to ``partial`` what is missing. False if the connection ended early."""
        have = partial.stat().st_size if partial.exists() else 0
        if have > package.size:
            partial.unlink()
            have = 0
        if have == package.size:
            self._on_bytes(have)
            return True
        request = urllib.request.Request(url, headers={"User-Agent": "warp2wave"})
        if have:
            request.add_header("Range", f"bytes={have}-")
        with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:
            resumed = response.status == 206 and _starts_at(response.headers.get("Content-Range"), have)
            counted = have if resumed else 0
            self._on_bytes(counted)
            try:
                with partial.open("ab" if resumed else "wb") as stream:
                    while counted < package.size and (chunk := response.read(_CHUNK)):
                        self._check_cancelled()
                        stream.write(chunk)
                        counted += len(chunk)
                        self._on_bytes(len(chunk))
            finally:
                if counted != package.size:
                    self._on_bytes(-counted)
        return counted >= package.size

    def _verify(self, url: str, package: Package, partial: Path) -> None:
        digest = hash_file(partial)
        if digest == package.sha256:
            return
        self._on_bytes(-partial.stat().st_size)
        partial.unlink()
        raise HashMismatchError(f"{url}: SHA-256 is {digest}, the lock says {package.sha256}", package=package.name)

    def _check_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled

    def _all_failed(self, package: Package, failures: list[str], mismatched: bool) -> DownloadError:
        tried = "".join(f"\n  {failure}" for failure in failures)
        message = f"no mirror gave {package.name} {package.version}:{tried}\n"
        if mismatched:
            hint = "a mirror or a proxy changes packages; set WARP2WAVE_DEBIAN_MIRROR to one that you trust"
            return HashMismatchError(message, hint=hint, package=package.name)
        hint = "check the network, or set WARP2WAVE_DEBIAN_MIRROR to a Debian mirror in reach; run it again to continue"
        return DownloadError(message, hint=hint, package=package.name)


def hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _starts_at(content_range: str | None, offset: int) -> bool:
    return (content_range or "").startswith(f"bytes {offset}-")


def _is_hopeless(error: BaseException) -> bool:
    """Whether trying the same mirror again is a waste: its name does not resolve or nobody listens."""
    reason = getattr(error, "reason", error)
    return isinstance(reason, ConnectionRefusedError) or type(reason).__name__ == "gaierror"
