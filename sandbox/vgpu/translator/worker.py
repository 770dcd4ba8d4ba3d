"""A worker process: runs front ends and compilers on hostile images. May crash or be killed at any moment.

Its standard input brings jobs and its standard output takes answers, one line of JSON each.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from .compiler import Compiler
from .frontend import TranslationError
from .kinds import KINDS, load_front_end


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a front end prints must not look like an answer
    compiler = Compiler(options.llvm, options.march, options.helpers)
    _import_front_ends()
    gc.freeze()
    gc.set_threshold(100_000)  # a translation makes many objects, and hardly a cycle among them
    for line in sys.stdin:
        answers.write(json.dumps(_answer(json.loads(line), compiler)) + "\n")
        answers.flush()
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--llvm", type=Path, required=True)
    parser.add_argument("--march", required=True)
    parser.add_argument("--helpers", type=Path)
    return parser.parse_args(arguments)


def _import_front_ends() -> None:
    """While idle, so that the first job need not wait for it. A broken one fails its own jobs only."""
    for kind in KINDS:
        try:
            load_front_end(kind)
        except Exception as error:
            print(f"front end {kind} cannot be imported: {type(error).__name__}: {error}", file=sys.stderr)


def _answer(job: dict[str, Any], compiler: Compiler) -> dict[str, Any]:
    try:
        if job["do"] == "list":
            units = load_front_end(job["kind"]).list_units(Path(job["image"]).read_bytes(), job["target"])
            return {"ok": True, "units": units}
        return _translate(job, compiler)
    except TranslationError as error:
        return {"ok": False, "code": error.code, "message": error.message}
    except Exception as error:  # a front end's mistake must not cost the others their worker
        where = _innermost(error)
        return {
            "ok": False,
            "code": "internal-error",
            "message": f"{type(error).__name__}: {error} ({where})"[:1000],
        }


def _translate(job: dict[str, Any], compiler: Compiler) -> dict[str, Any]:
    workdir = Path(job["workdir"])
    started, cpu_before = time.monotonic(), os.times()
    image = Path(job["image"]).read_bytes()
    scratch = workdir / "frontend"
    scratch.mkdir()
    front_end = load_front_end(job["kind"])
    source = front_end.translate(image, job["target"], job["unit"], flavour=job["flavour"], workdir=scratch)
    translated = time.monotonic()
    quick = job["quick"] and source.language == "ir" and source.instructions >= job["quick_from"]
    built, milliseconds = compiler.build(job["kind"], source, workdir, quick=quick)
    milliseconds["front end"] = 1e3 * (translated - started)
    milliseconds["CPU"] = 1e3 * sum(
        after - before for after, before in zip(os.times()[:4], cpu_before[:4], strict=True)
    )
    return {
        "ok": True,
        "object": str(built),
        "quick": quick,
        "instructions": source.instructions,
        "milliseconds": milliseconds,
        "notes": list(source.notes),
    }


def _innermost(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
