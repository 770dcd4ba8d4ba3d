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
        self.guard = _find_guard(self.source)
        self.base_depth = 0 if self.guard is None else 1
        self.present = {i.name for i in self.includes if i.depth <= self.base_depth}
        self.emitted: dict[str, list[tuple[int, ...]]] = {}

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
        self.emitted[RUNTIME_HEADER] = [()]
        self.draft.edits.insert_at(at, f"#include <{RUNTIME_HEADER}>{self.source.newline}")
        return at

    def _insertion_point(self, mapped: list[tuple[Include, str | None]]) -> int:
        """Before the first include, so that macros which steer it stay before it; at the top where none stand there."""
        top = self._top()
        for include, _ in mapped:
            if include.depth == self.base_depth:
                at = self._line_start(self.source.code[include.directive.first].offset)
                return top if self._only_guards_between(top, at) else at
            if include.depth > self.base_depth:
                break
        return top

    def _only_guards_between(self, start: int, end: int) -> bool:
        guards = [d for d in self.source.directives if _is_pragma_once(self.source, d)]
        if self.guard is not None:
            at = self.source.directives.index(self.guard)
            define = next(d for d in self.source.directives[at:] if d.name == "define")
            guards += [self.guard, define]
        return all(
            any(d.first <= index <= d.last for d in guards)
            for index, token in enumerate(self.source.code)
            if start <= token.offset < end
        )

    def _rewrite(self, include: Include, target: str) -> None:
        earlier = self.emitted.setdefault(target, [])
        covered = any(include.branches[: len(path)] == path for path in earlier)
        has_more = include.directive.last > include.directive.first + 2
        if not has_more and (not target or covered or (target in self.present and target != include.name)):
            self._drop(include)
        elif not target:
            return
        else:
            earlier.append(include.branches)
            self._replace(include, target)

    def _replace(self, include: Include, target: str) -> None:
        """Name ``target``; where a release of ROCm has it elsewhere and both may be met, ask the compiler."""
        left, right = include.token.text[0], include.token.text[-1]
        other = self.headers[include.name].older
        if other and other != target:
            newline = self.source.newline
            line = self._line_start(self.source.code[include.directive.first].offset)
            first = f"#if __has_include(<{target}>){newline}#include <{target}>{newline}#else{newline}"
            self.draft.edits.insert_at(line, first)
            self.draft.edits.insert_at(self._line_end(include), f"#endif{newline}")
        self.draft.edits.replace(include.token, f"{left}{other or target}{right}")

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
        directives = self.source.directives
        last = None
        if directives and _is_pragma_once(self.source, directives[0]):
            last = directives[0]
        elif self.guard is not None:
            last = self.guard
            following = directives[directives.index(self.guard) + 1]
            if following.name == "define":
                last = following
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


def _find_guard(source: SourceText) -> Directive | None:
    """The ``#ifndef X`` of an include guard that holds the whole file, but for a ``#pragma once``."""
    directives = [d for d in source.directives if not _is_preamble(source, d)]
    if len(directives) < 3 or [d.name for d in (*directives[:2], directives[-1])] != ["ifndef", "define", "endif"]:
        return None
    outside = [d for d in source.directives if d.last < directives[0].first or d.first > directives[-1].last]
    inside = directives[-1].last - directives[0].first + 1
    if inside + sum(d.last - d.first + 1 for d in outside) != len(source.code):
        return None
    names = [source.code[d.first + 2].text for d in directives[:2] if d.last >= d.first + 2]
    return directives[0] if len(names) == 2 and names[0] == names[1] else None


def _is_preamble(source: SourceText, directive: Directive) -> bool:
    """What may stand around the lines of a guard: ``#pragma once``, and the runtime's header from an earlier port."""
    names = [token.text for token in source.code[directive.first + 2 : directive.last + 1]]
    is_runtime = directive.name == "include" and names == [f"<{RUNTIME_HEADER}>"]
    return is_runtime or _is_pragma_once(source, directive)


def _is_pragma_once(source: SourceText, directive: Directive) -> bool:
    return directive.name == "pragma" and [t.text for t in source.code[directive.first + 2 : directive.last + 1]] == [
        "once"
    ]


def _is_gpu_library(name: str) -> bool:
    return name.split("/")[0] in ("hip", "hipcub", "rocprim", "rocwmma", "thrust")
