"""The work of ``warp2wave hipify``: one file or many, on all cores."""

from __future__ import annotations

import json as json_text
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

import typer
from rich.progress import track

from agents.hipify import Options
from agents.hipify.engines import load_engine
from agents.models import Finding
from agents.shims.library import INCLUDE_FOLDER
from service.cli import options
from service.cli.console import open_console
from service.cli.render import findings_table
from service.errors import RequestError
from service.exit_codes import ExitCode
from service.text import printable

_CUDA_SUFFIXES = frozenset({".cu", ".cuh"})
_STDIN = "-"
_WORTH_A_POOL = 8
"""Files from which on processes start faster than one does all."""


@dataclass(frozen=True)
class Destination:
    """Where the output goes: one file, a folder, the files themselves; none of them: stdout, or FILE.hip of several."""

    file: Path | None = None
    folder: Path | None = None
    inplace: bool = False
    backup: bool = True
    none: bool = False


@dataclass(frozen=True)
class Translated:
    path: Path
    text: str
    findings: tuple[Finding, ...]
    messages: str = ""


@dataclass(frozen=True)
class HipifyJob:
    options: Options
    destination: Destination
    json: bool = False
    quiet: bool = False
    engine: str = "builtin"

    def run(self, paths: Sequence[Path]) -> ExitCode:
        """Raises RequestError for a destination that does not fit, SubmissionError for what cannot be read, and
        EngineError for a translator of others that is missing or fails."""
        self._check(paths)
        done = list(self._translate(paths))
        if self.json:
            documents = [
                {
                    "file": str(one.path),
                    "text": one.text,
                    "findings": [f.model_dump(mode="json", by_alias=True) for f in one.findings],
                }
                for one in done
            ]
            typer.echo(json_text.dumps(documents[0] if len(documents) == 1 else documents, indent=2))
        elif not self.destination.none:
            for one in done:
                self._write(one, alone=len(done) == 1)
        self._report(done)
        open_ = any(finding.open for one in done for finding in one.findings)
        return ExitCode.NEEDS_ATTENTION if open_ else ExitCode.ACCEPTED

    def _check(self, paths: Sequence[Path]) -> None:
        where = self.destination
        if sum((where.file is not None, where.folder is not None, where.inplace)) > 1:
            raise RequestError("give one of -o, --o-dir and --inplace")
        if where.file is not None and len(paths) > 1:
            raise RequestError("-o takes one file; use --o-dir for several")
        if where.inplace and Path(_STDIN) in paths:
            raise RequestError("--inplace needs files")

    def _translate(self, paths: Sequence[Path]) -> Iterator[Translated]:
        if len(paths) < _WORTH_A_POOL:
            yield from (translate_file(path, self.options, self.engine) for path in paths)
            return
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(translate_file, paths, repeat(self.options), repeat(self.engine), chunksize=4)
            console = open_console(stderr=True, quiet=self.quiet)
            yield from track(results, "hipify", total=len(paths), console=console, disable=not console.is_terminal)

    def _write(self, one: Translated, *, alone: bool) -> None:
        data = one.text.encode("utf-8", "surrogateescape")
        where = self.destination
        if where.inplace:
            if where.backup:
                shutil.copyfile(one.path, f"{one.path}.prehip")
            one.path.write_bytes(data)
        elif where.file is not None:
            where.file.write_bytes(data)
        elif where.folder is not None:
            where.folder.mkdir(parents=True, exist_ok=True)
            (where.folder / f"{one.path.name}.hip").write_bytes(data)
        elif alone:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            one.path.with_name(f"{one.path.name}.hip").write_bytes(data)

    def _report(self, done: Sequence[Translated]) -> None:
        console = open_console(stderr=True, quiet=self.quiet)
        for one in done:
            for line in findings_table(one.findings):
                console.print(line, soft_wrap=True)
            if one.messages:
                console.print(
                    "\n".join(printable(line) for line in one.messages.splitlines()), markup=False, soft_wrap=True
                )
        if not self.json and any('"warp2wave/' in one.text for one in done):
            console.print(
                f"the output includes headers of warp2wave: add -I {INCLUDE_FOLDER}", soft_wrap=True, markup=False
            )


def translate_file(path: Path, wanted: Options, engine: str) -> Translated:
    return translate_source(path, options.read_text(path), wanted, engine)


def translate_source(path: Path, text: str, wanted: Options, engine: str) -> Translated:
    name = "stdin.cu" if str(path) == _STDIN else str(path)
    is_cuda = Path(name).suffix in _CUDA_SUFFIXES
    output = load_engine(engine).translate(text, path=name, options=replace(wanted, always_runtime=is_cuda))
    return Translated(path, output.text, output.findings, output.messages)
