"""What a port is and what is said about it: submissions, findings, verdicts."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sandbox.models import Build, Comparison, Evidence, Model, Run
from sandbox.numerics.case import Case


class Severity(StrEnum):
    """What a fault does to a port, worst first."""

    BLOCKS = "blocks"
    SILENTLY_WRONG = "silently-wrong"
    SLOWER = "slower"
    COSMETIC = "cosmetic"


class Action(StrEnum):
    """What was done about a finding."""

    FIXED = "fixed"
    TO_DO = "to-do"
    NOTED = "noted"


class Finding(Model):
    """One construct that porting touches beyond a rename, at its place in the original source.

    ``line`` and ``column`` count from 1, in bytes of the line. A ``to-do`` finding that blocks keeps a port
    from being accepted.
    """

    schema_: Literal["warp2wave/finding/1"] = Field("warp2wave/finding/1", alias="schema")
    fault: str = Field(description="Row of the fault catalogue (W01...) or rule of hipify (hipify-...)")
    file: str
    line: int
    column: int = 1
    severity: Severity
    action: Action
    title: str
    message: str = Field(description="Why it breaks on AMD, and what was done or must be done")
    snippet: str = ""
    replacement: str = ""
    confidence: Literal["certain", "likely", "possible"] = "certain"

    @property
    def open(self) -> bool:
        """Whether a person must still act before the port may be trusted."""
        return self.action is Action.TO_DO and self.severity in (Severity.BLOCKS, Severity.SILENTLY_WRONG)


class SourceFile(Model):
    """A file of a submission: ``path`` is relative to the submission's root, ``text`` is byte-exact (decoded
    as UTF-8 with surrogateescape)."""

    path: str
    text: str


class BuildOptions(Model):
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    standard: str = "c++17"
    nvcc_flags: tuple[str, ...] = ()
    hipcc_flags: tuple[str, ...] = ()


class RunOptions(Model):
    args: tuple[str, ...] = ()
    inputs: tuple[SourceFile, ...] = Field((), description="Files put into the program's working directory")
    stdin: str | None = None
    output_files: tuple[str, ...] = Field((), description="Declared outputs, compared between the sides")
    timeout_seconds: float = Field(120.0, ge=0.1, le=86_400.0)


class GivenPort(Model):
    """A port that somebody made: it is judged as it is, in place of one made here."""

    files: tuple[SourceFile, ...]
    main_files: tuple[str, ...]
    include_dirs: tuple[str, ...] = ()


class Submission(Model):
    """A self-contained CUDA program to port, or with ``given`` to judge a port of."""

    schema_: Literal["warp2wave/submission/1"] = Field("warp2wave/submission/1", alias="schema")
    name: str
    files: tuple[SourceFile, ...] = Field(description="Sources and local headers")
    main_files: tuple[str, ...] = Field(description="Paths of the files handed to the compiler")
    targets: tuple[str, ...] = ("gfx942", "gfx950")
    build: BuildOptions = BuildOptions()
    run: RunOptions = RunOptions()
    explain: bool = Field(False, description="Also build and run the port with renames only")
    given: GivenPort | None = None
    case: Case | None = Field(None, description="How to launch the kernels; the program's own main is then not run")
    case_seed: int = Field(0, ge=0, description="Of the inputs that the port is accepted on")


class Source(Model):
    """The port's source: what hipify and the fixers made of a submission."""

    schema_: Literal["warp2wave/source/1"] = Field("warp2wave/source/1", alias="schema")
    files: tuple[SourceFile, ...]
    main_files: tuple[str, ...]
    findings: tuple[Finding, ...] = ()


class Outcome(StrEnum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NEEDS_ATTENTION = "needs_attention"
    UNVERIFIED = "unverified"


class TargetVerdict(Model):
    """What was found for one target, and on what evidence (None: it did not even compile)."""

    target: str
    outcome: Outcome
    evidence: Evidence | None
    reasons: tuple[str, ...] = ()
    build: Build | None = None
    run: Run | None = None
    comparison: Comparison | None = None


class Provenance(Model):
    warp2wave: str
    sources_sha256: str
    port_sha256: str
    toolchain: str
    cuda: str
    reference_device: str
    inputs_sha256: str = ""


class Verdict(Model):
    schema_: Literal["warp2wave/verdict/1"] = Field("warp2wave/verdict/1", alias="schema")
    outcome: Outcome
    evidence: Evidence | None
    targets: tuple[TargetVerdict, ...]
    reasons: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = Field(description="What this evidence does not show")
    provenance: Provenance


class Port(Model):
    """The whole answer to a submission: what ``report.json`` holds."""

    schema_: Literal["warp2wave/port/1"] = Field("warp2wave/port/1", alias="schema")
    id: str
    name: str
    source: Source
    diff: str = Field("", description="Unified diff from the submission to the port")
    reference_build: Build | None = None
    reference_run: Run | None = None
    naive: tuple[TargetVerdict, ...] = Field((), description="The port with renames only, where asked for")
    verdict: Verdict
    seconds: dict[str, float] = Field(default_factory=dict, description="Wall time per stage")
