"""Calls that need more than a new name, by their number of arguments (``call_forms.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agents.errors import DataError
from agents.syntax.source import SourceText

_FILE = Path(__file__).parent / "call_forms.toml"
_KEYS = frozenset({"cuda", "arguments", "hip", "drop", "append", "naive_only"})


@dataclass(frozen=True)
class CallForm:
    cuda: str
    arguments: int
    hip: str
    drop: tuple[int, ...] = ()
    append: str = ""
    naive_only: bool = False


@cache
def load_call_forms() -> Mapping[str, tuple[CallForm, ...]]:
    """The forms by CUDA name. DataError for an unknown key or the same form twice."""
    return parse_call_forms(_FILE.read_text(encoding="utf-8"))


def parse_call_forms(text: str) -> Mapping[str, tuple[CallForm, ...]]:
    forms: dict[tuple[str, int], CallForm] = {}
    for entry in tomllib.loads(text).get("form", []):
        form = _form(entry)
        if (form.cuda, form.arguments) in forms:
            raise DataError(f"call form {form.cuda}/{form.arguments} stands there twice")
        forms[form.cuda, form.arguments] = form
    by_name: dict[str, tuple[CallForm, ...]] = {}
    for form in forms.values():
        by_name[form.cuda] = (*by_name.get(form.cuda, ()), form)
    return by_name


def find_form(source: SourceText, index: int, *, naive: bool) -> CallForm | None:
    """The form that the call at ``index`` takes; None where a rename is all."""
    forms = load_call_forms().get(source.code[index].text)
    if not forms:
        return None
    arguments = source.call(index)
    if arguments is None or any(argument.empty for argument in arguments):
        return None
    fitting = (f for f in forms if f.arguments == len(arguments) and (naive or not f.naive_only))
    return next(fitting, None)


def _form(entry: Mapping[str, Any]) -> CallForm:
    if set(entry) - _KEYS or not {"cuda", "arguments", "hip"} <= set(entry):
        raise DataError(f"bad call form {dict(entry)}")
    drop = tuple(entry.get("drop", ()))
    if any(not 0 <= position < entry["arguments"] for position in drop):
        raise DataError(f"call form {entry['cuda']} drops an argument that it does not have")
    return CallForm(
        entry["cuda"],
        entry["arguments"],
        entry["hip"],
        drop,
        entry.get("append", ""),
        entry.get("naive_only", False),
    )
