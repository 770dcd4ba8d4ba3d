"""What counting costs: time of kernels on the virtual AMD GPU with counters over time without.

    python bench/vgpu_counters.py [--rounds 8] [--repeats 5] [--target gfx942] [--small]

One thread. Programs with and without counters take turns, and the least time of each counts, so that a busy machine
blurs the ratio little; --small makes launches so short that many fit between interruptions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import hip_device
from sandbox.execution.runner import Runner, RunRequest
from sandbox.execution.workshop import Workshop, WorkshopConfig
from sandbox.isolation.protocol import Limits
from sandbox.models import Device, Side
from sandbox.toolchain import ToolchainConfig

PROGRAM = Path(__file__).with_suffix(".hip")
# Elements of the vectors, size of the matrices, rows of the softmax.
FULL = (str(1 << 20), "512", "1024")
SMALL = (str(1 << 17), "128", "64")


def measure(runner: Runner, program: Path, device: Device, args: tuple[str, ...], counters: bool) -> dict[str, float]:
    """Milliseconds by kernel."""
    request = RunRequest(
        args=args,
        environment=(("W2W_THREADS", "1"),),
        counters=counters,
        limits=Limits(wall_seconds=600),
    )
    run = runner.run(program, device, request)
    if run.exit_code != 0:
        raise SystemExit(f"the program failed: {run.stderr}")
    return {name: float(time) for name, time in (line.split() for line in run.stdout.splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--target", default="gfx942")
    parser.add_argument("--small", action="store_true")
    arguments = parser.parse_args()
    device = hip_device(arguments.target)
    args = (str(arguments.rounds), *(SMALL if arguments.small else FULL))
    with Workshop(WorkshopConfig(cache=ToolchainConfig.from_environment().cache)) as workshop:
        recipe = Recipe(files=((PROGRAM.name, PROGRAM.read_bytes()),), main_files=(PROGRAM.name,))
        build = build_program(workshop.bench(), recipe, Side.HIP, device.target)
        if not build.ok:
            raise SystemExit(build.log)
        least: dict[bool, dict[str, float]] = {False: {}, True: {}}
        for _ in range(arguments.repeats):
            for counters in (False, True):
                times = measure(workshop.runner(), Path(build.program), device, args, counters)
                for name, time in times.items():
                    least[counters][name] = min(time, least[counters].get(name, time))
    print("| kernel | plain, ms | counted, ms | ratio |\n|---|---|---|---|")
    for name, plain in least[False].items():
        counted = least[True][name]
        print(f"| {name} | {plain:.3f} | {counted:.3f} | {counted / plain:.2f} |")


if __name__ == "__main__":
    main()
