"""Submissions of kernels with a case: the program that launches them stands in for the submission's own."""

from __future__ import annotations

import secrets

from agents.models import SourceFile, Submission
from agents.orchestrator.infer_case import has_main, holds_kernel_body, infer_case
from agents.syntax.source import SourceText
from sandbox.errors import InputError
from sandbox.numerics.case import Case
from sandbox.numerics.harness import HARNESS_FILE, INPUTS_FILE, choose_variants, write_harness, write_inputs


def complete_case(submission: Submission) -> Submission:
    """With a proposed case where a submission of kernels has neither ``main()`` nor a case. Raises SubmissionError
    where none can be proposed."""
    if submission.case is not None or submission.given is not None:
        return submission
    texts = {file.path: file.text for file in submission.files}
    sources = [SourceText(path, texts[path]) for path in submission.main_files if path in texts]
    if any(map(has_main, sources)) or not any(map(holds_kernel_body, sources)):
        return submission
    return submission.model_copy(update={"case": infer_case(sources), "case_seed": secrets.randbelow(1 << 31)})


def describe_launches(case: Case) -> str:
    """The launches as they would be written."""
    return "; ".join(
        f"{launch.kernel}<<<({', '.join(map(str, launch.grid))}), ({', '.join(map(str, launch.block))})"
        f"{f', {launch.shared}' if launch.shared else ''}>>>({', '.join(launch.arguments)})"
        for launch in case.launches
    )


def with_harness(submission: Submission) -> Submission:
    """The submission as it is compiled: unchanged where it has no case, else with the harness as its program. Raises
    InputError where the case's kernels are not in one file."""
    if submission.case is None:
        return submission
    if len(submission.main_files) != 1:
        raise InputError("a case needs its kernels in one file", hint="include the other files from it")
    variants = choose_variants(submission.case, submission.case_seed)
    text = write_harness(submission.case, submission.main_files[0], variants)
    harness = SourceFile(path=HARNESS_FILE, text=text)
    return submission.model_copy(update={"files": (*submission.files, harness), "main_files": (HARNESS_FILE,)})


def case_inputs(submission: Submission) -> tuple[tuple[str, bytes], ...]:
    """Files that the harness reads."""
    if submission.case is None:
        return ()
    variants = choose_variants(submission.case, submission.case_seed)
    return ((INPUTS_FILE, write_inputs(submission.case, variants)),)
