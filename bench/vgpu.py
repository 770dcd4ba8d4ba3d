"""How fast the virtual AMD GPU is, beside plain C loops, and how long translation takes.

    python bench/vgpu.py [--rounds 20] [--json FILE] [--only kernels,threads,launch,hello,translation]

Prints a table and JSON. Ratios are of times taken alternately in one process, the least of several. Where others use
the machine, ratios of CPU time tell more than those of wall time; both are given.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.cpu import instruction_set_level
from sandbox.execution.devices import hip_device
from sandbox.execution.runner import Runner, RunRequest
from sandbox.execution.runtime import SOURCES, load_libraries
from sandbox.execution.workbench import TOOL_ENVIRONMENT
from sandbox.execution.workshop import Workshop, WorkshopConfig
from sandbox.isolation.protocol import Command, Limits, Mount
from sandbox.models import Side
from sandbox.progress import ignore
from sandbox.toolchain import WORK_MOUNT, ToolchainConfig

_PROGRAMS = Path(__file__).with_name("vgpu_programs")
_TARGET = "gfx942"
_TRANSLATED = re.compile(r"(\S+)( \(quick\))?: (\d+) instructions, \d+ ms \((.*)\)")
_LONG_KERNEL_STEPS = (4, 16, 64, 256)
_RUNS = 5


@dataclass(frozen=True)
class Figure:
    """``asked``: the most (the least, if ``at_least``) that is wanted."""

    name: str
    value: float
    asked: float
    unit: str
    note: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.value >= self.asked if self.at_least else self.value <= self.asked


@dataclass(frozen=True)
class Bench:
    workshop: Workshop
    runner: Runner
    rounds: int

    def run(
        self, name: str, *args: str, env: dict[str, str] | None = None, inputs: tuple[tuple[str, bytes], ...] = ()
    ) -> tuple[str, str]:
        """What programs/<name>.hip prints to its two outputs."""
        limits = Limits(wall_seconds=600, cpu_seconds=600)
        request = RunRequest(args=args, environment=tuple((env or {}).items()), inputs=inputs, limits=limits)
        outcome = self.runner.run(self.compile(name), hip_device(_TARGET), request)
        if outcome.exit_code != 0:
            raise SystemExit(f"{name}: {outcome.stdout}{outcome.stderr}")
        return outcome.stdout, outcome.stderr

    def compile(self, name: str, *flags: str) -> Path:
        files = ((f"{name}.hip", (_PROGRAMS / f"{name}.hip").read_bytes()),)
        flags = ("-Wno-unused-result", *flags)
        recipe = Recipe(files=files, main_files=(f"{name}.hip",), flags=flags)
        build = build_program(self.workshop.bench(), recipe, Side.HIP, _TARGET)
        if not build.ok:
            raise SystemExit(build.log)
        return Path(build.program)

    def build(self, output: str, *command: str) -> bytes:
        """The file ``output`` that ``command`` makes in the toolchain, from /programs and /vgpu."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o777)
            mounts = (
                Mount(folder, WORK_MOUNT, writable=True),
                Mount(_PROGRAMS, WORK_MOUNT.parent / "programs"),
                Mount(SOURCES, WORK_MOUNT.parent / "vgpu"),
            )
            bench = self.workshop.bench()
            inside = Command(
                argv=command, root=bench.toolchain.root, cwd=WORK_MOUNT, env=TOOL_ENVIRONMENT, mounts=mounts
            )
            done = bench.sandbox.run(inside, Limits(wall_seconds=600, cpu_seconds=600))
            if done.exit_code != 0:
                raise SystemExit(done.stderr.decode(errors="replace"))
            return (folder / output).read_bytes()


# ---- kernels beside loops ----------------------------------------

_ASKED = {"vector add": 4.0, "matrix product": 10.0, "softmax": 2.5}


