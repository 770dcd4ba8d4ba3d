"""Arguments that HIP wants written differently: device symbols and kernels (``arguments.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from agents.errors import DataError
from agents.models import Action, Severity
from agents.syntax.declarations import UserNames, is_api_name
from agents.syntax.draft import Draft
from agents.syntax.source import Span
from agents.syntax.tokens import TokenKind

_FILE = Path(__file__).parent / "arguments.toml"
_CASTS = frozenset({"reinterpret_cast", "static_cast", "const_cast", "nullptr", "NULL"})


@cache
def load_arguments() -> Mapping[str, Mapping[str, int]]:
    """``{"symbol": {name: position}, "kernel": {...}}``; DataError for anything else."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    for role, positions in data.items():
        if role not in ("symbol", "kernel") or not all(type(p) is int for p in positions.values()):
            raise DataError(f"arguments.toml: bad section {role}")
    return data


def rewrite_arguments(draft: Draft, user: UserNames) -> None:
    """Wrap symbols in HIP_SYMBOL and give kernels the pointer type that HIP's functions take."""
    roles = load_arguments()
    for index, token in enumerate(draft.source.code):
        if token.kind is not TokenKind.IDENTIFIER:
            continue
        for role, positions in roles.items():
            if token.text not in positions or not is_api_name(draft.source, index, user):
                continue
            arguments = draft.source.call(index)
            position = positions[token.text]
            if arguments is None or position >= len(arguments) or arguments[position].empty:
                continue
            if role == "symbol":
                _wrap_symbol(draft, arguments[position])
            else:
                _cast_kernel(draft, arguments[position])


def _wrap_symbol(draft: Draft, argument: Span) -> None:
    code = draft.source.code
    first = code[argument.first]
    if first.text == "HIP_SYMBOL":
        return
    if first.kind is TokenKind.STRING:
        draft.report(
            "hipify-symbol-string",
            argument.first,
            severity=Severity.BLOCKS,
            action=Action.TO_DO,
            title="A device symbol is named by a string",
            message="CUDA has not taken names of symbols since version 5, and HIP does not: give the variable itself.",
        )
    has_comma = any(code[i].text == "," for i in range(argument.first, argument.last + 1))
    opening, closing = ("HIP_SYMBOL((", "))") if has_comma else ("HIP_SYMBOL(", ")")
    draft.edits.insert_before(first, opening)
    draft.edits.insert_after(code[argument.last], closing)


def _cast_kernel(draft: Draft, argument: Span) -> None:
    """``f`` and ``f<T, 3>`` become ``reinterpret_cast<const void*>(&f...)``, a variable the same without ``&``;
    a cast stays."""
    source = draft.source
    first = source.code[argument.first]
    if first.kind is not TokenKind.IDENTIFIER or first.text in _CASTS:
        if first.text == "&" and source.code[argument.first + 1].kind is TokenKind.IDENTIFIER:
            draft.edits.insert_before(first, "reinterpret_cast<const void*>(")
            draft.edits.insert_after(source.code[argument.last], ")")
        return
    is_template = source.code[argument.last].text == ">"
    is_kernel = is_template or _is_kernel(draft, source.code[argument.last].text)
    if not is_kernel and argument.first != argument.last:
        return
    draft.edits.insert_before(first, "reinterpret_cast<const void*>(" + ("&" if is_kernel else ""))
    draft.edits.insert_after(source.code[argument.last], ")")


def _is_kernel(draft: Draft, name: str) -> bool:
    return name in draft.project.kernels
