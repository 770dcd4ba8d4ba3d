"""Exit codes of every command, and what leads to each."""

from __future__ import annotations

from enum import IntEnum

from agents.models import Outcome
from sandbox.errors import SandboxLayerError
from service.errors import INTERNAL, meaning_of


class ExitCode(IntEnum):
    ACCEPTED = 0
    INTERNAL = 1
    USAGE = 2
    NEEDS_ATTENTION = 3
    REJECTED = 4
    UNVERIFIED = 5
    ENVIRONMENT = 6
    """Toolchain, sandbox or platform."""
    INTERRUPTED = 130


_OUTCOMES = {
    Outcome.ACCEPTED: ExitCode.ACCEPTED,
    Outcome.NEEDS_ATTENTION: ExitCode.NEEDS_ATTENTION,
    Outcome.REJECTED: ExitCode.REJECTED,
    Outcome.UNVERIFIED: ExitCode.UNVERIFIED,
}


def exit_code_for_outcome(outcome: Outcome) -> ExitCode:
    return _OUTCOMES[outcome]


def exit_code_for_error(error: BaseException) -> ExitCode:
    """The exit code of a command that ``error`` ended."""
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    code = error.code if isinstance(error, SandboxLayerError) else INTERNAL
    return ExitCode(meaning_of(code).exit_code)
