"""Errors of the service layer, and what every error of the product means to a caller.

SandboxLayerError (sandbox/errors.py; agents/errors.py derives from it too)
└── ServiceError
    ├── SettingsError         a setting is missing, malformed or unsafe
    ├── RequestError          a request that cannot be understood
    ├── UnauthorizedError     an API key is missing or wrong
    ├── ForbiddenError        a Host or Origin that may not use this server
    ├── NotFoundError         no such port or artifact
    ├── ConflictError         the port's state does not allow what was asked
    ├── TooLargeError         a submission or request body over the limit
    ├── StoreError            the database cannot be used
    │   ├── StoreUnavailableError  for now: it is away or busy
    │   └── ContentError      a stored content is missing or damaged
    ├── PortFailedError       a port ended without a verdict; carries the recorded cause
    └── PortCancelledError    a port was cancelled
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sandbox.errors import SandboxLayerError
from service.text import storable

_MESSAGE_LIMIT = 20_000


class ServiceError(SandboxLayerError):
    code = "service"


class SettingsError(ServiceError):
    code = "settings"


class RequestError(ServiceError):
    code = "request"


class UnauthorizedError(ServiceError):
    code = "unauthorized"


class ForbiddenError(ServiceError):
    code = "forbidden"


class NotFoundError(ServiceError):
    code = "not-found"


class ConflictError(ServiceError):
    code = "conflict"


class TooLargeError(ServiceError):
    code = "too-large"


class StoreError(ServiceError):
    code = "store"


class StoreUnavailableError(StoreError):
    retryable = True


class ContentError(StoreError):
    pass


class PortCancelledError(ServiceError):
    code = "cancelled"


class ErrorRecord(BaseModel):
    """An error as it is kept: in a port's row, in a stage's result, in a problem document. Its texts are
    storable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    message: str
    hint: str = ""
    context: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(cls, error: Exception) -> ErrorRecord:
        """The record of ``error``. One that is not ours becomes ``internal``, named by its type."""
        if not isinstance(error, SandboxLayerError):
            message = storable(f"{type(error).__name__}: {error}", _MESSAGE_LIMIT)
            return cls(code=INTERNAL, message=message, hint="this is a bug; please report it")
        return cls(
            code=error.code,
            message=storable(error.message, _MESSAGE_LIMIT),
            hint=storable(error.hint, _MESSAGE_LIMIT),
            context=_plain(error.context),
        )


class PortFailedError(ServiceError):
    """``record`` says what happened; ``code`` is the cause's, so that it maps like the cause."""

    code = "port-failed"

    def __init__(self, record: ErrorRecord) -> None:
        super().__init__(record.message, hint=record.hint, **record.context)
        self.record = record
        self.code = record.code

    def __reduce__(self) -> tuple[Any, ...]:
        return (PortFailedError, (self.record,))


INTERNAL = "internal"


@dataclasses.dataclass(frozen=True)
class Meaning:
    """What an error says to a caller: status and title of an HTTP problem document, and the exit code of a
    command (service/exit_codes.py names them)."""

    status: int
    exit_code: int
    title: str


MEANINGS: dict[str, Meaning] = {
    INTERNAL: Meaning(500, 1, "Internal error"),
    SandboxLayerError.code: Meaning(500, 6, "Sandbox error"),
    "toolchain": Meaning(503, 6, "Toolchain unavailable"),
    "platform": Meaning(503, 6, "Platform not supported"),
    "isolation": Meaning(503, 6, "Sandbox unavailable"),
    "input": Meaning(422, 2, "Unreadable input"),
    "emulation": Meaning(500, 6, "Virtual device error"),
    "agents": Meaning(500, 1, "Internal error"),
    "submission": Meaning(422, 2, "Submission cannot be ported"),
    "data": Meaning(500, 1, "Internal error"),
    "engine": Meaning(503, 6, "Translator unavailable"),
    "service": Meaning(500, 1, "Internal error"),
    "settings": Meaning(500, 2, "Bad settings"),
    "request": Meaning(400, 2, "Bad request"),
    "unauthorized": Meaning(401, 2, "Unauthorized"),
    "forbidden": Meaning(403, 2, "Forbidden"),
    "not-found": Meaning(404, 2, "Not found"),
    "conflict": Meaning(409, 2, "Conflict"),
    "too-large": Meaning(413, 2, "Too large"),
    "store": Meaning(503, 1, "Store unavailable"),
    "port-failed": Meaning(500, 1, "Port failed"),
    "cancelled": Meaning(409, 130, "Cancelled"),
}
"""By error code. A code that is not listed means what the nearest listed base of its class means."""


def meaning_of(code: str) -> Meaning:
    """What ``code`` means to a caller; unknown codes are internal errors."""
    kind = _class_of(code)
    ancestry = [base.__dict__["code"] for base in kind.__mro__ if "code" in base.__dict__] if kind else [code]
    return next((MEANINGS[each] for each in ancestry if each in MEANINGS), MEANINGS[INTERNAL])


def _class_of(code: str, root: type[SandboxLayerError] = SandboxLayerError) -> type[SandboxLayerError] | None:
    if root.code == code:
        return root
    found = (_class_of(code, kind) for kind in root.__subclasses__())
    return next((kind for kind in found if kind is not None), None)


def _plain(value: Any) -> Any:
    """``value`` as JSON and every database can hold it."""
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(mode="json"))
    if isinstance(value, dict):
        return {storable(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, int | float | bool) else storable(str(value), _MESSAGE_LIMIT)
