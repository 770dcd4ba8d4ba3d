"""What clients send, and the few answers that are not records of the store."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from agents.models import BuildOptions, RunOptions, SourceFile
from service.store.records import State

DEFAULT_TARGETS = ("gfx942", "gfx950")


class _Schema(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PortOptions(_Schema):
    """How a program is to be ported. In a multipart request, the JSON text of the field ``options``."""

    name: str = Field("", max_length=200, description="Shown in lists; default: the first main file")
    main_files: tuple[str, ...] = Field((), description="Files handed to the compiler; default: all .cu files")
    targets: tuple[str, ...] = DEFAULT_TARGETS
    build: BuildOptions = BuildOptions()
    run: RunOptions = RunOptions()
    explain: bool = Field(False, description="Also build and run the port with renames only")


class PortRequest(PortOptions):
    """A program as JSON: one ``source``, or ``files`` where there are more."""

    source: str | None = Field(None, description="The text of a single .cu file")
    files: tuple[SourceFile, ...] = ()


class Cancellation(_Schema):
    id: str
    state: State


class Health(_Schema):
    status: str
    version: str
