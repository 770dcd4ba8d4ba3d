"""Programs made by hipcc, on the virtual AMD GPU, through the product's own builder and runner."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import hip_device
from sandbox.execution.runner import Runner, RunRequest
from sandbox.execution.workshop import Workshop
from sandbox.isolation.protocol import Limits
from sandbox.models import Check, Run, Side

PROGRAMS = Path(__file__).parent / "programs"
TARGETS = ("gfx942", "gfx950")


@dataclass(frozen=True)
class VirtualGpu:
    workshop: Workshop
    runner: Runner

    def compile(self, name: str, target: str) -> Path:
        """programs/<name>.hip, built once. ``name`` may have a folder before it."""
        source = PROGRAMS / f"{name}.hip"
        files = tuple((path.name, path.read_bytes()) for path in (PROGRAMS / "check.h", source))
        recipe = Recipe(files=files, main_files=(source.name,), flags=("-Wno-unused-result", "-lhiprtc"))
        build = build_program(self.workshop.bench(), recipe, Side.HIP, target)
        assert build.ok, build.log
        return Path(build.program)

    def run(
        self,
        name: str,
        target: str,
        *args: str,
        env: dict[str, str] | None = None,
        trace: bool = False,
        check: Check = Check.OFF,
    ) -> Run:
        request = RunRequest(
            args=args,
            environment=tuple((env or {}).items()),
            trace=trace,
            check=check,
            limits=Limits(wall_seconds=200),
        )
        return self.runner.run(self.compile(name, target), hip_device(target), request)
