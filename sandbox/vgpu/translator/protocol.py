"""Requests of the virtual devices, as they come over the socket, and the replies. Clients are hostile.

Request: one line of JSON ``{"kind", "target", "flavour", "unit", "size"}``, then ``size`` bytes of image. Reply: one
line of JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .frontend import TranslationError
from .kinds import KINDS

MAX_HEADER_BYTES = 256 << 10
MAX_UNIT_CHARACTERS = 32 << 10
MAX_IMAGE_BYTES = 512 << 20
IDLE_SECONDS = 30.0
"""A client that sends nothing for so long is dropped."""
REQUEST_SECONDS = 300.0
"""A request must be complete after so long."""

_TARGET = re.compile(r"[a-z0-9_]{1,32}")
_FLAVOUR = re.compile(r"([a-z]{1,16}(\+[a-z]{1,16}){0,3})?")
"""Which of them a kind has is its front end's to say."""
_FIELDS = ("kind", "target", "flavour", "unit", "size")
_CHUNK = 1 << 20


class RequestError(TranslationError):
    """The request itself is malformed; code ``bad-request``."""

    def __init__(self, message: str) -> None:
        super().__init__("bad-request", message)


@dataclass(frozen=True)
class Header:
    kind: str
    target: str
    flavour: str
    unit: str
    size: int


@dataclass(frozen=True)
class Request:
    """A complete request. ``image`` is a file of the receiver's; ``sha256`` was computed as it came in."""

    header: Header
    image: Path
    sha256: str


def parse_header(line: bytes) -> Header:
    """Raises RequestError."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the header is not JSON: {error}") from None
    if not isinstance(fields, dict) or set(fields) != set(_FIELDS):
        raise RequestError(f"the header must have exactly: {', '.join(_FIELDS)}")
    kind, target, flavour, unit, size = (fields[name] for name in _FIELDS)
    if not isinstance(kind, str) or kind not in KINDS:
        raise RequestError(f"unknown kind; known: {', '.join(sorted(KINDS))}")
    if not isinstance(target, str) or not _TARGET.fullmatch(target):
        raise RequestError("target must be a short lower-case word")
    if not isinstance(flavour, str) or not _FLAVOUR.fullmatch(flavour):
        raise RequestError("flavour must be empty or words joined by +")
    if not isinstance(unit, str) or len(unit) > MAX_UNIT_CHARACTERS or "\0" in unit:
        raise RequestError(f"unit must be text of at most {MAX_UNIT_CHARACTERS} characters")
    try:
        unit.encode()
    except UnicodeEncodeError:
        raise RequestError("unit is not Unicode text") from None
    if type(size) is not int or not 0 < size <= MAX_IMAGE_BYTES:
        raise RequestError(f"size must be 1 to {MAX_IMAGE_BYTES} bytes")
    return Header(kind, target, flavour, unit, size)


def receive(connection: socket.socket, folder: Path) -> Request:
    """Read one request; the image goes to a new file in ``folder``.

    Raises RequestError, or OSError where the client went away or the disk is full.
    """
    deadline = time.monotonic() + REQUEST_SECONDS
    connection.settimeout(IDLE_SECONDS)
    buffered = b""
    while b"\n" not in buffered:
        if len(buffered) > MAX_HEADER_BYTES:
            raise RequestError("the header is too long")
        buffered += _read(connection, 4096, deadline)
    line, _, rest = buffered.partition(b"\n")
    header = parse_header(line)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=folder, prefix="image-", delete=False) as file:
        path = Path(file.name)
        try:
            missing = header.size
            while missing:
                chunk = rest[:missing] or _read(connection, min(missing, _CHUNK), deadline)
                rest = b""
                file.write(chunk)
                digest.update(chunk)
                missing -= len(chunk)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    return Request(header, path, digest.hexdigest())


def _read(connection: socket.socket, size: int, deadline: float) -> bytes:
    if time.monotonic() > deadline:
        raise RequestError("the request took too long")
    data = connection.recv(size)
    if not data:
        raise RequestError("the connection ended inside the request")
    return data


def reply(connection: socket.socket, answer: dict[str, Any]) -> None:
    """Send one reply; a client that went away is no error."""
    try:
        connection.settimeout(IDLE_SECONDS)
        connection.sendall(json.dumps(answer).encode() + b"\n")
    except OSError:
        pass
