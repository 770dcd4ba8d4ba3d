"""What steps tell the workflow. Small and plain: the findings themselves are in the store."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from service.errors import ErrorRecord


class StepResult(BaseModel):
    """``over``: the port is final already, there is nothing left to do. ``error``: it cannot go on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    over: bool = False
    error: ErrorRecord | None = None

    @property
    def ends(self) -> bool:
        return self.over or self.error is not None


class Plan(StepResult):
    """What the workflow needs to know of the submission."""

    targets: tuple[str, ...] = ()
    explain: bool = False
