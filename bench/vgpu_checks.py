"""What the checks of the virtual AMD GPU cost: the same kernels with and without, in turns.

    python bench/vgpu_checks.py [--rounds N] [--target gfx942]

Prints, for each kernel of vgpu_programs/speed.hip, the least CPU milliseconds of a launch plain and checked, and their
ratio (asked for: at most 3). One thread on both sides.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import hip_device
from sandbox.execution.runner import RunRequest
from sandbox.isolation.protocol import Limits
from sandbox.models import Check, Side
from service.cli.workshop import open_workshop
from service.settings import load_settings

PROGRAMS = Path(__file__).with_name("vgpu_programs")
ALLOWED = 3.0


def build_loops() -> bytes:
    """The C loops that the program compares with, for this machine."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "loops.so"
        source = PROGRAMS / "loops.c"
        subprocess.run(["cc", "-O3", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"], check=True)
        return library.read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--target", default="gfx942")
    options = parser.parse_args()
    least: dict[str, dict[Check, float]] = {}
    loops = build_loops()
    with open_workshop(load_settings()) as workshop:
        files = (("speed.hip", (PROGRAMS / "speed.hip").read_bytes()),)
        recipe = Recipe(files=files, main_files=("speed.hip",), flags=("-O3",))
        build = build_program(workshop.bench(), recipe, Side.HIP, options.target)
        runner = workshop.runner()
        for _ in range(options.rounds):
            for check in (Check.OFF, Check.ON):
                request = RunRequest(
                    args=("3",),
                    inputs=(("loops.so", loops),),
                    environment=(("W2W_THREADS", "1"),),
                    check=check,
                    limits=Limits(wall_seconds=600, cpu_seconds=600),
                )
                run = runner.run(Path(build.program), hip_device(options.target), request)
                if run.exit_code != 0:
                    sys.exit(f"speed ended with {run.exit_code}: {run.stdout}{run.stderr}")
                for line in run.stdout.splitlines():
                    row = json.loads(line)
                    times = least.setdefault(row["name"], {})
                    times[check] = min(times.get(check, row["kernel_cpu_ms"]), row["kernel_cpu_ms"])
    for name, times in least.items():
        ratio = times[Check.ON] / times[Check.OFF]
        print(f"{name}: plain {times[Check.OFF]:.2f} ms, checked {times[Check.ON]:.2f} ms, ratio {ratio:.2f}")
    return 0 if all(times[Check.ON] <= ALLOWED * times[Check.OFF] for times in least.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
