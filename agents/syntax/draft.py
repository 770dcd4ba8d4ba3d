"""A port in the making: the submission's files as the passes see them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from agents.models import Action, Finding, Severity
from agents.syntax.conditionals import AssumedUndefined, find_branches
from agents.syntax.edits import Edits, Rewrite
from agents.syntax.functions import Function, find_functions
from agents.syntax.source import SourceText, Span, holds, merge_spans
from agents.syntax.tokens import CODE

Confidence = Literal["certain", "likely", "possible"]
AMD_MACROS: Mapping[str, int | None] = {
    "__HIP_PLATFORM_AMD__": 1,
    "__HIP_PLATFORM_HCC__": None,
    "__HIPCC__": 1,
    "__HIP__": 1,
    "__CUDACC__": 1,
    "__NVCC__": 1,
    "__clang__": 1,
    "__cplusplus": 201703,
}
"""Macros with a known value in a port. ``__CUDACC__`` and ``__NVCC__`` are renamed, so they hold there too."""
_HIP_MACROS = frozenset(
    ["__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__", "__HIPCC__", "__HIP__", "__HIP_DEVICE_COMPILE__"]
)
_CUDA_MACROS: Mapping[str, int | None] = {**dict.fromkeys(_HIP_MACROS), "__CUDACC__": 1, "__NVCC__": 1}
CUDA_BUILD_MACROS: Mapping[str, int | None] = {
    "__CUDACC__": 1,
    "__NVCC__": 1,
    "__clang__": 1,
    "__linux__": 1,
    "__x86_64__": 1,
    "__cplusplus": 201703,
}
"""What any build by nvcc on Linux has defined."""
_OPEN_MACROS = re.compile(r"_*(CU|NV|NCCL|THRUST|CUB)\w*_(VER|MAJOR|MINOR|API_VERSION|ARCH)")
"""Macros whose value depends on the toolkit or the architecture, which a translation does not know."""
_SNIPPET = 200
"""Longest snippet in a finding, in characters."""
_LONG_LINE = 2000
"""What is looked at of a line for it."""


@dataclass(frozen=True)
class Project:
    """What the passes know of the whole submission.

    ``architecture`` is the CUDA architecture, times ten, whose branches the port takes, e.g. 800 for sm_80.
    """

    sources: Mapping[str, SourceText]
    targets: tuple[str, ...] = ("gfx942", "gfx950")
    device_macros: frozenset[str] = frozenset()
    defines: Mapping[str, int | None] = field(default_factory=dict)
    kernels: frozenset[str] = frozenset()
    """Names of the kernels that the submission defines or declares."""
    architecture: int = 0


class Draft:
    """One file of a port: its source, the edits to it, the findings, the shim headers that it needs."""

    def __init__(self, source: SourceText, project: Project) -> None:
        self.source = source
        self.project = project
        self.edits = Edits(source.tokens)
        self.rewrites: list[Rewrite] = []
        """What is done to the text once no pass edits any more."""
        self.findings: list[Finding] = []
        self.shims: set[str] = set()
        self.uses_cuda = False
        """Whether anything of CUDA was seen, so that the file needs the HIP runtime's header."""

    @cached_property
    def functions(self) -> list[Function]:
        return find_functions(self.source, self.project.device_macros)

    @cached_property
    def _excluded(self) -> list[Span]:
        device = _not_taken(self.source, self._macros(on_device=True))
        host = set(_not_taken(self.source, self._macros(on_device=False)))
        return merge_spans(span for span in device if span in host)

    def _macros(self, *, on_device: bool) -> dict[str, int | None]:
        project = self.project
        architecture = {"__CUDA_ARCH__": project.architecture if on_device else None}
        return {**AMD_MACROS, **project.defines, **architecture} if project.architecture else {**AMD_MACROS}

    def excluded(self, index: int) -> bool:
        """Whether neither the host nor the device compiles the token on AMD."""
        return holds(self._excluded, index)

    def protect_hip_code(self) -> None:
        """Claim what the author has written for AMD, behind HIP's macros, so that no pass edits it."""
        mentions = any(token.text in _HIP_MACROS for token in self.source.code)
        for branch in find_branches(self.source, _CUDA_MACROS) if mentions else ():
            if branch.taken is False and branch.mentions & _HIP_MACROS:
                for index in range(branch.body.first, branch.body.last + 1):
                    self.edits.claim(self.source.code[index])

    def protect_excluded(self) -> None:
        """Claim the branches that the preprocessor of a CUDA build skips; a macro that nothing defines is undefined."""
        defined = {
            source.code[directive.first + 2].text
            for source in self.project.sources.values()
            for directive in source.directives
            if directive.name == "define" and directive.last >= directive.first + 2
        }
        words = {token.text for token in self.source.code if token.directive != CODE}
        defined |= {word for word in words if _OPEN_MACROS.match(word)}
        defined -= self.project.defines.keys()
        known = AssumedUndefined({**CUDA_BUILD_MACROS, **self.project.defines}, defined)
        for branch in find_branches(self.source, known):
            if branch.taken is False:
                for index in range(branch.body.first, branch.body.last + 1):
                    self.edits.claim(self.source.code[index])

    @cached_property
    def _heads(self) -> list[int]:
        return [function.head for function in self.functions]

    @cached_property
    def _parents(self) -> list[int]:
        """For each function the one around it, or -1."""
        parents: list[int] = []
        around: list[int] = []
        for number, function in enumerate(self.functions):
            while around and self.functions[around[-1]].closing < function.head:
                around.pop()
            parents.append(around[-1] if around else -1)
            around.append(number)
        return parents

    def enclosing(self, index: int) -> Function | None:
        """The innermost function around a token of ``source.code``, directives included."""
        at = bisect_right(self._heads, index) - 1
        while at >= 0 and index not in self.functions[at]:
            at = self._parents[at]
        return self.functions[at] if at >= 0 else None

    def function_at(self, index: int) -> Function | None:
        """As ``enclosing``, but None in directives: a macro's body belongs to no function."""
        return self.enclosing(index) if self.source.code[index].directive == CODE else None

    def on_device(self, index: int) -> bool:
        """Whether the token is compiled for the device; macro bodies count as device code."""
        if self.source.code[index].directive != CODE:
            return True
        function = self.function_at(index)
        return function is not None and function.device

    def report(
        self,
        fault: str,
        at: int | Span,
        *,
        severity: Severity,
        action: Action,
        title: str,
        message: str,
        replacement: str = "",
        confidence: Confidence = "certain",
    ) -> None:
        """Add a finding at a token or a span of ``source.code``."""
        span = Span(at, at) if isinstance(at, int) else at
        line, column = self.source.position(self.source.code[span.first].offset)
        self.findings.append(
            Finding(
                fault=fault,
                file=self.source.path,
                line=line,
                column=column,
                severity=severity,
                action=action,
                title=title,
                message=message,
                snippet=_shorten(self.source.line_text(line, _LONG_LINE).strip()),
                replacement=_shorten(replacement),
                confidence=confidence,
            )
        )

    def finish(self) -> None:
        """Once no pass edits any more: rewrite, and let fixed findings show their line as the port has it."""
        if self.rewrites:
            self.edits.rewrite(self.source.text, self.rewrites)
        for at, finding in enumerate(self.findings):
            if finding.action is Action.FIXED:
                first, last = self.source.line_span(finding.line)
                last = min(last, first + _LONG_LINE)
                line = _shorten(self.edits.apply(self.source.text, first, last).strip())
                if line != finding.snippet:
                    self.findings[at] = finding.model_copy(update={"replacement": line})


def _not_taken(source: SourceText, macros: Mapping[str, int | None]) -> list[Span]:
    return [branch.body for branch in find_branches(source, macros) if branch.taken is False]


def _shorten(text: str) -> str:
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text if len(text) <= _SNIPPET else text[: _SNIPPET - 1] + "…"
