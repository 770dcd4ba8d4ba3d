"""The PTX front end of the translator: a fat binary becomes one C source."""

from __future__ import annotations

import re
from pathlib import Path

from ..translator.frontend import SourceUnit, TranslationError
from .fatbinary import select_ptx
from .module_writer import write_module
from .parser import parse_module
from .program import Program
from .semantics import SEMANTICS
from .vector.forms import FORMS

_TARGET = re.compile(r"sm_(\d+)a?\Z")
_FLAGS = ("-fwrapv", "-fno-strict-aliasing", "-fno-vectorize", "-fno-builtin-printf")
SCALAR = "scalar"
"""The flavour that runs thread by thread; without a flavour a warp runs at once where that can be done."""

_PASSES = (
    "always-inline,globaldce,"
    "function(lower-expect,sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,"
    "loop-mssa(licm))"
)
"""All that is left to do for code that is vectors already."""


def list_units(image: bytes, target: str) -> list[str]:
    """A fat binary is one unit. Raises TranslationError where it holds no PTX for ``target``."""
    select_ptx(image, _architecture(target))
    return [""]


def translate(image: bytes, target: str, unit: str, *, flavour: str, workdir: Path) -> SourceUnit:
    """C source for ``image``, one or more fat binaries. Raises TranslationError. ``workdir`` is not used."""
    if flavour not in ("", SCALAR):
        raise TranslationError("unknown-flavour", f"PTX is translated for warps or with {SCALAR}, not with {flavour}")
    if unit:
        raise TranslationError("unknown-unit", f"a fat binary has no unit {unit!r}")
    program = Program([parse_module(text) for text in select_ptx(image, _architecture(target))])
    if flavour == SCALAR:
        written = write_module(program, SEMANTICS)
        return SourceUnit("c", written.text, written.instructions, flags=_FLAGS, helpers=False)
    written = write_module(program, SEMANTICS, FORMS)
    return SourceUnit(
        "c", written.text, written.instructions, _FLAGS, helpers=False, passes=_PASSES, notes=written.notes
    )


def _architecture(target: str) -> int:
    match = _TARGET.match(target)
    if match is None:
        raise TranslationError("wrong-target", f"{target!r} is no CUDA target")
    return int(match[1])
