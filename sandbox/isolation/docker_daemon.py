"""Connections to the Docker daemon."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from docker import APIClient
from docker.constants import DEFAULT_UNIX_SOCKET
from docker.errors import DockerException, NotFound
from docker.utils import kwargs_from_env
from requests.exceptions import RequestException

from sandbox.errors import IsolationError
from sandbox.isolation.lifeline import close_in_children

Connect = Callable[[], Any]
"""Makes an ``APIClient``, which one thread at a time may use."""

_TIMEOUT_SECONDS = 60


def connect(host: str | None = None) -> Any:
    """An ``APIClient`` for ``host`` or, where None, for what the environment (DOCKER_HOST) says.

    Raises DockerException where no daemon answers.
    """
    options = {"base_url": host} if host is not None else kwargs_from_env()
    _knock(options.get("base_url") or DEFAULT_UNIX_SOCKET.replace("http+", ""))
    return APIClient(**options, version="auto", timeout=_TIMEOUT_SECONDS)


def _knock(url: str) -> None:
    """Docker's client leaves a socket open where its first connection fails, so try with one that is closed."""
    if not url.startswith("unix://"):
        return
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_TIMEOUT_SECONDS)
        try:
            probe.connect(url.removeprefix("unix://"))
        except OSError as error:
            raise DockerException(f"no daemon answers at {url}: {error}") from error


class Attached:
    """The connection to a container's input and output. It lives as long as its client, which is ours alone."""

    def __init__(self, client: Any, container: str) -> None:
        self._client = client
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        self._file = client.attach_socket(container, streams)
        self.socket: socket.socket = self._file._sock
        self.socket.settimeout(None)
        self._keep_from_children = close_in_children(lambda: os.close(self.socket.detach()))

    def close(self) -> None:
        self._keep_from_children()
        self._file.close()
        self.socket.close()
        self._client.close()


def remove_container(connect: Connect, container: str) -> None:
    """End and remove it, with its volumes; nothing happens if it has gone already."""
    with connection(connect) as client, suppress(NotFound):
        client.remove_container(container, force=True, v=True)


@contextmanager
def connection(connect: Connect) -> Iterator[Any]:
    """A client for a few requests. What the daemon refuses, or its silence, becomes an IsolationError."""
    try:
        client = connect()
        try:
            yield client
        finally:
            client.close()
    except (DockerException, RequestException) as error:
        raise IsolationError(f"Docker: {error}") from error
