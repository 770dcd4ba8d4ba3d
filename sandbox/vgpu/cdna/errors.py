"""Why one instruction cannot be translated. The unit goes on: the instruction becomes a report when reached."""

from __future__ import annotations


class UnsupportedFormError(Exception):
    """An operand, modifier or combination that the semantics do not cover."""
