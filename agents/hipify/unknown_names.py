"""Calls that look like a CUDA library's, which neither the tables nor the submission know."""

from __future__ import annotations

import re

from agents.hipify.tables import Names
from agents.models import Action, Severity
from agents.syntax.declarations import is_elsewhere
from agents.syntax.draft import Draft
from agents.syntax.source import SourceText
from agents.syntax.tokens import TokenKind

_LOOKS_LIKE_CUDA = re.compile(
    r"(cuda|cublas|cufft|curand|cusparse|cusolver|cudnn|cutensor|cupti|nccl|nvml|nvrtc|nvtx|nvjpeg|npp)[A-Z]\w*$"
    r"|cu(Ctx|Device|Mem|Module|Func|Stream|Event|Launch|Graph|Kernel|Library|Link|Pointer|Occupancy)\w+$"
)
_DECLARATOR = frozenset({"*", "&", "&&", ">", "~"})
_EXPRESSION_WORDS = frozenset({"return", "else", "case", "throw", "do", "and", "or", "not", "co_return", "co_yield"})


def find_unknown_names(draft: Draft, names: Names) -> None:
    source = draft.source
    declared: set[str] | None = None
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER or not _LOOKS_LIKE_CUDA.match(token.text):
            continue
        if token.text in names.identifiers or source.text_after(index) != "(" or is_elsewhere(source, index):
            continue
        if declared is None:
            declared = set().union(*(_declared_names(other) for other in draft.project.sources.values()))
        if draft.excluded(index) or token.text in declared:
            continue
        draft.report(
            "hipify-unknown-name",
            index,
            severity=Severity.BLOCKS,
            action=Action.TO_DO,
            title=f"{token.text} is not known",
            message="It looks like a CUDA function, but is in no table and nothing submitted declares it. It was left.",
            confidence="likely",
        )


def _declared_names(source: SourceText) -> set[str]:
    """Names like CUDA's that ``source`` declares or defines."""
    found: set[str] = set()
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER or not _LOOKS_LIKE_CUDA.match(token.text):
            continue
        previous = source.before(index)
        if previous is None:
            continue
        before = source.code[previous]
        is_declared = before.kind is TokenKind.IDENTIFIER and before.text not in _EXPRESSION_WORDS
        if is_declared or (before.text in _DECLARATOR and source.text_after(index) == "("):
            found.add(token.text)
    return found
