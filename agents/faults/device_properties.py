"""Device properties that choose code: the compute capability and the warp's width.

gfx942 reports major 9, which sends a program to code for Hopper, and a width of 64, while the port's kernels take
the branches of an older architecture and keep warps of 32 lanes. Where a program looks at one of these, the query
itself is replaced, so that copies and members of the answer agree too.
"""

from __future__ import annotations

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.declarations import MEMBER_ACCESS, UserNames, is_api_name
from agents.syntax.draft import Draft
from agents.syntax.source import SourceText
from agents.syntax.tokens import TokenKind

_SHIM = "device.h"
_MEMBERS = {"major": "H05", "minor": "H05", "warpSize": "W14"}
_CONSTANTS = {
    "cudaDevAttrComputeCapabilityMajor": "H05",
    "cudaDevAttrComputeCapabilityMinor": "H05",
    "cudaDevAttrWarpSize": "W14",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": "H05",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR": "H05",
    "CU_DEVICE_ATTRIBUTE_WARP_SIZE": "W14",
}
_QUERIES = {
    "cudaGetDeviceProperties": "w2w::get_device_properties",
    "cudaGetDeviceProperties_v2": "w2w::get_device_properties",
    "cudaDeviceGetAttribute": "w2w::device_get_attribute",
    "cuDeviceGetAttribute": "w2w::device_get_attribute",
    "cuDeviceComputeCapability": "w2w::device_compute_capability",
}
_NOT_READ = frozenset({"(", "="})
"""After a member: it is called, or only written, as for ``cudaChooseDevice``."""
_CAPABILITY_CALL = "cuDeviceComputeCapability"


def fix_device_properties(draft: Draft, user: UserNames) -> None:
    if not any(_looks(source) for source in draft.project.sources.values()):
        return
    source = draft.source
    for index, token in enumerate(source.code):
        if token.kind is not TokenKind.IDENTIFIER:
            continue
        query = _QUERIES.get(token.text)
        if query is not None and is_api_name(source, index, user):
            if draft.edits.replace(token, query):
                draft.shims.add(_SHIM)
                draft.uses_cuda = True
            continue
        fault = _fault_at(source, index)
        if fault:
            level = draft.project.architecture
            report_fault(
                draft,
                fault,
                index,
                Action.FIXED,
                f"The query answers for the port's kernels: sm_{level // 10} and warps of 32 lanes.",
                confidence="likely",
            )


def _looks(source: SourceText) -> bool:
    queries = any(token.text in _QUERIES for token in source.code)
    return any(token.text == _CAPABILITY_CALL for token in source.code) or (
        queries and any(_fault_at(source, index) for index in range(len(source.code)))
    )


def _fault_at(source: SourceText, index: int) -> str:
    text = source.code[index].text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text in _MEMBERS and source.text_before(index) in MEMBER_ACCESS and source.text_after(index) not in _NOT_READ:
        return _MEMBERS[text]
    return ""
