"""Programs made by nvcc, on the virtual CUDA device, through the product's own builder and runner."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import find_device
from sandbox.execution.runner import Runner, RunRequest
from sandbox.execution.workshop import Workshop
from sandbox.isolation.protocol import Limits
from sandbox.models import Build, Run, Side

PROGRAMS = Path(__file__).parent / "programs"
TARGET = "sm_90"


@dataclass(frozen=True)
class VirtualCuda:
    workshop: Workshop
    runner: Runner

    def build(self, name: str, source: bytes, *flags: str) -> Build:
        """Compile a source beside check.h. The same content is compiled once."""
        files = (("check.h", (PROGRAMS / "check.h").read_bytes()), (f"{name}.cu", source))
        recipe = Recipe(files=files, main_files=(f"{name}.cu",), flags=flags)
        return build_program(self.workshop.bench(), recipe, Side.CUDA, TARGET)

    def compile(self, name: str) -> Path:
        """programs/<name>.cu."""
        build = self.build(name, (PROGRAMS / f"{name}.cu").read_bytes())
        assert build.ok, build.log
        return Path(build.program)

    def run_program(self, program: Path, *args: str, env: dict[str, str] | None = None, trace: bool = False) -> Run:
        request = RunRequest(
            args=args, environment=tuple((env or {}).items()), trace=trace, limits=Limits(wall_seconds=200)
        )
        return self.runner.run(program, find_device(f"vcuda:{TARGET}"), request)

    def run(self, name: str, *args: str, env: dict[str, str] | None = None, trace: bool = False) -> Run:
        return self.run_program(self.compile(name), *args, env=env, trace=trace)
