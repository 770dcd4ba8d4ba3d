"""Names that a port calls in the shim headers instead of CUDA's (``replacements.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agents.errors import DataError
from agents.faults.catalogue import load_catalogue
from agents.faults.reports import report_fault
from agents.models import Action
from agents.shims.library import list_shims
from agents.syntax.declarations import UserNames, is_api_name
from agents.syntax.draft import Draft
from agents.syntax.includes import find_includes
from agents.syntax.source import SourceText
from agents.syntax.tokens import TokenKind

_FILE = Path(__file__).parent / "replacements.toml"
_KEYS = frozenset({"cuda", "port", "shim", "fault", "where", "given"})


@dataclass(frozen=True)
class Replacement:
    cuda: str
    port: str
    shim: str
    fault: str
    device_only: bool = False
    given: tuple[str, ...] = ()
    """Applied only where the submission includes one of these headers; empty: always."""


@cache
def load_replacements() -> Mapping[str, Replacement]:
    """By CUDA name. DataError for unknown keys, faults or shims, and for a name that repeats."""
    return parse_replacements(_FILE.read_text(encoding="utf-8"))


def parse_replacements(text: str) -> Mapping[str, Replacement]:
    found: dict[str, Replacement] = {}
    shims = set(list_shims())
    for entry in tomllib.loads(text).get("rows", []):
        replacement = _replacement(entry)
        if replacement.cuda in found:
            raise DataError(f"{replacement.cuda} is replaced twice")
        if replacement.fault not in load_catalogue():
            raise DataError(f"{replacement.cuda}: there is no fault {replacement.fault}")
        if replacement.shim and replacement.shim not in shims:
            raise DataError(f"{replacement.cuda}: there is no shim {replacement.shim}")
        found[replacement.cuda] = replacement
    return found


def _replacement(entry: Mapping[str, Any]) -> Replacement:
    if set(entry) - _KEYS or not {"cuda", "port", "shim", "fault"} <= set(entry):
        raise DataError(f"bad replacement {dict(entry)}")
    where = entry.get("where", "any")
    if where not in ("any", "device"):
        raise DataError(f"{entry['cuda']}: where is {where!r}")
    return Replacement(
        entry["cuda"],
        entry["port"],
        entry["shim"],
        entry["fault"],
        where == "device",
        tuple(entry.get("given", ())),
    )


def replace_missing(draft: Draft, user: UserNames) -> None:
    """Call the shims instead of what HIP lacks or does otherwise."""
    replacements = load_replacements()
    included = _included(draft.project.sources.values())
    for index, token in enumerate(draft.source.code):
        if token.kind is not TokenKind.IDENTIFIER:
            continue
        replacement = replacements.get(token.text)
        if replacement is None or not is_api_name(draft.source, index, user):
            continue
        if replacement.given and included.isdisjoint(replacement.given):
            continue
        if replacement.device_only and not draft.on_device(index):
            continue
        if draft.edits.replace(token, replacement.port):
            _note(draft, index, replacement)


def _note(draft: Draft, index: int, replacement: Replacement) -> None:
    draft.uses_cuda = True
    if replacement.shim:
        draft.shims.add(replacement.shim)
        what = f"{replacement.cuda} became {replacement.port}, which keeps CUDA's meaning on 64 lanes and on 32."
        if replacement.shim != "warp32.h":
            what = f"{replacement.cuda} became {replacement.port} of a header that comes with the port."
    elif replacement.port:
        what = f"{replacement.cuda} became {replacement.port}."
    else:
        what = f"{replacement.cuda} was dropped."
    report_fault(draft, replacement.fault, index, Action.FIXED, what, replacement=replacement.port)


def _included(sources: Iterable[SourceText]) -> set[str]:
    return {include.name for source in sources for include in find_includes(source)}
