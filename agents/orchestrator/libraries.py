"""Which libraries a program needs that no virtual device runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from agents.models import SourceFile
from agents.syntax.lexer import lex
from agents.syntax.tokens import INSIGNIFICANT, TokenKind
from sandbox.models import Build, Model

_TABLE = Path(__file__).with_name("libraries.toml")
_MISSING_HEADER = re.compile(
    r"([\w./]+\.h)[:'\"]* (?:No such file|file not found)|cannot open source file \"([^\"]+)\""
)


class Library(Model):
    headers: tuple[str, ...]
    prefixes: tuple[str, ...]


@cache
def load_libraries() -> dict[str, Library]:
    """By name. Raises ValueError where a header stands twice."""
    table = {name: Library.model_validate(row) for name, row in tomllib.loads(_TABLE.read_text())["libraries"].items()}
    headers = [header for library in table.values() for header in library.headers]
    if len(headers) != len(set(headers)):
        raise ValueError(f"{_TABLE.name}: a header stands twice")
    return table


def describe_missing_library(build: Build, files: Sequence[SourceFile]) -> str | None:
    """If ``build`` failed for want of a library's header: what the program needs, with its first call. Else None."""
    found = _MISSING_HEADER.search(build.log)
    if build.ok or found is None:
        return None
    header = PurePosixPath(found[1] or found[2]).name
    for name, library in load_libraries().items():
        if header in library.headers:
            call = _first_call(library, files)
            return f"the original needs {name}{f', for {call}' if call else ''}, which no virtual device runs"
    return None


def _first_call(library: Library, files: Sequence[SourceFile]) -> str:
    for file in files:
        tokens = [t for t in lex(file.text) if t.kind not in INSIGNIFICANT]
        for token, following in pairwise(tokens):
            if token.kind is TokenKind.IDENTIFIER and token.text.startswith(library.prefixes) and following.text == "(":
                line = file.text.count("\n", 0, token.offset) + 1
                return f"{token.text} at {file.path}:{line}"
    return ""
