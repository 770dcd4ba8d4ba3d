"""What a front end (a translator of one kind of device code) offers to the translator process.

A front end is a module, ``cdna/translate.py`` or ``ptx/translate.py``, with two functions of the signatures
in ``FrontEnd``. It runs in a worker process that may be killed at any moment, and reads hostile input.

``sandbox/vgpu`` is a package of its own there (mounted as ``vgpu``, nothing of ``sandbox`` beside it): import
relatively, ``from ..translator.frontend import SourceUnit, TranslationError``.

The result of ``translate`` is source for clang, which the translator compiles and links into a shared object:

* ``language="ir"``: LLVM IR text of one module. Kind ``cdna`` defines ``i32 @w2w_kernel(ptr)``.
* ``language="c"``: C source (``-std=gnu17``).

Undefined symbols (``w2w_*`` of the engine, helpers) are resolved when the object is loaded into the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol


class TranslationError(Exception):
    """The image cannot be translated: ``code`` is a stable word, ``message`` a sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class SourceUnit:
    """One unit's code on its way to clang.

    ``instructions`` is the number of device instructions translated: it goes to the log, and large units are
    optimised less. ``flags`` are further clang arguments, after the translator's own (the last one wins).
    ``helpers`` asks for the kind's helper bitcode to be linked in, so that small helpers can be inlined.
    ``passes`` are the optimiser's for C whose author knows what it needs (a pipeline as ``opt`` takes it); "" for
    those of -O2, which take longer.
    ``notes`` go to the log: what was translated otherwise than it is as a rule.
    """

    language: Literal["ir", "c"]
    text: str
    instructions: int
    flags: tuple[str, ...] = ()
    helpers: bool = True
    passes: str = ""
    notes: tuple[str, ...] = ()


class FrontEnd(Protocol):
    """One kind of device code."""

    def list_units(self, image: bytes, target: str) -> list[str]:
        """Names of the kernels in ``image`` for ``target``. Kinds whose image is one unit return ``[""]``.

        Raises TranslationError.
        """

    def translate(self, image: bytes, target: str, unit: str, *, flavour: str, workdir: Path) -> SourceUnit:
        """Translate one unit. ``flavour`` is "" or a word of the kind's own for what the code does beside computing;
        ``workdir`` is an empty, private folder that is removed afterwards.

        Raises TranslationError, e.g. code ``bad-image``, ``unknown-unit``, ``wrong-target``, ``unknown-flavour``,
        ``unsupported-instruction``.
        """
