"""Renaming: each identifier of the tables becomes its HIP name, where it is CUDA's and not the user's."""

from __future__ import annotations

import re

from agents.hipify.call_forms import CallForm, find_form
from agents.hipify.tables import Dialect, Names, Row, Status
from agents.models import Action, Severity
from agents.syntax.declarations import MEMBER_ACCESS, UserNames, is_api_name, is_elsewhere
from agents.syntax.draft import Draft
from agents.syntax.edits import Rewrite
from agents.syntax.source import UNMATCHED, SourceText
from agents.syntax.tokens import TokenKind

_NAMESPACE_WORDS = frozenset({"namespace", "using"})
_PASTED = re.compile(r"cuda(?=[A-Z]|$)")
CUDA_WORDS = frozenset(
    {
        "__global__", "__device__", "__constant__", "__shared__", "__managed__", "__launch_bounds__",
        "threadIdx", "blockIdx", "blockDim", "gridDim", "dim3", "__syncthreads", "<<<",
    }
)  # fmt: skip
"""Words that only a GPU compiler with its runtime header understands, named alike in CUDA and HIP."""
COMPILER_MACROS = frozenset({"__CUDACC__", "__NVCC__"})
"""They stay the compiler's, even where a program defines them to look like it."""


def rename(draft: Draft, names: Names, user: UserNames, dialect: Dialect, *, naive: bool) -> None:
    """Rename everything in ``draft`` that no earlier edit has claimed.

    ``naive`` asks for renames alone: the sync builtins become their forms without a mask, because HIP's
    reject 32-bit masks.
    """
    source = draft.source
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER:
            if token.text == "<<<":
                draft.uses_cuda = True
            continue
        row = names.identifiers.get(token.text)
        if source.text_after(index) == "##" and _rename_pasted(draft, index):
            continue
        if row is None:
            if token.text in CUDA_WORDS:
                draft.uses_cuda = True
            elif token.text in names.namespaces:
                _rename_namespace(draft, index, names.namespaces[token.text])
            elif token.text == "cuda" and _in_thrust(source, index):
                draft.edits.replace(token, "hip")
            continue
        if not is_api_name(draft.source, index, user) and token.text not in COMPILER_MACROS:
            continue
        draft.uses_cuda = True
        if not draft.edits.claimed(token):
            form = find_form(source, index, dialect, naive=naive)
            if form is None:
                _rename_identifier(draft, index, row)
            else:
                _apply_form(draft, index, form, row)


def _rename_pasted(draft: Draft, index: int) -> bool:
    """``cuda ## name`` and ``cudaMem ## name`` in a macro: the beginning of a name, so only its prefix changes."""
    token = draft.source.code[index]
    match = _PASTED.match(token.text)
    if match is None:
        return False
    draft.uses_cuda = True
    draft.edits.replace(token, "hip" + token.text[match.end() :])
    return True


def _in_thrust(source: SourceText, index: int) -> bool:
    """``cuda`` of ``thrust::cuda::par`` and ``thrust::system::cuda``."""
    colons = source.before(index)
    if colons is None or source.code[colons].text != "::":
        return False
    return source.text_before(colons) in ("thrust", "system")


def _rename_identifier(draft: Draft, index: int, row: Row) -> None:
    token = draft.source.code[index]
    if row.hip:
        draft.edits.replace(token, row.hip)
        if row.status is Status.UNSUPPORTED and not draft.excluded(index):
            draft.report(
                "hipify-unsupported",
                index,
                severity=Severity.BLOCKS,
                action=Action.TO_DO,
                title=f"{row.hip} is not in this release of ROCm",
                message=f"{row.cuda} has no equivalent there; {row.hip} is the last known one. Library: {row.library}.",
            )
    elif not draft.excluded(index):
        missing = "needs a shim" if row.status is Status.NEEDS_SHIM else "has no equivalent in HIP"
        note = f" ({row.note})" if row.note else ""
        draft.report(
            "hipify-unsupported",
            index,
            severity=Severity.BLOCKS,
            action=Action.TO_DO,
            title=f"{row.cuda} is not in HIP",
            message=f"{row.cuda} {missing}{note}; it was left as it is. Library: {row.library}.",
        )


def _apply_form(draft: Draft, index: int, form: CallForm, row: Row) -> None:
    if not form.hip and not form.into:
        draft.report(
            "hipify-signature",
            index,
            severity=Severity.BLOCKS,
            action=Action.TO_DO,
            title=f"{form.cuda} with {form.arguments} arguments is not in HIP",
            message="HIP has this function with another parameter list; the call was left as it is.",
        )
        return
    name = form.hip or row.hip
    draft.edits.replace(draft.source.code[index], name)
    if form.into:
        _rewrite_arguments(draft, index, form)
    if form.finding:
        draft.report(
            "hipify-signature",
            index,
            severity=Severity.BLOCKS,
            action=Action.TO_DO,
            title=f"{form.cuda} takes other arguments as {name}",
            message=form.finding,
        )


def _rewrite_arguments(draft: Draft, index: int, form: CallForm) -> None:
    """From bracket to bracket, so that comments between the arguments go with them."""
    code = draft.source.code
    arguments = draft.source.call(index) or []
    first, last = code[arguments[0].first - 1], code[arguments[-1].last + 1]
    parts = tuple((code[span.first - 1].end, code[span.last + 1].offset) for span in arguments)

    def build(texts: list[str]) -> str:
        texts = [_end_comment(text.strip()) for text in texts]
        return "".join(texts[piece] if isinstance(piece, int) else piece for piece in form.pieces).strip(" ")

    draft.rewrites.append(Rewrite(first.end, last.offset, parts, build))


def _end_comment(argument: str) -> str:
    """What follows an argument must not become part of a comment at its end."""
    return argument + "\n" if "//" in argument.rpartition("\n")[2] else argument


def _rename_namespace(draft: Draft, index: int, row: Row) -> None:
    """``cub`` in ``cub::X``, ``namespace c = cub``, ``using namespace cub``; not a variable of that name."""
    source = draft.source
    previous = source.before(index)
    before = "" if previous is None else source.code[previous].text
    if before in MEMBER_ACCESS or (before == "::" and is_elsewhere(draft.source, index)):
        return
    is_scope = source.text_after(index) == "::"
    is_named = before in _NAMESPACE_WORDS and source.text_after(index) == ";"
    is_aliased = before == "=" and source.text_after(index) == ";" and _after_namespace(draft, index)
    if is_scope or is_named or is_aliased:
        draft.uses_cuda = True
        draft.edits.replace(source.code[index], row.hip)


def _after_namespace(draft: Draft, index: int) -> bool:
    source = draft.source
    at = source.before(index)
    for _ in range(2):
        at = source.before(at) if at is not None and at != UNMATCHED else None
    return at is not None and source.code[at].text == "namespace"
