"""Compiler messages as data. nvcc writes ``file(line): error: text``, clang ``file:line:column: error: text``."""

from __future__ import annotations

import re

from sandbox.models import Diagnostic

_CLANG = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<severity>fatal error|error|warning|note): (?P<text>.*)$"
)
_NVCC = re.compile(
    r"^(?P<file>[^(\n]+)\((?P<line>\d+)\): "
    r"(?P<severity>catastrophic error|error|warning|remark)(?: #[\w-]+)?: (?P<text>.*)$"
)
_LINKER = re.compile(r"^(?:\S*ld(?:\.lld)?: (?:error: )?)?(?P<text>undefined (?:reference|symbol).*)$")
_SEVERITY = {"fatal error": "error", "catastrophic error": "error", "remark": "note"}


def parse_diagnostics(log: str) -> tuple[Diagnostic, ...]:
    """Messages in order of appearance; lines that are none are left to the log."""
    found = []
    for line in log.splitlines():
        if match := _CLANG.match(line) or _NVCC.match(line):
            severity = match["severity"]
            column = match.groupdict().get("column")
            found.append(
                Diagnostic.model_validate(
                    {
                        "file": match["file"],
                        "line": int(match["line"]),
                        "column": int(column) if column else 0,
                        "severity": _SEVERITY.get(severity, severity),
                        "message": match["text"],
                    }
                )
            )
        elif match := _LINKER.match(line):
            found.append(Diagnostic(file="", line=0, severity="error", message=match["text"]))
    return tuple(found)
