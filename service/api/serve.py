"""The server: one process that answers requests and works on ports."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from agents.orchestrator.stages import Stages
from service.api.app import create_app
from service.errors import SettingsError
from service.settings import Settings
from service.worker.runtime import Runtime

_SHUTDOWN_SECONDS = 5
_MAX_CONNECTIONS = 200


def serve(settings: Settings, stages: Stages, on_ready: Callable[[str], None] = lambda url: None) -> None:
    """Serve until SIGINT (which raises KeyboardInterrupt at the end) or SIGTERM. ``on_ready`` gets the URL.

    Ports under way are interrupted and go on at the next start. Raises SettingsError where the address cannot
    or must not be listened on, StoreError where the database cannot be used.
    """
    settings.require_safe_binding()
    listener = _listen(settings.host, settings.port)
    with listener, _ignoring_sigterm(), Runtime(settings, stages, serving=True) as runtime:
        config = uvicorn.Config(
            create_app(settings, runtime),
            log_config=None,
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        on_ready(_url(listener))
        uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise SettingsError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}", hint="set WARP2WAVE_PORT"
        ) from error


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def _ignoring_sigterm() -> Iterator[None]:
    """The web server handles SIGTERM while it runs and raises it again afterwards: by then it has done its
    work, and must not keep the runtime from closing."""
    previous = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