def measure_kernels(bench: Bench) -> Iterator[Figure]:
    for result in _kernel_times(bench, 1):
        asked = next(limit for name, limit in _ASKED.items() if result["name"].startswith(name))
        for clock, place in (("cpu_", "CPU time"), ("", "wall time")):
            loop, kernel = result[f"loop_{clock}ms"], result[f"kernel_{clock}ms"]
            note = f"{place}: {kernel:.2f} ms, loop {loop:.2f} ms"
            yield Figure(result["name"], kernel / loop, asked, "x the loop", note)


def measure_threads(bench: Bench) -> Iterator[Figure]:
    """Of two threads against one, wall time: needs two free CPUs. The CPU time tells what the second thread costs."""
    times: dict[int, list[dict]] = {1: [], 2: []}
    for _ in range(2):
        for threads, results in times.items():
            results += [entry for entry in _kernel_times(bench, threads) if entry["name"].startswith("matrix")]
    wall, cpu = (
        {threads: min(entry[clock] for entry in results) for threads, results in times.items()}
        for clock in ("kernel_ms", "kernel_cpu_ms")
    )
    note = f"wall time: {wall[1]:.1f} ms on one, {wall[2]:.1f} ms on two; CPU time: {cpu[1]:.1f} and {cpu[2]:.1f} ms"
    yield Figure(f"two threads, {times[1][0]['name']}", wall[1] / wall[2], 1.7, "x one thread", note, at_least=True)


def _kernel_times(bench: Bench, threads: int) -> list[dict]:
    flags = ("-O3", "-march=native", "-shared", "-fPIC")
    loops = bench.build("loops.so", "gcc", *flags, f"{_inside('loops.c')}", "-o", "loops.so", "-lm")
    environment = {"W2W_THREADS": str(threads)}
    bench.run("speed", "1", env=environment, inputs=(("loops.so", loops),))  # translates
    output, _ = bench.run("speed", str(bench.rounds), env=environment, inputs=(("loops.so", loops),))
    return [json.loads(line) for line in output.splitlines()]


def _inside(name: str) -> str:
    return str(WORK_MOUNT.parent / "programs" / name)


# ---- launches ----------------------------------------


def measure_launch(bench: Bench) -> Iterator[Figure]:
    library = load_libraries()["hsa"]
    vgpu = WORK_MOUNT.parent / "vgpu"
    sources = (f"{vgpu}/{path.relative_to(SOURCES)}" for folder in ("hsa", "common") for path in _sources(folder))
    stub = bench.build(
        library.output,
        *(library.compiler, *library.flags, f"-march={instruction_set_level()}", f"-I{vgpu}"),
        *(*sources, _inside("empty_engine.cpp"), *library.link_flags, f"-Wl,-soname,{library.soname}"),
        *(f"-Wl,--version-script={vgpu}/{library.version_script}", "-o", library.output),
    )
    environment = {"LD_LIBRARY_PATH": f"{WORK_MOUNT}/stub"}
    times: dict[str, list[float]] = {"engine": [], "stub": []}
    for _ in range(_RUNS):
        times["engine"].append(_launch_time(bench.run("launch")[0]))
        inputs = ((f"stub/{library.output}", stub),)
        times["stub"].append(_launch_time(bench.run("launch", env=environment, inputs=inputs)[0]))
    engine, empty = min(times["engine"]), min(times["stub"])
    note = f"{engine:.1f} us, empty engine {empty:.1f} us"
    yield Figure("launch and synchronise", engine / empty, 1.0, "x an empty engine", note)


def _sources(folder: str) -> list[Path]:
    return sorted((SOURCES / folder).glob("*.cpp"))


def _launch_time(output: str) -> float:
    return float(json.loads(output)["launch_us"])


# ---- the smallest program ----------------------------------------


def measure_hello(bench: Bench) -> Iterator[Figure]:
    sampler = bench.build("sampler.so", "gcc", "-O2", "-shared", "-fPIC", _inside("sampler.c"), "-o", "sampler.so")
    bench.run("hello")  # translates
    shares = []
    for _ in range(_RUNS):
        _, errors = bench.run("hello", env={"LD_PRELOAD": "./sampler.so"}, inputs=(("sampler.so", sampler),))
        counts = json.loads(errors.splitlines()[-1])
        shares.append((counts["ours"] / counts["samples"], counts["samples"]))
    share, samples = min(shares)
    note = f"of the main thread's wall time, {samples / 10:.0f} ms; translations cached"
    yield Figure("hello world, share of our code", share, 0.5, "", note)


