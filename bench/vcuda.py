"""How fast the virtual CUDA device is, beside plain C loops on one thread, and how long translation takes.

    python bench/vcuda.py [--rounds 20] [--json FILE]

Ratios are of times taken alternately in one process, the least of several, one thread on both sides: gcc -O3
-march=native for the loops, std::sort for the sort.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import find_device
from sandbox.execution.runner import Runner, RunRequest
from sandbox.execution.workbench import TOOL_ENVIRONMENT
from sandbox.execution.workshop import Workshop, WorkshopConfig
from sandbox.isolation.protocol import Command, Limits, Mount
from sandbox.models import Side
from sandbox.progress import ignore
from sandbox.toolchain import WORK_MOUNT, ToolchainConfig

_HERE = Path(__file__).parent
_TARGET = "sm_90"
_LIMITS = Limits(wall_seconds=900, cpu_seconds=900)
_TRANSLATED = re.compile(r": (\d+) instructions, \d+ ms \((.*)\)")
_ASKED = {"vector add": 4.0, "matrix product": 15.0, "radix sort": 50.0}
_ASKED_TRANSLATION = 0.5


@dataclass(frozen=True)
class Figure:
    """``asked``: the most that is wanted."""

    name: str
    value: float
    asked: float
    unit: str
    note: str


def measure(workshop: Workshop, runner: Runner, rounds: int) -> Iterator[Figure]:
    loops = _build_loops(workshop)
    # Another comment in each run would not change the PTX; another constant does, so that nothing is in the cache.
    salt = f"__constant__ int salt = {int.from_bytes(os.urandom(3), 'little')};\n".encode()
    source = (_HERE / "vcuda_programs" / "speed.cu").read_bytes() + salt
    build = build_program(
        workshop.bench(), Recipe(files=(("speed.cu", source),), main_files=("speed.cu",)), Side.CUDA, _TARGET
    )
    if not build.ok:
        raise SystemExit(build.log)
    before = len(runner.translator.log())
    _run(runner, Path(build.program), "1", loops)
    yield _translation(runner.translator.log()[before:])
    for line in _run(runner, Path(build.program), str(rounds), loops).splitlines():
        result = json.loads(line)
        asked = next(limit for name, limit in _ASKED.items() if result["name"].startswith(name))
        for clock, place in (("cpu_", "CPU time"), ("", "wall time")):
            loop, kernel = result[f"loop_{clock}ms"], result[f"kernel_{clock}ms"]
            yield Figure(result["name"], kernel / loop, asked, "x", f"{place}: {kernel:.2f} ms, plain {loop:.2f} ms")


def _run(runner: Runner, program: Path, rounds: str, loops: bytes) -> str:
    request = RunRequest(
        args=(rounds,), environment=(("W2W_THREADS", "1"),), inputs=(("loops.so", loops),), limits=_LIMITS
    )
    outcome = runner.run(program, find_device(f"vcuda:{_TARGET}"), request)
    if outcome.exit_code != 0:
        raise SystemExit(outcome.stdout + outcome.stderr)
    return outcome.stdout


def _translation(log: str) -> Figure:
    found = _TRANSLATED.search(log)
    if found is None:
        raise SystemExit(f"nothing was translated: {log}")
    phases = {name: float(value) for name, value in (phase.rsplit(" ", 1) for phase in found[2].split(", "))}
    spent = phases.get("CPU", sum(phases.values()))
    name = f"translation of {found[1]} instructions"
    return Figure(name, spent / int(found[1]), _ASKED_TRANSLATION, "ms CPU time an instruction", found[2])


def _build_loops(workshop: Workshop) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        programs = WORK_MOUNT.parent / "programs"
        mounts = (Mount(folder, WORK_MOUNT, writable=True), Mount(_HERE / "vgpu_programs", programs))
        command = ("gcc", "-O3", "-march=native", "-shared", "-fPIC", f"{programs}/loops.c", "-o", "loops.so", "-lm")
        bench = workshop.bench()
        inside = Command(argv=command, root=bench.toolchain.root, cwd=WORK_MOUNT, env=TOOL_ENVIRONMENT, mounts=mounts)
        done = bench.sandbox.run(inside, _LIMITS)
        if done.exit_code != 0:
            raise SystemExit(done.stderr.decode(errors="replace"))
        return (folder / "loops.so").read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with Workshop(WorkshopConfig(cache=ToolchainConfig.from_environment().cache)) as workshop:
        figures = list(measure(workshop, workshop.runner(ignore), options.rounds))
    print("| what | measured | asked, at most | |\n|---|---|---|---|")
    for figure in figures:
        print(f"| {figure.name} | {figure.value:.2f} {figure.unit} | {figure.asked:g} | {figure.note} |")
    if options.json:
        options.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
