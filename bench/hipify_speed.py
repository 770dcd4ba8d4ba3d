"""How fast the translator is: lines a second of one core, beside hipify-perl's on the same files, and on all cores.

    python bench/hipify_speed.py [--perl HIPIFY_PERL] [--files 30] [--many 1000]

The files are the largest of the corpus and of the test cases. Times are of the processor, so that a busy machine does
not count; the catalogue of faults is included, as in ``warp2wave port``. hipify-perl is looked for as the engine is.
Its warnings about unknown names, which we always give, are most of its time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agents.hipify import translate_text
from agents.hipify.engines.process import find_tool

ROOT = Path(__file__).parents[1]
COMMAND = (sys.executable, "-c", "from service.cli.main import main; main()")


def choose_files(count: int) -> list[Path]:
    files = [*ROOT.glob("kernels_corpus/**/*.cu"), *ROOT.glob("tests/cases/**/*.cu")]
    return sorted(files, key=lambda file: (-file.stat().st_size, file))[:count]


def time_ours(texts: list[str]) -> float:
    """Seconds for all of them, least of three runs; the first call, which reads the tables, is not counted."""
    translate_text(texts[0])
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            translate_text(text)
        best = min(best, time.process_time() - start)
    return best


def time_perl(tool: str, files: list[Path], *flags: str) -> float:
    """Seconds with one process a file, as it is meant to be used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for file in files:
        subprocess.run([tool, *flags, str(file)], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def time_large(size: int) -> float:
    """Seconds for one line of ``size`` bytes."""
    unit = (
        "int f(int* p){ cudaMalloc(&p, 4); if (p[0] < 3) cudaFree(p); k<<<1,2>>>(p); return __shfl_sync(~0u, 1, 2); } "
    )
    start = time.process_time()
    translate_text(unit * (size // len(unit)))
    return time.process_time() - start


def time_many(texts: list[str], count: int) -> tuple[float, float]:
    """Wall and processor seconds of the command for ``count`` files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.cu" for number in range(count)]
        for number, path in enumerate(paths):
            path.write_text(texts[number % len(texts)], errors="surrogateescape")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        arguments = [*COMMAND, "hipify", "-q", "--o-dir", f"{folder}/out", *map(str, paths)]
        subprocess.run(arguments, capture_output=True, check=False, cwd=ROOT)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        written = len(list(Path(folder, "out").glob("*.hip")))
        if written != count:
            raise SystemExit(f"wrote {written} of {count} files")
        return wall, after.ru_utime - before.ru_utime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perl", default=find_tool("hipify-perl"))
    parser.add_argument("--files", type=int, default=30)
    parser.add_argument("--many", type=int, default=1000)
    options = parser.parse_args()
    files = choose_files(options.files)
    texts = [file.read_text(encoding="utf-8", errors="surrogateescape") for file in files]
    lines = sum(text.count("\n") for text in texts)
    ours = lines / time_ours(texts)
    print(f"{len(files)} files, {lines} lines, one core")
    print(f"warp2wave     {ours:9.0f} lines/s, faults included")
    if options.perl:
        for name, flags in (("hipify-perl", ()), ("  no warnings", ("-quiet-warnings",))):
            perl = lines / time_perl(options.perl, files, *flags)
            print(f"{name:13} {perl:9.0f} lines/s; warp2wave is {ours / perl:.0f} times as fast")
    else:
        print("hipify-perl   not found; give --perl")
    for megabytes in (1, 4):
        seconds = time_large(megabytes << 20)
        print(f"one line of {megabytes} MiB: {seconds:.1f} s")
    wall, processor = time_many(texts, options.many)
    print(f"{options.many} files: {wall:.1f} s, {processor / wall:.1f} of {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
