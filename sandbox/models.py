"""What was built, run and seen: the shapes that the layers above store and show.

Every top-level model carries ``schema``, ``warp2wave/<name>/<version>``; a change that an old reader would
misread raises the version.
"""

from __future__ import annotations

from enum import StrEnum
from functools import total_ordering
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """Base: immutable, unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


@total_ordering
class Evidence(StrEnum):
    """What a statement about a port rests on, weakest first. Never claim more than was run."""

    COMPILED = "compiled"
    EMULATED = "emulated"
    HARDWARE = "hardware"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Evidence):
            return NotImplemented
        order = list(Evidence)
        return order.index(self) < order.index(other)


class Side(StrEnum):
    """Which half of a port a device runs: the original program or the port."""

    CUDA = "cuda"
    HIP = "hip"


class Device(Model):
    """A device that programs run on, virtual or real, e.g. ``vgpu:gfx942``, ``vcuda:sm_90``, ``rocm:0``."""

    schema_: Literal["warp2wave/device/1"] = Field("warp2wave/device/1", alias="schema")
    name: str
    side: Side
    target: str = Field(description="Compiler target: gfx942, gfx950, sm_90")
    wavefront_size: int = Field(description="Lanes of a wavefront (HIP) or warp (CUDA)")
    virtual: bool
    product: str = Field(description="The part it stands for, e.g. MI300X")

    @property
    def evidence(self) -> Evidence:
        return Evidence.EMULATED if self.virtual else Evidence.HARDWARE


class Dim3(Model):
    x: int = 1
    y: int = 1
    z: int = 1


class Launch(Model):
    """One kernel launch. Sizes: ``grid`` in work-groups (blocks), ``block`` in work-items (threads), bytes."""

    schema_: Literal["warp2wave/launch/1"] = Field("warp2wave/launch/1", alias="schema")
    index: int = Field(description="Order of submission in the program, from 0")
    kernel: str = Field(description="Mangled name")
    grid: Dim3
    block: Dim3
    lds_bytes: int = Field(0, description="Static and dynamic LDS (shared memory) of a work-group")
    milliseconds: float | None = Field(None, description="Wall time on the device that ran it")


class Trace(Model):
    """What a program did on a device, in order. A program shares its process with our runtimes, so a trace
    from inside it is diagnosis and never proof."""

    schema_: Literal["warp2wave/trace/1"] = Field("warp2wave/trace/1", alias="schema")
    device: str
    launches: tuple[Launch, ...] = ()
    truncated: bool = Field(False, description="More launches happened than were recorded")


class Check(StrEnum):
    """How closely a virtual AMD GPU looks at what a program does: RACE also finds races on global memory."""

    OFF = "off"
    ON = "on"
    RACE = "race"


class FaultReport(Model):
    """A typed report: with which a virtual device ended a program, or of something that a check found."""

    kind: str = Field(description="unsupported-instruction, memory-fault, barrier-deadlock, trap, ...")
    kernel: str = ""
    pc: str = Field("", description="Byte offset in the code object (HIP) or line of the PTX (CUDA)")
    instruction: str = ""
    message: str = ""
    source: str = Field("", description="file:line, where the program's line table says so")


class OutputFile(Model):
    name: str
    sha256: str
    size: int


class Counter(Model):
    """One measured or modelled quantity. rocprofv3's name only where definition and unit are identical."""

    name: str
    value: float
    unit: str


class Occupancy(Model):
    """How many wavefronts of one kernel a compute unit can hold: a limit from the descriptor, not a measurement."""

    waves_per_cu: int
    most_waves_per_cu: int = Field(description="Slots for wavefronts that the compute unit has")
    workgroups_per_cu: int
    limiter: str = Field(description="What allows fewest work-groups: vgprs, sgprs, lds, workgroups or waves")
    workgroups_allowed: dict[str, int] = Field(description="Work-groups that each resource alone would allow")

    @property
    def percent(self) -> float:
        return 100 * self.waves_per_cu / self.most_waves_per_cu


class KernelProfile(Model):
    """All launches of one kernel with one shape: their counters summed. ``grid`` in work-groups."""

    kernel: str = Field(description="Mangled name, or the one that the profiler printed")
    launches: int
    grid: Dim3
    block: Dim3
    lds_bytes: int = Field(0, description="Static and dynamic LDS of a work-group")
    scratch_bytes: int = Field(0, description="Of a work-item")
    counters: tuple[Counter, ...] = ()
    facts: KernelFacts | None = None
    occupancy: Occupancy | None = None

    def counter(self, name: str) -> float | None:
        """The value of a counter; None if it was not taken."""
        return next((counter.value for counter in self.counters if counter.name == name), None)


