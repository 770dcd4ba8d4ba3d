"""Errors of the PTX front end."""

from __future__ import annotations

from ..translator.frontend import TranslationError


class FatBinaryError(TranslationError):
    """The fat binary cannot be read, or holds nothing that can be translated."""

    def __init__(self, message: str, *, code: str = "bad-image") -> None:
        super().__init__(code, message)


class PtxSyntaxError(TranslationError):
    """The PTX text is malformed. ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__("bad-image", f"PTX line {line}: {message}")
        self.line = line


class UnsupportedInstructionError(Exception):
    """An instruction, or a form of one, that the translator does not know.

    Never leaves the front end: the instruction becomes a report that is made when it is reached.
    """


class NotVectorisedError(Exception):
    """A kernel that the generator for whole warps cannot do. Never leaves the front end: the scalar one does it."""
