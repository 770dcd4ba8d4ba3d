"""Which CUDA architecture's branches a port takes, and the code that asks for it.

``__CUDA_ARCH__`` does not exist on AMD, so the oldest branch, or the host's, would be compiled without a word.
A port takes the branches of one architecture throughout, as a build for one NVIDIA part does: the newest whose
branches hold no inline PTX that another choice avoids. Nothing from sm_90 on: what those branches are for
(clusters, TMA, wgmma) AMD does not have.
"""

from __future__ import annotations

from dataclasses import replace

from agents.faults.inline_asm import ASM_WORDS
from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.declarations import UserNames
from agents.syntax.draft import Draft, Project
from agents.syntax.source import SourceText
from agents.syntax.tokens import CODE, TokenKind

LEVELS = (800, 750, 700, 610, 600, 530, 350)
_DEFAULT = LEVELS[0]
_PROPERTIES = frozenset({"cudaDeviceProp"})
_COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!=", "*", "+", "-", "%"})
_CAPABILITY = {"major": "W2W_CAPABILITY_MAJOR", "minor": "W2W_CAPABILITY_MINOR"}


def choose_architecture(project: Project) -> Project:
    """``project`` with the architecture whose branches hold the least inline PTX, the newest of equals."""
    mentioned = any(t.text == "__CUDA_ARCH__" for s in project.sources.values() for t in s.code)
    if not mentioned:
        return replace(project, architecture=_DEFAULT)
    candidates = [replace(project, architecture=level) for level in LEVELS]
    return min(candidates, key=lambda candidate: (_blockers(candidate), -candidate.architecture))


def _blockers(project: Project) -> int:
    count = 0
    for source in project.sources.values():
        draft = Draft(source, project)
        for index, token in enumerate(source.code):
            if token.text in ASM_WORDS and not draft.excluded(index):
                count += 1
    return count


def rewrite_architecture(draft: Draft, user: UserNames) -> None:
    """Give ``__CUDA_ARCH__`` and compute capabilities the answers of the chosen architecture."""
    source = draft.source
    uses = 0
    properties = _property_variables(source)
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER:
            continue
        if token.text == "__CUDA_ARCH__" and not user.owns(token.text, index):
            _rewrite_macro(draft, index)
            uses += 1
        elif token.text in _CAPABILITY and _is_gate(source, index, properties):
            _rewrite_capability(draft, index)
            uses += 1
    if uses:
        draft.uses_cuda = True


def _rewrite_macro(draft: Draft, index: int) -> None:
    level = draft.project.architecture
    asks_if_defined = draft.source.text_before(index) in ("ifdef", "ifndef", "defined") or (
        draft.source.text_before(index) == "(" and _word_before_bracket(draft, index) == "defined"
    )
    new = "__HIP_DEVICE_COMPILE__" if asks_if_defined else "W2W_CUDA_ARCH"
    if not draft.edits.replace(draft.source.code[index], new):
        return
    if not asks_if_defined:
        draft.shims.add("arch.h")
    report_fault(
        draft,
        "R04",
        index,
        Action.FIXED,
        f"The port takes the branches for sm_{level // 10} in device code.",
        replacement=new,
    )


def _word_before_bracket(draft: Draft, index: int) -> str:
    bracket = draft.source.before(index)
    return "" if bracket is None else draft.source.text_before(bracket)


def _property_variables(source: SourceText) -> set[str]:
    """Names declared as ``cudaDeviceProp x`` or as a pointer or reference to one."""
    names: set[str] = set()
    for index, token in enumerate(source.code):
        if token.text not in _PROPERTIES or token.directive != CODE:
            continue
        at = source.after(index)
        while at is not None and source.code[at].text in ("*", "&", "const"):
            at = source.after(at)
        while at is not None and source.code[at].kind is TokenKind.IDENTIFIER:
            names.add(source.code[at].text)
            comma = source.after(at)
            if comma is None or source.code[comma].text != ",":
                break
            at = source.after(comma)
    return names


def _is_gate(source: SourceText, index: int, properties: set[str]) -> bool:
    """``p.major`` of a property variable where it is compared or computed with, not where it is printed."""
    dot = source.before(index)
    if dot is None or source.code[dot].text not in (".", "->"):
        return False
    owner = source.before(dot)
    if owner is None or source.code[owner].text not in properties:
        return False
    return source.text_after(index) in _COMPARISONS or source.text_before(owner) in _COMPARISONS


def _rewrite_capability(draft: Draft, index: int) -> None:
    source = draft.source
    dot = source.before(index)
    owner = source.before(dot) if dot is not None else None
    if owner is None:
        return
    new = _CAPABILITY[source.code[index].text]
    if draft.edits.replace_span(source.code[owner], source.code[index], new):
        draft.shims.add("arch.h")
        level = draft.project.architecture
        report_fault(
            draft,
            "H05",
            index,
            Action.FIXED,
            f"The gate now sees the capability of sm_{level // 10}, whose device branches the port takes.",
            replacement=new,
        )
