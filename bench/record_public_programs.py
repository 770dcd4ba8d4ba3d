"""Run the public programs on an NVIDIA GPU and write what they said into public_programs.tsv.

    python bench/record_public_programs.py CHECKOUT [--arch sm_90] [--jobs 16] [--output FILE]

Needs Python, nvcc and the GPU, nothing of warp2wave but program_table.py. The programs are built side by side and run
one after another.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program_table import FAILURE, TABLE, Program, load_programs, save_programs, with_result


def build(checkout: Path, program: Program, arch: str, folder: Path) -> tuple[Path | None, str]:
    binary = folder / program.name
    command = ["nvcc", f"-arch={arch}", "-std=c++17", "-O3", "--disable-warnings"]
    command += ["--extended-lambda", "--expt-relaxed-constexpr", *program.flags("cuda")]
    command += [f"-I{folder}" for folder in program.include_folders("cuda")]
    command += [*program.sources("cuda"), "-o", str(binary)]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        return None, ([line for line in done.stderr.splitlines() if "error" in line] or ["?"])[0]
    return binary, ""


def run(program: Program, binary: Path, seconds: float) -> Program:
    output = ""
    for arguments in program.runs():
        try:
            done = subprocess.run(
                [str(binary), *arguments],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=seconds,
                cwd=binary.parent,
            )
        except subprocess.TimeoutExpired:
            return with_result(program, 0, "FAIL: time-out")
        output += done.stdout
        if done.returncode != 0:
            return with_result(program, 0, f"FAIL: exit code {done.returncode}")
    if FAILURE.search(output):
        return with_result(program, program.count(output), "FAIL: wrong answer")
    passes = program.count(output)
    if not passes:
        print(f"{program.name}: output ends {output[-300:]!r}")
    return with_result(program, passes, "PASS" if passes else "FAIL: says nothing")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, nargs="?")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--output", type=Path, default=TABLE)
    options = parser.parse_args()
    if options.checkout is None:
        print("no checkout of HeCBench was given: nothing was run")
        return 0
    programs = load_programs()
    results = list(programs)
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        chosen = [i for i, p in enumerate(programs) if not options.only or p.name in options.only]
        builds = pool.map(lambda i: build(options.checkout, programs[i], options.arch, Path(name)), chosen)
        for index, (binary, error) in zip(chosen, builds, strict=True):
            started = time.monotonic()
            if binary is None:
                results[index] = with_result(programs[index], 0, f"FAIL: no build: {error[:150]}")
            else:
                results[index] = run(programs[index], binary, options.seconds)
            result = results[index]
            print(f"{result.name:22} {result.h200:20} {result.passes:4} {time.monotonic() - started:.1f} s", flush=True)
    save_programs(results, options.output)
    print(f"{sum(result.h200 == 'PASS' for result in results)} of {len(results)} pass")
    return 0


if __name__ == "__main__":
    sys.exit(main())
