"""``warp2wave demo``: the block reduction, from the naive port's wrong sum to an accepted port in the database."""

from __future__ import annotations

import time
from pathlib import Path

from agents.orchestrator.sandboxed import SandboxedStages
from agents.orchestrator.submission import Program, read_submission
from service.cli import options
from service.cli.console import ProgressLines, open_console
from service.cli.port import DEFAULT_TARGETS, write_port
from service.cli.render import print_port
from service.cli.workshop import open_workshop
from service.errors import RequestError
from service.exit_codes import exit_code_for_outcome
from service.settings import load_settings
from service.worker.runtime import Runtime

CASE = Path("kernels_corpus/block_reduction/kernel.cu")


def demo(quiet: options.Quiet = False) -> int:
    """Port the corpus's block reduction for both targets and show it from the database."""
    started = time.monotonic()
    source = Path(__file__).resolve().parents[2] / CASE
    if not source.is_file():
        raise RequestError(f"{CASE} is not beside the installed packages", hint="run the demo from a clone")
    settings = load_settings()
    console = open_console()
    progress = ProgressLines(quiet=quiet)
    with open_workshop(settings) as workshop, Runtime(settings, SandboxedStages(workshop)) as runtime:
        workshop.runner(progress)
        ready = time.monotonic()
        submission = read_submission(Program(files=[source]), targets=DEFAULT_TARGETS.split(","), explain=True)
        port_id = runtime.submit(submission)
        result = runtime.wait(port_id, progress)
        progress.close()
        write_port(runtime, result, Path("out/block_reduction"))
        console.print(f"\n$ warp2wave show {port_id}", style="bold")
        print_port(console, runtime.get_report(port_id))
    spent = f"toolchain and virtual devices {ready - started:.1f} s, port {time.monotonic() - ready:.1f} s"
    console.print(f"\nthe port is in out/block_reduction/; {spent}", style="dim", markup=False)
    console.print("your own kernel: .venv/bin/warp2wave port FILE.cu", markup=False)
    return exit_code_for_outcome(result.verdict.outcome)
