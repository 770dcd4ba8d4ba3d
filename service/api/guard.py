"""Who may talk to the server at all: checked before anything of the request is read.

A server on a loopback address is open to every web page that the user looks at: by name (DNS rebinding), which
the Host check stops, and by requests across origins, which the Origin check stops.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.problems import problem_response
from service.errors import ErrorRecord, ForbiddenError, RequestError, ServiceError, UnauthorizedError
from service.settings import Settings

_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::\d{1,5})?")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEALTH = "/v1/health"

RESPONSE_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'; sandbox",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}


class Guard:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(header for header in RESPONSE_HEADERS.items() if header[0] not in present),
                ]
            await send(message)

        try:
            self._check(scope["method"], scope["path"], Headers(scope=scope))
        except ServiceError as error:
            await problem_response(ErrorRecord.of(error))(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _check(self, method: str, path: str, headers: Headers) -> None:
        host = self._check_host(headers.getlist("host"))
        self._check_origin(method, headers, host)
        if self._settings.api_keys and path != HEALTH:
            self._check_key(headers.getlist("authorization"))

    def _check_host(self, hosts: list[str]) -> str:
        match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is None:
            raise RequestError("the request needs one valid Host header")
        if (match["v6"] or match["name"]).lower() not in self._settings.accepted_hosts:
            raise ForbiddenError(
                "this server does not answer to that host name", hint="add it to WARP2WAVE_ALLOWED_HOSTS"
            )
        return hosts[0]

    def _check_origin(self, method: str, headers: Headers, host: str) -> None:
        own = (f"http://{host}", f"https://{host}")
        if any(origin not in (*own, *self._settings.allowed_origins) for origin in headers.getlist("origin")):
            raise ForbiddenError(
                "requests from pages of that origin are refused", hint="add it to WARP2WAVE_ALLOWED_ORIGINS"
            )
        if "origin" in headers or method in _SAFE_METHODS:
            return
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise ForbiddenError("requests from pages of another site are refused")

    def _check_key(self, presented: list[str]) -> None:
        scheme, _, key = presented[0].partition(" ") if len(presented) == 1 else ("", "", "")
        if scheme.lower() != "bearer" or not self._settings.accepts_key(key.strip()):
            raise UnauthorizedError("an API key is needed", hint="send it as `Authorization: Bearer KEY`")
