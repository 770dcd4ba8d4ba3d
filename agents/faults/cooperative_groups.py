"""Cooperative groups: a program that does more with them than HIP's can gets the port's own."""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.declarations import UserNames
from agents.syntax.draft import Draft
from agents.syntax.includes import find_includes
from agents.syntax.source import SourceText
from agents.syntax.tokens import TokenKind

_HEADER = "cooperative_groups.h"
_FOLDER = "cooperative_groups/"
_EXTRA_HEADERS = {
    "cooperative_groups/reduce.h": "G03",
    "cooperative_groups/scan.h": "G05",
    "cooperative_groups/memcpy_async.h": "G05",
}
_SHIM = "cooperative_groups.h"
_NAMESPACE = "cooperative_groups"
_GRID_ONLY = frozenset(
    ["this_thread_block", "this_grid", "thread_block", "grid_group", "sync", "size", "thread_rank", "group_index",
     "thread_index", "group_dim", "is_valid", "num_threads", "thread_group", "group_size"]
)  # fmt: skip
_LANE_WORDS = {
    "tiled_partition": "G01",
    "thread_block_tile": "G01",
    "coalesced_threads": "G02",
    "coalesced_group": "G02",
    "labeled_partition": "G07",
    "binary_partition": "G07",
    "memcpy_async": "G05",
    "inclusive_scan": "G05",
    "exclusive_scan": "G05",
    "invoke_one": "G03",
}
"""What makes a program's groups a matter of lanes, and the fault that each word is about."""
_CLUSTER_WORDS = frozenset({"this_cluster", "cluster_group", "cluster_sync"})


def fix_cooperative_groups(draft: Draft, user: UserNames) -> None:
    """Replace headers and namespace by the port's own where the submission forms groups of lanes."""
    sources = draft.project.sources.values()
    if not any(_includes_groups(source) for source in sources):
        return
    _find_clusters(draft)
    if not any(_needs_shim(source) for source in sources):
        return
    _replace_headers(draft)
    for index, token in enumerate(draft.source.code):
        if token.kind is not TokenKind.IDENTIFIER:
            continue
        if token.text == _NAMESPACE and not user.owns(token.text, index):
            if draft.source.text_before(index) == "::" and _scope(draft, index) == "w2w":
                continue
            if draft.edits.replace(token, f"w2w::{_NAMESPACE}"):
                draft.uses_cuda = True
                draft.shims.add(_SHIM)
        elif token.text in _LANE_WORDS and draft.source.text_before(index) not in (".", "->"):
            report_fault(
                draft,
                _LANE_WORDS[token.text],
                index,
                Action.FIXED,
                "The port's own groups keep to 32 lanes, as CUDA's do.",
                replacement=f"w2w::{_NAMESPACE}",
            )


def _includes_groups(source: SourceText) -> bool:
    return any(i.name == _HEADER or i.name.startswith(_FOLDER) for i in find_includes(source))


def _needs_shim(source: SourceText) -> bool:
    if any(i.name.startswith(_FOLDER) for i in find_includes(source)):
        return True
    return any(token.text in _LANE_WORDS for token in source.code)


def _replace_headers(draft: Draft) -> None:
    source = draft.source
    for include in find_includes(source):
        if include.name != _HEADER and include.name not in _EXTRA_HEADERS:
            continue
        first, last = source.code[include.directive.first], source.code[include.directive.last]
        if draft.edits.remove_line(source.text, first.offset, last.end):
            draft.uses_cuda = True
            draft.shims.add(_SHIM)
            if include.name in _EXTRA_HEADERS:
                report_fault(
                    draft,
                    _EXTRA_HEADERS[include.name],
                    include.directive.first,
                    Action.FIXED,
                    "A header that comes with the port has these functions.",
                    replacement=f"warp2wave/{_SHIM}",
                )


def _scope(draft: Draft, index: int) -> str:
    colons = draft.source.before(index)
    return "" if colons is None else draft.source.text_before(colons)


def _find_clusters(draft: Draft) -> None:
    for index, token in enumerate(draft.source.code):
        if token.text in _CLUSTER_WORDS and not draft.excluded(index):
            report_fault(
                draft, "I05", index, Action.TO_DO, "Exchange data between blocks through global memory instead."
            )
