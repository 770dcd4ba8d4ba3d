"""The translator's front end for CDNA machine code: gfx942 and gfx950 code objects to LLVM IR."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ..translator.frontend import SourceUnit, TranslationError
from .code_object import parse_code_object
from .disassembly import Disassembly
from .flavour import PLAIN, Flavour, parse_flavour
from .instruction_table import table_for
from .line_table import LineTable, read_line_table
from .unit import UnitTranslator


def list_units(image: bytes, target: str) -> list[str]:
    """Names of the kernels, in the order of their code. Raises TranslationError."""
    kernels = parse_code_object(image, target).kernels.values()
    return [kernel.name for kernel in sorted(kernels, key=lambda kernel: kernel.entry)]


def translate(image: bytes, target: str, unit: str, *, flavour: str, workdir: Path) -> SourceUnit:
    """Translate the kernel ``unit``. Raises TranslationError ``bad-image``, ``wrong-target``, ``unknown-unit`` or
    ``unknown-flavour``."""
    translator = unit_translator(image, target, unit, workdir, parse_flavour(flavour))
    try:
        text = translator.translate()
    except subprocess.TimeoutExpired as error:
        raise TranslationError("bad-image", "llvm-objdump did not end in time") from error
    return SourceUnit(language="ir", text=text, instructions=translator.instruction_count, helpers=False)


def unit_translator(image: bytes, target: str, unit: str, workdir: Path, flavour: Flavour = PLAIN) -> UnitTranslator:
    """The translator of one kernel, for callers that also want to know what it could not translate."""
    code = parse_code_object(image, target)
    kernel = code.kernels.get(unit)
    if kernel is None:
        raise TranslationError("unknown-unit", f"the code object has no kernel {unit}")
    lines = read_line_table(image) if flavour.watches_memory else LineTable()
    path = workdir / "code_object"
    path.write_bytes(image)
    return UnitTranslator(code, Disassembly(code, path), table_for(target), kernel, flavour, lines)
