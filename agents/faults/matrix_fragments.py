"""nvcuda::wmma: the port's own fragments keep to warps of 32 lanes; rocWMMA's would need 64."""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.includes import find_includes
from agents.syntax.tokens import TokenKind

_HEADER = "mma.h"
_SHIM = "wmma.h"


def fix_matrix_fragments(draft: Draft) -> None:
    source = draft.source
    for include in find_includes(source):
        if include.name == _HEADER:
            first, last = source.code[include.directive.first], source.code[include.directive.last]
            if draft.edits.remove_line(source.text, first.offset, last.end):
                draft.shims.add(_SHIM)
                draft.uses_cuda = True
    for index, token in enumerate(source.code):
        if token.kind is TokenKind.IDENTIFIER and token.text == "nvcuda" and draft.edits.replace(token, "w2w"):
            draft.shims.add(_SHIM)
            report_fault(
                draft,
                "L03",
                index,
                Action.FIXED,
                "The port's own fragments span 32 lanes; they compute without matrix cores, so this is slow.",
                replacement="w2w",
            )
