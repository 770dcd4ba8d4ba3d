"""Include lines: the toolkit's headers become HIP's, once each, with the runtime's before what needs it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from agents.faults.architecture import DEFAULT_LEVEL
from agents.hipify.tables import Row, Status
from agents.models import Action, Severity
from agents.syntax.draft import Draft
from agents.syntax.includes import Include, find_includes
from agents.syntax.source import Directive, SourceText
from agents.syntax.tokens import TokenKind

RUNTIME_HEADER = "hip/hip_runtime.h"
SHIM_FOLDER = "warp2wave"
"""Where a port keeps the shim headers that it needs, relative to its root."""
_LEVEL_SHIMS = frozenset({"arch.h", "device.h"})
_CUDA_HEADER = re.compile(
    r"(cuda/|cub/|cooperative_groups/|nvtx3/|cutlass/|cute/)"
    r"|(cuda|cu(blas|fft|rand|sparse|solver|dnn|pti|tensor)|nv(rtc|ml|tx|jpeg|jitlink|shmem)|npp|nccl)\w*\.(h|hpp|cuh)$"
)


def rewrite_includes(
    draft: Draft,
    headers: dict[str, Row],
    local: Callable[[Include], str | None],
    renamed_files: dict[str, str],
    shim_path: Callable[[str], str],
) -> None:
    """Edit the include lines of ``draft`` and add those that it needs.

    ``local`` gives the submission's file that an include names, None for a header from outside;
    ``renamed_files`` are the files whose names change in the port; ``shim_path`` says how to include a shim.
    """
    _Rewriter(draft, headers, local, renamed_files, shim_path).run()


class _Rewriter:
    def __init__(
        self,
        draft: Draft,
        headers: dict[str, Row],
        local: Callable[[Include], str | None],
        renamed_files: dict[str, str],
        shim_path: Callable[[str], str],
    ) -> None:
        self.shim_path = shim_path
        self.draft, self.source = draft, draft.source
        self.headers, self.local, self.renamed_files = headers, local, renamed_files
        self.includes = find_includes(self.source)
        self.base_depth = 1 if _has_guard(self.source) else 0
        self.present = {i.name for i in self.includes if i.depth <= self.base_depth}
        self.emitted: set[str] = set()

    def run(self) -> None:
        mapped = [(include, self._target(include)) for include in self.includes]
        if any(target is not None for _, target in mapped):
            self.draft.uses_cuda = True
        anchor = self._add_runtime(mapped)
        for include, target in mapped:
            if target is not None:
                self._rewrite(include, target)
        self._add_shims(anchor)

    def _target(self, include: Include) -> str | None:
        """The HIP header for an include, "" to drop the line, None to leave it."""
        path = self.local(include)
        if path is not None:
            self._rename_file(include, path)
            return None
        row = self.headers.get(include.name)
        if row is None:
            if _CUDA_HEADER.match(include.name) and include.name not in self.headers:
                self._report(include, "It is not in warp2wave's tables.")
            return None
        if self.draft.edits.claimed(include.token):
            return None
        if row.status in (Status.UNSUPPORTED, Status.NEEDS_SHIM):
            self._report(include, row.note)
            return None
        return row.hip

    def _add_runtime(self, mapped: list[tuple[Include, str | None]]) -> int:
        """Make sure that the runtime's header comes first; return where shim includes go."""
        for include, target in mapped:
            if include.depth > self.base_depth:
                continue
            if RUNTIME_HEADER in (include.name, target):
                return self._line_end(include)
            if include.quoted or self.local(include) is not None or target or _is_gpu_library(include.name):
                break
        if not self.draft.uses_cuda:
            return self._top()
        if RUNTIME_HEADER in self.present:  # there, though late: the author's order stays
            late = next(i for i in self.includes if i.name == RUNTIME_HEADER)
            return self._line_end(late)
        at = self._insertion_point(mapped)
        self.emitted.add(RUNTIME_HEADER)
        self.draft.edits.insert_at(at, f"#include <{RUNTIME_HEADER}>{self.source.newline}")
        return at

    def _insertion_point(self, mapped: list[tuple[Include, str | None]]) -> int:
        for include, _ in mapped:
            if include.depth == self.base_depth:
                return self._line_start(self.source.code[include.directive.first].offset)
            if include.depth > self.base_depth:
                break
        return self._top()

    def _rewrite(self, include: Include, target: str) -> None:
        unconditional = include.depth <= self.base_depth
        if not target or target in self.emitted or (target in self.present and target != include.name):
            self._drop(include)
            return
        if unconditional:
            self.emitted.add(target)
        self.draft.edits.replace(include.token, f"<{target}>")

    def _drop(self, include: Include) -> None:
        first = self.source.code[include.directive.first]
        last = self.source.code[include.directive.last]
        self.draft.edits.remove_line(self.source.text, first.offset, last.end)

    def _add_shims(self, anchor: int) -> None:
        newline = self.source.newline
        missing = [shim for shim in sorted(self.draft.shims) if self.shim_path(shim) not in self.present]
        level = self.draft.project.architecture
        lines = ""
        if level != DEFAULT_LEVEL and not _LEVEL_SHIMS.isdisjoint(missing):
            define = f"#ifndef W2W_CUDA_LEVEL{newline}#define W2W_CUDA_LEVEL {level}{newline}#endif{newline}"
            lines += define
        lines += "".join(f'#include "{self.shim_path(shim)}"{newline}' for shim in missing)
        if lines:
            self.draft.edits.insert_at(anchor, lines)

    def _rename_file(self, include: Include, path: str) -> None:
        new = self.renamed_files.get(path)
        if new is None:
            return
        name = posixpath.join(posixpath.dirname(include.name), posixpath.basename(new))
        left, right = include.token.text[0], include.token.text[-1]
        self.draft.edits.replace(include.token, f"{left}{name}{right}")

    def _report(self, include: Include, note: str) -> None:
        if self.draft.excluded(include.directive.first):
            return
        self.draft.report(
            "hipify-header",
            include.directive.first,
            severity=Severity.BLOCKS,
            action=Action.TO_DO,
            title=f"{include.name} has no equivalent in HIP",
            message=f"The include was left as it is. {note}".strip(),
        )

    # -- places

    def _line_start(self, offset: int) -> int:
        return self.source.text.rfind("\n", 0, offset) + 1

    def _line_end(self, include: Include) -> int:
        end = self.source.text.find("\n", self.source.code[include.directive.last].end)
        if end >= 0:
            return end + 1
        self.draft.edits.insert_at(len(self.source.text), self.source.newline)
        return len(self.source.text)

    def _top(self) -> int:
        """After the comments, ``#pragma once`` and include guard that a file starts with."""
        last = None
        directives = self.source.directives
        if self.base_depth:
            last = directives[1]
        elif directives and directives[0].name == "pragma" and self._words(directives[0]) == ["once"]:
            last = directives[0]
        if last is not None:
            end = self.source.text.find("\n", self.source.code[last.last].end)
            return end + 1 if end >= 0 else len(self.source.text)
        offset = 0
        for token in self.source.tokens:
            if token.kind is TokenKind.NEWLINE:
                offset = token.end
            elif token.kind not in (TokenKind.COMMENT, TokenKind.SPACE):
                return min(offset, self._line_start(token.offset))
        return offset

    def _words(self, directive: Directive) -> list[str]:
        return [t.text for t in self.source.code[directive.first + 2 : directive.last + 1]]


def _has_guard(source: SourceText) -> bool:
    """Whether one ``#ifndef X``/``#define X`` ... ``#endif`` holds the whole file."""
    directives = source.directives
    if len(directives) < 3 or directives[0].name != "ifndef" or directives[1].name != "define":
        return False
    if directives[-1].name != "endif" or directives[0].first != 0:
        return False
    if directives[-1].last != len(source.code) - 1:
        return False
    names = [source.code[d.first + 2].text for d in directives[:2] if d.last >= d.first + 2]
    return len(names) == 2 and names[0] == names[1]


def _is_gpu_library(name: str) -> bool:
    return name.split("/")[0] in ("hip", "hipcub", "rocprim", "rocwmma", "thrust")
