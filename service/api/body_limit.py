"""The most that a request body may have, enforced while it arrives: whatever it claims, however it is sent."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.problems import problem_response
from service.errors import ErrorRecord, TooLargeError


class _BodyTooLarge(Exception):
    pass


class BodyLimit:
    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        claimed = Headers(scope=scope).get("content-length", "0")
        if not claimed.isdecimal() or int(claimed) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        received = 0
        exceeded = False

        async def receive_counted() -> Message:
            nonlocal received, exceeded
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                exceeded = True
                raise _BodyTooLarge
            return message

        async def send_unless_exceeded(message: Message) -> None:
            # Whatever the application makes of the broken body, the answer is ours.
            if not exceeded:
                await send(message)

        try:
            await self._app(scope, receive_counted, send_unless_exceeded)
        except Exception:
            if not exceeded:
                raise
        if exceeded:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = TooLargeError(
            f"the request body has more than {self._max_bytes / (1 << 20):g} MiB",
            hint="submit the part with the kernels",
        )
        response = problem_response(ErrorRecord.of(error))
        response.headers["connection"] = "close"
        await response(scope, receive, send)
