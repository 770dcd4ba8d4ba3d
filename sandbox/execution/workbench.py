"""Everything that building and running needs, in one value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sandbox.cancellation import Cancellation
from sandbox.isolation.protocol import Command, Completed, Limits, Mount, OutputSink, Sandbox
from sandbox.toolchain import CUDA_MOUNT, Toolchain

# hipcc finds its parts through PATH and needs to be told that the platform is AMD even where a CUDA is in sight.
TOOL_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "HIP_PLATFORM": "amd",
}

COMPILE_LIMITS = Limits(memory_bytes=6 << 30, pids=128, cpu_seconds=900, wall_seconds=600, tmp_bytes=2 << 30)


@dataclass(frozen=True)
class Workbench:
    """A sandbox engine, a toolchain, and the folder for what may be kept between runs."""

    sandbox: Sandbox
    toolchain: Toolchain
    cache: Path

    def cuda_mount(self) -> Mount:
        return Mount(self.toolchain.cuda, CUDA_MOUNT)

    def run(
        self,
        command: Command,
        limits: Limits,
        cancellation: Cancellation,
        *,
        on_output: OutputSink | None = None,
    ) -> Completed:
        """Run ``command`` in a sandbox of its own, ended at once when cancellation is requested."""
        running = self.sandbox.start(command, limits, on_output=on_output)
        take_back = cancellation.on_request(running.cancel)
        try:
            return running.wait()
        except BaseException:
            running.cancel()
            raise
        finally:
            take_back()
