"""Submissions of kernels with a case: the program that launches them stands in for the submission's own."""

from __future__ import annotations

from agents.models import SourceFile, Submission
from sandbox.errors import InputError
from sandbox.numerics.harness import HARNESS_FILE, INPUTS_FILE, choose_variants, write_harness


def with_harness(submission: Submission) -> Submission:
    """The submission as it is compiled: unchanged where it has no case, else with the harness as its program. Raises
    InputError where the case's kernels are not in one file."""
    if submission.case is None:
        return submission
    if len(submission.main_files) != 1:
        raise InputError("a case needs its kernels in one file", hint="include the other files from it")
    variants = choose_variants(submission.case, submission.case_seed)
    text, _ = write_harness(submission.case, submission.main_files[0], variants)
    harness = SourceFile(path=HARNESS_FILE, text=text)
    return submission.model_copy(update={"files": (*submission.files, harness), "main_files": (HARNESS_FILE,)})


def case_inputs(submission: Submission) -> tuple[tuple[str, bytes], ...]:
    """Files that the harness reads."""
    if submission.case is None:
        return ()
    variants = choose_variants(submission.case, submission.case_seed)
    return ((INPUTS_FILE, write_harness(submission.case, submission.main_files[0], variants)[1]),)
