"""Errors of the sandbox layer.

SandboxLayerError
├── ToolchainError        the toolchain cannot be fetched, verified, unpacked or used
├── PlatformError         this machine cannot run what was asked (architecture, namespaces, engine)
├── IsolationError        a sandbox could not be set up (not: a program inside it failed)
├── InputError            what the user gave cannot be read
│   └── ProfileFormatError  a profiler's output has a layout that is not known, or lacks what its layout has
└── EmulationError        the virtual device stopped with a typed report

A program that fails, is killed by a limit or prints wrong numbers is a result, never an exception.
"""

from __future__ import annotations

from typing import Any


class SandboxLayerError(Exception):
    """Base of this package's errors: a stable ``code``, what happened, and what the user can do."""

    code = "sandbox"
    retryable = False

    def __init__(self, message: str, *, hint: str = "", **context: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.context = context

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:  # the workflow engine stores errors by pickling them
        return (_rebuild, (type(self), self.message, self.hint, self.context))


def _rebuild(kind: type[SandboxLayerError], message: str, hint: str, context: dict[str, Any]) -> SandboxLayerError:
    return kind(message, hint=hint, **context)


class ToolchainError(SandboxLayerError):
    code = "toolchain"
    retryable = True


class PlatformError(SandboxLayerError):
    code = "platform"


class IsolationError(SandboxLayerError):
    code = "isolation"


class InputError(SandboxLayerError):
    code = "input"


class ProfileFormatError(InputError):
    code = "profile-format"


class EmulationError(SandboxLayerError):
    code = "emulation"
