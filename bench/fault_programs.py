"""Run a folder of self-checking CUDA programs through the product and print a table.

    python bench/fault_programs.py [FOLDER] [--target gfx942] [--jobs 2] [--json FILE]

Each program prints PASS as its last line where it is right. For each: does it PASS on the virtual CUDA device, and
what becomes of its port?
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

COMMAND = (sys.executable, "-c", "from service.cli.main import main; main()")


@dataclass
class Row:
    program: str
    cuda: str
    port: str
    reasons: list[str]


def run_cuda(program: Path) -> str:
    done = subprocess.run(
        [*COMMAND, "run", "-q", "--device", "vcuda", "--timeout", "60", str(program)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines and lines[-1] == "PASS":
        return "PASS"
    last = (done.stderr.strip().splitlines() or lines or ["no output"])[-1]
    return f"exit {done.returncode}: {last[:100]}"


def run_port(program: Path, target: str, scratch: Path) -> tuple[str, list[str]]:
    out = scratch / program.parent.name / program.stem
    done = subprocess.run(
        [*COMMAND, "port", "-q", "--json", "--timeout", "60", "--target", target, "-o", str(out), str(program)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    try:
        verdict = json.loads(done.stdout)["verdict"]
    except (ValueError, KeyError):
        return f"exit {done.returncode}", done.stderr.strip().splitlines()[-1:]
    return verdict["outcome"], [reason for t in verdict["targets"] for reason in t["reasons"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("kernels_corpus"))
    parser.add_argument("--target", default="gfx942")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--scratch", type=Path, default=Path("out/fault_programs"))
    options = parser.parse_args()

    def work(program: Path) -> Row:
        cuda = run_cuda(program)
        outcome, reasons = run_port(program, options.target, options.scratch)
        row = Row(str(program.relative_to(options.folder)), cuda, outcome, reasons)
        print(f"{row.program:36} cuda {row.cuda:14.60} port {row.port:16} {'; '.join(row.reasons)[:150]}", flush=True)
        return row

    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(work, sorted(options.folder.rglob("*.cu"))))
    passed = sum(row.cuda == "PASS" for row in rows)
    accepted = sum(row.port == "accepted" for row in rows)
    print(f"{len(rows)} programs: {passed} PASS on the virtual CUDA device")
    print(f"{accepted} ports accepted on {options.target}")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    main()