# ---- translation ----------------------------------------


def measure_translation(bench: Bench) -> Iterator[Figure]:
    for steps in _LONG_KERNEL_STEPS:
        # Another constant in each run: what is in the cache was not translated now.
        salt = int.from_bytes(os.urandom(3), "little")
        program = bench.compile("long_kernel", f"-DSTEPS={steps}", f"-DSALT={salt}", "-ftemplate-depth=2000")
        before = len(bench.runner.translator.log())
        outcome = bench.runner.run(program, hip_device(_TARGET), RunRequest(limits=Limits(wall_seconds=600)))
        if outcome.exit_code != 0:
            raise SystemExit(outcome.stderr)
        yield from _translation_figures(bench.runner.translator.log, before)


def _translation_figures(log: Callable[[], str], before: int) -> Iterator[Figure]:
    """The optimised translation may still be under way."""
    seen = _wait_for(lambda: _finished(log()[before:]))
    for quick, instructions, phases in seen:
        milliseconds = {name: float(value) for name, value in (phase.rsplit(" ", 1) for phase in phases.split(", "))}
        each = milliseconds["CPU"] / instructions
        name = f"translation of {instructions} instructions{', quick tier' if quick else ''}"
        yield Figure(name, each, 0.5, "ms CPU time an instruction", f"{milliseconds['CPU']:.0f} ms: {phases}")


def _finished(log: str) -> list[tuple[bool, int, str]] | None:
    found = [(bool(m[2]), int(m[3]), m[4]) for m in _TRANSLATED.finditer(log)]
    return found if any(not quick for quick, _, _ in found) else None


def _wait_for(look: Callable[[], list[tuple[bool, int, str]] | None]) -> list[tuple[bool, int, str]]:
    for _ in range(6000):
        found = look()
        if found is not None:
            return found
        time.sleep(0.1)
    raise SystemExit("the translation does not come to an end")


# ---- the whole ----------------------------------------

_PARTS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "kernels": measure_kernels,
    "threads": measure_threads,
    "launch": measure_launch,
    "hello": measure_hello,
    "translation": measure_translation,
}


def machine() -> dict[str, str]:
    models = (
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    )
    load = "{:.1f} {:.1f} {:.1f}".format(*os.getloadavg())
    return {
        "processor": next(models, platform.processor()),
        "cpus": str(os.cpu_count()),
        "level": instruction_set_level(),
        "load": load,
    }


def table(figures: list[Figure], where: dict[str, str]) -> str:
    lines = [", ".join(f"{name}: {value}" for name, value in where.items()), ""]
    lines += ["| what | measured | asked | |", "|---|---|---|---|"]
    for figure in figures:
        sign = ("at least" if figure.at_least else "at most") + f" {figure.asked:g}"
        state = "" if figure.met else "**missed**; "
        lines.append(f"| {figure.name} | {figure.value:.2f} {figure.unit} | {sign} | {state}{figure.note} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default=",".join(_PARTS))
    options = parser.parse_args()
    figures: list[Figure] = []
    with Workshop(WorkshopConfig(cache=ToolchainConfig.from_environment().cache)) as workshop:
        bench = Bench(workshop, workshop.runner(ignore), options.rounds)
        for part in options.only.split(","):
            for figure in _PARTS[part](bench):
                figures.append(figure)
                print(f"{figure.name}: {figure.value:.3f} {figure.unit} ({figure.note})", file=sys.stderr, flush=True)
    where = machine()
    print(table(figures, where))
    text = json.dumps(
        {"machine": where, "figures": [asdict(figure) | {"met": figure.met} for figure in figures]}, indent=1
    )
    if options.json:
        options.json.write_text(text + "\n")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
