"""One transfer of one file by HTTP, continued where an earlier one stopped."""

from __future__ import annotations

import http.client
import re
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CHUNK = 256 << 10
_TIMEOUT_SECONDS = 20.0
_TEMPORARY_STATUSES = (408, 425, 429)
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")

OnBytes = Callable[[int], None]


class TransferError(Exception):
    """Why a transfer failed; ``again`` says whether trying the same address again can help."""

    def __init__(self, reason: str, *, again: bool) -> None:
        super().__init__(reason)
        self.again = again


def transfer(url: str, target: Path, size: int, on_bytes: OnBytes) -> bool:
    """Append to ``target`` what it lacks of the ``size`` bytes at ``url``.

    True if all of it came in this transfer, False if it continued what was there. ``on_bytes`` is told of every
    piece, including the one that was there, and of a negative number if the transfer fails half-way. Raises
    TransferError for what the network does, OSError for what the disk does.
    """
    have = target.stat().st_size if target.exists() else 0
    if have > size:
        target.unlink()
        have = 0
    if have == size:
        on_bytes(have)
        return False
    with _open(url, have) as response:
        resumed = _is_continued(response, have, size)
        counted = have if resumed else 0
        on_bytes(counted)
        try:
            with target.open("ab" if resumed else "wb") as stream:
                while counted < size and (chunk := _read(response)):
                    stream.write(chunk[: size - counted])
                    on_bytes(min(len(chunk), size - counted))
                    counted += len(chunk)
            if counted < size:
                raise TransferError("the connection ended early", again=True)
        except BaseException:
            on_bytes(-min(counted, size))
            raise
    return not resumed


def _open(url: str, have: int) -> Any:
    request = urllib.request.Request(url, headers={"User-Agent": "warp2wave"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        return urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        again = error.code >= 500 or error.code in _TEMPORARY_STATUSES
        raise TransferError(f"{error.code} {error.reason}", again=again) from error
    except (OSError, http.client.HTTPException) as error:
        raise _explain(error) from error


def _read(response: Any) -> bytes:
    try:
        data: bytes = response.read(_CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise _explain(error) from error
    return data


def _is_continued(response: Any, have: int, size: int) -> bool:
    """Whether the answer starts at byte ``have``; else it is the whole file. Raises if it is another file."""
    if response.status == 206:
        span = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if span is None or (int(span[1]), int(span[2])) != (have, size):
            raise TransferError(f"another part than asked for: {response.headers['Content-Range']}", again=False)
        return True
    length = response.headers.get("Content-Length")
    if length is not None and length != str(size):
        raise TransferError(f"{length} bytes where the lock says {size}", again=False)
    return False


def _explain(error: Exception) -> TransferError:
    reason = getattr(error, "reason", error)  # URLError wraps the cause
    hopeless = isinstance(reason, (ConnectionRefusedError, FileNotFoundError, socket.gaierror))
    return TransferError(str(reason) or type(reason).__name__, again=not hopeless)
