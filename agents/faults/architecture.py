"""Which CUDA architecture's branches a port takes, and the code that asks for it.

``__CUDA_ARCH__`` does not exist on AMD, so the oldest branch, or the host's, would be compiled without a word.
A port takes the branches of one architecture throughout, as a build for one NVIDIA part does: the newest whose
branches hold no inline PTX without a counterpart that another choice avoids. Nothing from sm_90 on: what those
branches are for (clusters, TMA, wgmma) AMD does not have.
"""

from __future__ import annotations

from dataclasses import replace

from agents.faults.inline_ptx import count_unknown
from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.conditionals import find_branches
from agents.syntax.declarations import UserNames
from agents.syntax.draft import Draft, Project
from agents.syntax.functions import Function
from agents.syntax.source import SourceText

LEVELS = (800, 750, 700, 610, 600, 530, 350)
DEFAULT_LEVEL = LEVELS[0]
"""What warp2wave/arch.h takes unless it is told otherwise."""
_MACRO = "__CUDA_ARCH__"


def choose_architecture(project: Project) -> Project:
    """``project`` with the architecture whose branches hold the least unknown PTX, the newest of equals."""
    mentioned = any(t.text == _MACRO for s in project.sources.values() for t in s.code)
    if not mentioned:
        return replace(project, architecture=DEFAULT_LEVEL)
    candidates = [replace(project, architecture=level) for level in LEVELS]
    return min(candidates, key=lambda candidate: (_blockers(candidate), -candidate.architecture))


def _blockers(project: Project) -> int:
    return sum(count_unknown(Draft(source, project)) for source in project.sources.values())


def rewrite_architecture(draft: Draft, user: UserNames) -> None:
    """Give ``__CUDA_ARCH__`` the answers of the chosen architecture."""
    source = draft.source
    device_only = _device_only_directives(draft)
    for index, token in enumerate(source.code):
        if token.text == _MACRO and not user.owns(_MACRO, index):
            draft.uses_cuda = True
            _rewrite_macro(draft, index, device_only=token.directive in device_only)


def _rewrite_macro(draft: Draft, index: int, *, device_only: bool) -> None:
    level = draft.project.architecture
    source = draft.source
    asks_if_defined = source.text_before(index) in ("ifdef", "ifndef", "defined") or (
        source.text_before(index) == "(" and _word_before_bracket(draft, index) == "defined"
    )
    if asks_if_defined:
        new = "__HIP_DEVICE_COMPILE__"
    else:
        new = "W2W_CUDA_LEVEL" if device_only else "W2W_CUDA_ARCH"
    if not draft.edits.replace(source.code[index], new):
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


def _device_only_directives(draft: Draft) -> set[int]:
    """Conditionals outside functions that guard device functions alone.

    Host compilation sees those too, where ``__CUDA_ARCH__`` counts as 0: a replacement for an old architecture,
    such as an atomicAdd for double, would then clash with HIP's own. They see the level on both sides.
    """
    source = draft.source
    numbers: set[int] = set()
    for branch in find_branches(source, {}):
        directive = source.directives[branch.directive]
        if _MACRO not in branch.mentions or draft.enclosing(directive.first) is not None:
            continue
        inside = [f for f in draft.functions if f.head in branch.body]
        if inside and all(f.device and not _is_for_host(source, f) for f in inside):
            numbers.add(source.code[directive.first].directive)
    return numbers


def _is_for_host(source: SourceText, function: Function) -> bool:
    return any(token.text == "__host__" for token in source.code[function.head : function.opening])
