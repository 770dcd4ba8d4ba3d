"""Run hipCUB, rocPRIM and rocThrust on the virtual AMD GPUs, with large and odd sizes, against the host.

    python bench/device_libraries.py [--target gfx942 ...] [--only NAME ...] [--sizes N ...]

The programs are those of the tests (tests/sandbox/vgpu/programs/libraries); each prints PASS for every answer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import hip_device
from sandbox.execution.runner import RunRequest
from sandbox.isolation.protocol import Limits
from sandbox.models import Side
from service.cli.workshop import open_workshop
from service.settings import load_settings

PROGRAMS = Path(__file__).parents[1] / "tests" / "sandbox" / "vgpu" / "programs"
SIZES = ("1000", "1048576", "1000003", "65537")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", nargs="*", default=["gfx942", "gfx950"])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    options = parser.parse_args()
    names = options.only or sorted(path.stem for path in (PROGRAMS / "libraries").glob("*.hip"))
    wrong = 0
    with open_workshop(load_settings()) as workshop:
        for name in names:
            for target in options.target:
                source = PROGRAMS / "libraries" / f"{name}.hip"
                files = tuple((path.name, path.read_bytes()) for path in (PROGRAMS / "check.h", source))
                recipe = Recipe(files=files, main_files=(source.name,), flags=("-Wno-unused-result", "-lhiprtc"))
                build = build_program(workshop.bench(), recipe, Side.HIP, target)
                if not build.ok:
                    print(f"{name:26} {target} does not compile: {build.log[-300:]}", flush=True)
                    wrong += 1
                    continue
                for size in options.sizes:
                    limits = Limits(wall_seconds=600, cpu_seconds=2400)
                    run = workshop.runner().run(
                        Path(build.program), hip_device(target), RunRequest(args=(size,), limits=limits)
                    )
                    right = run.exit_code == 0 and run.fault is None
                    wrong += not right
                    said = "" if right else (run.limit or (run.stdout + run.stderr).strip().splitlines()[-1])
                    answers = run.stdout.count("PASS\n")
                    print(f"{name:26} {target} {size:>8} {answers:3} right {run.seconds:6.1f} s {said}", flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
