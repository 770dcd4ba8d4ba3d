"""The error of inline PTX that could not be carried over."""

from __future__ import annotations

from agents.errors import AgentsError


class PtxError(AgentsError):
    """PTX that the translator does not know, or that is malformed.

    ``instruction`` is the PTX, ``offset`` where it stands in the template, in characters.
    """

    code = "ptx"

    def __init__(self, message: str, *, instruction: str = "", offset: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint, instruction=instruction, offset=offset)
        self.instruction = instruction
        self.offset = offset
