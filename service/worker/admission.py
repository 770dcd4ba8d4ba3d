"""What a submission must be before it is taken in, whichever way it came. Cheap: nothing is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from agents.errors import SubmissionError
from agents.models import SourceFile, Submission
from agents.orchestrator.submission import holds_kernel
from service.errors import TooLargeError

MAX_FILES = 1000
_MAX_PATH = 400
_TARGET = re.compile(r"gfx[0-9a-f]{3,5}")


def check_submission(submission: Submission, max_bytes: int) -> None:
    """Raises TooLargeError or SubmissionError with what is wrong."""
    files = (*submission.files, *submission.run.inputs)
    _check_size(files, max_bytes)
    _check_paths(submission.files)
    _check_paths(submission.run.inputs)
    paths = {file.path for file in submission.files}
    if not submission.main_files or not paths.issuperset(submission.main_files):
        raise SubmissionError("main_files must name files of the submission", hint="name the .cu file to port")
    if not submission.targets or len(set(submission.targets)) != len(submission.targets):
        raise SubmissionError("targets must be one or more different GPUs", hint="e.g. gfx942, gfx950")
    for target in submission.targets:
        if not _TARGET.fullmatch(target):
            raise SubmissionError(f"{target!r} is not an AMD GPU target", hint="e.g. gfx942, gfx950")
    _check_contents(submission)


def _check_size(files: Iterable[SourceFile], max_bytes: int) -> None:
    # One character is at least one byte: most oversized submissions are refused without encoding them.
    sizes = [len(file.text) for file in files]
    if len(sizes) > MAX_FILES:
        raise TooLargeError(f"{len(sizes)} files; the most is {MAX_FILES}")
    total = sum(sizes)
    if total <= max_bytes:
        total = sum(len(file.text.encode("utf-8", "surrogateescape")) for file in files)
    if total > max_bytes:
        raise TooLargeError(
            f"the submission has {total / (1 << 20):.1f} MiB; the most is {max_bytes / (1 << 20):g} MiB",
            hint="submit the part with the kernels, or raise WARP2WAVE_MAX_SOURCE_BYTES",
        )


def _check_paths(files: Iterable[SourceFile]) -> None:
    seen: set[str] = set()
    for file in files:
        path = PurePosixPath(file.path)
        plain = str(path) == file.path and not path.is_absolute() and ".." not in path.parts
        if not plain or file.path in ("", ".") or not file.path.isprintable() or "\\" in file.path:
            raise SubmissionError(f"{file.path!r} is not a relative path", hint="e.g. src/kernel.cu")
        if len(file.path) > _MAX_PATH:
            raise SubmissionError(f"a path has {len(file.path)} characters; the most is {_MAX_PATH}")
        if file.path in seen:
            raise SubmissionError(f"{file.path!r} is given twice")
        seen.add(file.path)


def _check_contents(submission: Submission) -> None:
    for file in submission.files:
        if "\0" in file.text:
            raise SubmissionError(f"{file.path} is binary, not source text", hint="give a CUDA source file")
        if file.path in submission.main_files and not file.text.strip():
            raise SubmissionError(f"{file.path} is empty", hint="give a CUDA source file")
    if not any(holds_kernel(file.text) for file in submission.files):
        raise SubmissionError(
            "the submission holds no kernel: there is no __global__ function in it",
            hint="give the file that defines the kernels, and its local headers",
        )
