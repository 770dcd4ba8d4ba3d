"""Calls that need more than a new name, by their number of arguments (``call_forms.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from agents.errors import DataError
from agents.hipify.tables import Dialect
from agents.syntax.source import SourceText

_FILE = Path(__file__).parent / "call_forms.toml"
_KEYS = frozenset({"cuda", "arguments", "hip", "into", "naive_only", "target", "finding"})
_LETTERS = re.compile(r"\[(\w+)\]")
_PIECE = re.compile(r"\{(\d+)(?:\.\.(\d+))?\}")


class Target(StrEnum):
    """The library that a form is for."""

    HIP = "hip"
    ROC = "roc"
    MIOPEN = "miopen"
    OLDER = "older"


@dataclass(frozen=True)
class CallForm:
    """``hip`` empty: the form does not exist there, unless ``into`` is given: then the name is the table's.

    ``into`` is the new list of arguments: text, ``{2}`` for the third argument, ``{2..5}`` for several. Empty:
    as they are.
    """

    cuda: str
    arguments: int
    hip: str
    into: str = ""
    naive_only: bool = False
    target: Target = Target.HIP
    finding: str = ""

    @property
    def pieces(self) -> Iterator[str | int]:
        """``into`` as fixed text and positions of arguments."""
        done = 0
        for match in _PIECE.finditer(self.into):
            yield self.into[done : match.start()]
            first = int(match[1])
            for position in range(first, int(match[2] or first) + 1):
                yield ", " if position > first else ""
                yield position
            done = match.end()
        yield self.into[done:]

    def fits(self, dialect: Dialect) -> bool:
        if self.target is Target.ROC:
            return dialect.roc
        if self.target is Target.OLDER:
            return dialect.older
        return dialect.miopen if self.target is Target.MIOPEN else True


@cache
def load_call_forms() -> Mapping[str, tuple[CallForm, ...]]:
    """The forms by CUDA name. DataError for an unknown key or the same form twice."""
    return parse_call_forms(_FILE.read_text(encoding="utf-8"))


def parse_call_forms(text: str) -> Mapping[str, tuple[CallForm, ...]]:
    forms: dict[tuple[str, int, Target, bool], CallForm] = {}
    for entry in tomllib.loads(text).get("form", []):
        for form in _forms(entry):
            key = form.cuda, form.arguments, form.target, form.naive_only
            if key in forms:
                raise DataError(f"call form {form.cuda}/{form.arguments} stands there twice")
            forms[key] = form
    by_name: dict[str, tuple[CallForm, ...]] = {}
    for form in sorted(forms.values(), key=lambda form: form.target is Target.HIP):
        by_name[form.cuda] = (*by_name.get(form.cuda, ()), form)
    return by_name


def find_form(source: SourceText, index: int, dialect: Dialect, *, naive: bool) -> CallForm | None:
    """The form that the call at ``index`` takes; None where a rename is all."""
    forms = load_call_forms().get(source.code[index].text)
    if not forms:
        return None
    arguments = source.call(index)
    if arguments is None or any(argument.empty for argument in arguments):
        return None
    fitting = (f for f in forms if f.arguments == len(arguments) and f.fits(dialect) and (naive or not f.naive_only))
    return next(fitting, None)


def _forms(entry: Mapping[str, Any]) -> Iterator[CallForm]:
    """The forms of one entry: ``[SDCZ]`` in its names stands for each of the letters, in lower case for ``hip``."""
    if set(entry) - _KEYS or not {"cuda", "arguments"} <= set(entry) or not {"hip", "into"} & set(entry):
        raise DataError(f"bad call form {dict(entry)}")
    cuda, hip = entry["cuda"], entry.get("hip", "")
    letters = _LETTERS.search(cuda)
    try:
        target = Target(entry.get("target", "hip"))
    except ValueError as error:
        raise DataError(f"call form {cuda}: {error}") from error
    for letter in letters[1] if letters else ("",):
        form = CallForm(
            _LETTERS.sub(letter, cuda),
            entry["arguments"],
            _LETTERS.sub(letter.lower(), hip),
            entry.get("into", ""),
            entry.get("naive_only", False),
            target,
            entry.get("finding", ""),
        )
        if any(isinstance(piece, int) and piece >= form.arguments for piece in form.pieces):
            raise DataError(f"call form {form.cuda} uses an argument that it does not have")
        yield form