class Profile(Model):
    """What the kernels of one run did on one device, whether a virtual device counted it or rocprofv3 measured it."""

    schema_: Literal["warp2wave/profile/1"] = Field("warp2wave/profile/1", alias="schema")
    device: str
    target: str = Field(description="Compiler target: gfx942, gfx950; empty if the profiler does not say")
    layout: str = Field(description="What it was read from: w2w/1, rocprofv3-csv, rocpd/3.0.0, ...")
    evidence: Evidence
    kernels: tuple[KernelProfile, ...] = ()
    truncated: bool = Field(False, description="More launches happened than were recorded")


class Run(Model):
    """One run of one program on one device, as seen from outside the sandbox."""

    schema_: Literal["warp2wave/run/1"] = Field("warp2wave/run/1", alias="schema")
    device: str
    exit_code: int | None = Field(description="None where a signal or a limit ended it")
    signal: int | None = None
    limit: str | None = Field(None, description="Name of the limit that ended it: wall-time, memory, pids...")
    stdout: str = ""
    stderr: str = ""
    outputs: tuple[OutputFile, ...] = ()
    seconds: float = 0.0
    fault: FaultReport | None = None
    findings: tuple[FaultReport, ...] = Field((), description="What the checks of memory accesses found; it ran on")
    trace: Trace | None = None
    profile: Profile | None = Field(None, description="Where counters were asked for")


class Diagnostic(Model):
    """One compiler message, mapped to the file the compiler was given."""

    file: str
    line: int
    column: int = 0
    severity: Literal["error", "warning", "note"]
    message: str


class KernelFacts(Model):
    """Static facts of one kernel of a code object (from its descriptor and metadata)."""

    name: str
    vgprs: int = Field(description="Vector registers of a lane, AGPRs included where one file holds both (CDNA2 on)")
    sgprs: int
    agprs: int = 0
    lds_bytes: int = Field(0, description="Static LDS of a work-group")
    scratch_bytes: int = Field(0, description="Scratch of a work-item")
    vgpr_spills: int = 0
    sgpr_spills: int = 0
    kernarg_bytes: int = 0
    wavefront_size: int = 64


class Build(Model):
    """One compiled program. ``program`` is a path; evidence belongs to ``code_object_sha256``."""

    schema_: Literal["warp2wave/build/1"] = Field("warp2wave/build/1", alias="schema")
    side: Side
    target: str
    ok: bool
    command: tuple[str, ...]
    toolchain: str = Field(description="Digest of the toolchain that compiled it")
    diagnostics: tuple[Diagnostic, ...] = ()
    log: str = ""
    limit: str | None = None
    program: str = ""
    program_sha256: str = ""
    code_object_sha256: str = Field("", description="Of the device code for this target")
    kernels: tuple[KernelFacts, ...] = ()
    seconds: float = 0.0


class Difference(Model):
    """The first place where two runs differ, and by how much."""

    where: str = Field(description="exit status, stdout line N, output file NAME, ...")
    expected: str
    got: str
    detail: str = ""


class Divergence(Model):
    """The first place where the device memory of two runs parts: an element of a buffer after a launch or, ``by``
    host, before it; ``by`` read: as the host copied it. ``elements`` of the piece compared differ."""

    launch: int | None = Field(description="Index of the launch; None after the last one")
    kernel: str
    by: Literal["host", "launch", "read"]
    buffer: str
    element: int
    element_type: str
    expected: str
    got: str
    elements: int


class LaunchComparison(Model):
    """Device memory of the port held against the reference's after each launch. Recorded inside the programs:
    diagnosis, never proof."""

    aligned: bool = Field(description="Whether both sides launched the same kernels in the same order")
    reference_launches: int
    port_launches: int
    same_launches: int = Field(description="Launches up to the first divergence, all if there is none")
    bytes_compared: int
    unpaired_allocations: int
    reordered_buffers: int = Field(0, description="Held the same elements in another order, which is no divergence")
    complete: bool = Field(description="Whether both recordings reach the end of the program")
    divergence: Divergence | None = None


class Comparison(Model):
    """The port's run held against the reference's run."""

    schema_: Literal["warp2wave/comparison/1"] = Field("warp2wave/comparison/1", alias="schema")
    same: bool
    compared: tuple[str, ...] = Field(description="What was compared: exit status, N numbers in stdout, ...")
    differences: tuple[Difference, ...] = ()
    conclusive: bool = Field(
        True, description="False where there was nothing to compare, e.g. no output and exit status 0"
    )
    launches: LaunchComparison | None = Field(None, description="None where it was not recorded")
    launches_missing: str = Field("", description="Why there is no comparison of launches")
    replay: LaunchComparison | None = Field(
        None, description="The port's kernels, launched from the reference's memory in a process without its host code"
    )
    replay_missing: str = Field("", description="Why launches were not replayed")
