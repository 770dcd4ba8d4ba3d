"""Read a program from disk into a submission, with the local headers that it reaches."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.errors import SubmissionError
from agents.models import BuildOptions, GivenPort, RunOptions, SourceFile, Submission

MAX_FILE_BYTES = 10 << 20
MAX_TOTAL_BYTES = 32 << 20
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)
# Kernels of the program's own, or those of a library of templates.
_KERNEL = re.compile(r"\b__global__\b|#[ \t]*include[ \t]*[<\"](?:thrust|cub)/")


@dataclass(frozen=True)
class Program:
    """Paths as the user gave them, and what the compiler should be told."""

    files: Sequence[Path]
    include_dirs: Sequence[Path] = ()
    options: BuildOptions = BuildOptions()
    run: RunOptions = RunOptions()


def read_submission(
    program: Program, *, targets: Sequence[str], explain: bool = False, needs_kernel: bool = True
) -> Submission:
    """Raises SubmissionError where a file cannot be read, is empty, binary or too large, or holds no kernel."""
    mains = [_existing(path) for path in program.files]
    if not mains:
        raise SubmissionError("no file was given", hint="name the .cu file to port")
    include_dirs = [path.resolve() for path in program.include_dirs]
    texts = _reach(mains, include_dirs, _project_folders(mains, include_dirs))
    if needs_kernel and not any(holds_kernel(text) for text in texts.values()):
        raise SubmissionError(
            f"{program.files[0]} holds no kernel: there is no __global__ function in it or its local headers, "
            "and no use of thrust or cub",
            hint="give the file that defines the kernels",
        )
    used_dirs = [d for d in include_dirs if any(path.is_relative_to(d) for path in texts)]
    root = Path(os.path.commonpath([*(path.parent for path in texts), *used_dirs]))
    return Submission(
        name=mains[0].name,
        files=tuple(SourceFile(path=str(p.relative_to(root)), text=text) for p, text in texts.items()),
        main_files=tuple(str(path.relative_to(root)) for path in mains),
        targets=tuple(targets),
        build=program.options.model_copy(update={"include_dirs": tuple(str(d.relative_to(root)) for d in used_dirs)}),
        run=program.run,
        explain=explain,
    )


def with_given_port(submission: Submission, files: Sequence[Path], include_dirs: Sequence[Path] = ()) -> Submission:
    """The submission, to judge the port in ``files`` (and the local headers that they reach). Raises SubmissionError
    as ``read_submission`` does; a port without a kernel may be given."""
    port = read_submission(
        Program(files=files, include_dirs=include_dirs), targets=submission.targets, needs_kernel=False
    )
    given = GivenPort(files=port.files, main_files=port.main_files, include_dirs=port.build.include_dirs)
    return submission.model_copy(update={"given": given, "name": port.name})


def holds_kernel(text: str) -> bool:
    """Whether a source has kernels of its own, or uses those of a library of templates."""
    return _KERNEL.search(text) is not None


def read_source(path: Path) -> str:
    """One source file's text, byte-exact (surrogateescape). Raises SubmissionError."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise SubmissionError(
                f"{path} has {size >> 20} MiB; the most for a source file is {MAX_FILE_BYTES >> 20} MiB",
                hint="submit the part with the kernels",
            )
        data = path.read_bytes()
    except OSError as error:
        raise SubmissionError(f"{path} cannot be read: {error.strerror}") from error
    if not data.strip():
        raise SubmissionError(f"{path} is empty", hint="give a CUDA source file")
    if b"\0" in data:
        raise SubmissionError(f"{path} is binary, not source text", hint="give a CUDA source file")
    return data.decode("utf-8", "surrogateescape")


def _existing(path: Path) -> Path:
    if not path.exists():
        raise SubmissionError(f"{path} does not exist")
    if not path.is_file():
        raise SubmissionError(f"{path} is not a file", hint="name the .cu file to port")
    return path.resolve()


def _project_folders(mains: Sequence[Path], include_dirs: Sequence[Path]) -> list[Path]:
    """Where headers may lie. A source is not trusted: it must not pull any file of the host into the submission
    by naming it. Allowed are the folders of the main files, those of -I, and the git work tree around a main file."""
    folders = [*(main.parent for main in mains), *include_dirs]
    for main in mains:
        folders += [parent for parent in main.parents if (parent / ".git").exists()][:1]
    return folders


def _reach(mains: Sequence[Path], include_dirs: Sequence[Path], allowed: Sequence[Path]) -> dict[Path, str]:
    """The main files and every local header that they include, in order of discovery."""
    texts: dict[Path, str] = {}
    waiting = list(mains)
    total = 0
    while waiting:
        path = waiting.pop(0)
        if path in texts:
            continue
        texts[path] = read_source(path)
        total += len(texts[path])
        if total > MAX_TOTAL_BYTES:
            raise SubmissionError(f"{mains[0]} and its headers have more than {MAX_TOTAL_BYTES >> 20} MiB")
        found = _local_includes(path, texts[path], include_dirs)
        waiting += [header for header in found if any(header.is_relative_to(folder) for folder in allowed)]
    return texts


def _local_includes(path: Path, text: str, include_dirs: Sequence[Path]) -> list[Path]:
    found = []
    for quote, name in _INCLUDE.findall(text.encode("utf-8", "surrogateescape")):
        relative = os.fsdecode(name).strip()
        places = [path.parent, *include_dirs] if quote == b'"' else list(include_dirs)
        for place in places:
            candidate = place / relative
            if candidate.is_file():
                found.append(candidate.resolve())
                break
    return found
