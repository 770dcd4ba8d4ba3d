"""Build and run public programs on a virtual device, and print which pass and why others do not.

    python bench/public_programs.py CHECKOUT [--device vgpu:gfx942] [--only NAME ...] [--json FILE]

CHECKOUT is https://github.com/zjin-lcf/HeCBench; public_programs.tsv tells how each program is built and run. On vgpu
devices the -hip twins run, on vcuda the -cuda originals, all unmodified. Those count that pass on an NVIDIA H200 with
the same arguments (record_public_programs.py). A program passes if it exits with 0, says so as often as it did there
and never that it failed. A time-out is a failure.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from program_table import FAILURE, Program, load_programs

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import find_device
from sandbox.execution.runner import RunRequest
from sandbox.execution.workshop import Workshop
from sandbox.isolation.protocol import Limits
from sandbox.models import Device, Run
from service.cli.workshop import open_workshop
from service.settings import load_settings

HEADERS = {".h", ".hpp", ".cuh", ".cu", ".cpp", ".inl"}
THREADS = "2"
MEMORY = 12 << 30


@dataclass
class Result:
    program: str
    device: str
    outcome: str
    reason: str
    build_seconds: float
    run_seconds: float


def make_recipe(checkout: Path, program: Program, side: str) -> Recipe:
    """The sources with every header beside them or in a shared folder."""
    folders = program.include_folders(side)
    paths = {p for folder in folders for p in (checkout / folder).rglob("*") if p.is_file() and p.suffix in HEADERS}
    flags = ["-O3", "--disable-warnings"] if side == "cuda" else ["-w"]
    return Recipe(
        files=tuple((str(path.relative_to(checkout)), path.read_bytes()) for path in sorted(paths)),
        main_files=tuple(program.sources(side)),
        include_dirs=tuple(folders),
        flags=(*flags, *program.flags(side)),
    )


def run_program(
    workshop: Workshop, checkout: Path, program: Program, device: Device, limit: float, environment: dict[str, str]
) -> Result:
    recipe = make_recipe(checkout, program, device.side)
    build = build_program(workshop.bench(), recipe, device.side, device.target)
    if not build.ok:
        errors = [line for line in build.log.splitlines() if "error" in line] or build.log.splitlines()[-1:]
        return Result(program.name, device.name, "NO BUILD", " | ".join(errors[:2])[:300], build.seconds, 0.0)
    left = limit
    output = ""
    for arguments in program.runs():
        limits = Limits(memory_bytes=MEMORY, wall_seconds=left, cpu_seconds=left * 4)
        request = RunRequest(
            args=arguments, limits=limits, environment=(("W2W_THREADS", THREADS), *environment.items())
        )
        run = workshop.runner().run(Path(build.program), device, request)
        left = max(left - run.seconds, 1.0)
        output += run.stdout
        if reason := _failure(run):
            return Result(program.name, device.name, "FAIL", reason, build.seconds, limit - left)
    reason = _judge(program, output, program.passes if device.side == "cuda" else program.hip_passes)
    return Result(program.name, device.name, "FAIL" if reason else "PASS", reason, build.seconds, limit - left)


def _failure(run: Run) -> str:
    """Why a run did not end well; empty if it did."""
    said = (run.stderr.strip().splitlines() or run.stdout.strip().splitlines() or [""])[-1]
    if run.limit:
        return f"{run.limit} limit"
    if run.fault:
        return f"{run.fault.kind}: {run.fault.kernel} {run.fault.instruction} {run.fault.message}"[:300]
    if run.exit_code != 0:
        return f"exit code {run.exit_code}, signal {run.signal}: {said}"[:300]
    return ""


def _judge(program: Program, output: str, passes: int) -> str:
    if failure := FAILURE.search(output):
        line = output[output.rfind("\n", 0, failure.start()) + 1 :].splitlines()[0]
        return f"wrong: {line}"[:300]
    wanted = max(passes, 1)
    if (found := program.count(output)) < wanted:
        return f"said {program.pattern!r} {found} times, not {wanted}"
    return ""


def print_table(results: list[Result], programs: list[Program]) -> None:
    on_gpu = {program.name for program in programs if program.h200 == "PASS"}
    counted = [result for result in results if result.program in on_gpu]
    built = [result for result in counted if result.outcome != "NO BUILD"]
    passed = sum(result.outcome == "PASS" for result in built)
    share = f" ({100 * passed / len(built):.1f} %)" if built else ""
    print(f"{len(counted)} of {len(results)} pass on an H200, {len(built)} of them build, {passed} pass{share}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, nargs="?", default=os.environ.get("WARP2WAVE_HECBENCH"))
    parser.add_argument("--device", default="vgpu:gfx942")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=120.0, help="for the runs of one program together")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="environment of the programs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.checkout is None:
        print("no checkout of HeCBench was given: nothing was run")
        return 0
    device = find_device(options.device)
    programs = [p for p in load_programs() if not options.only or p.name in options.only]
    environment = dict(pair.split("=", 1) for pair in options.set)
    results = []
    started = time.monotonic()
    with open_workshop(load_settings()) as workshop:
        for program in programs:
            result = run_program(workshop, options.checkout, program, device, options.seconds, environment)
            results.append(result)
            times = f"build {result.build_seconds:5.1f} s  run {result.run_seconds:6.1f} s"
            print(f"{result.program:22} {result.outcome:8} {times}  {result.reason}", flush=True)
    print_table(results, programs)
    print(f"{time.monotonic() - started:.0f} s in all")
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
