"""The LLVM module that a unit becomes: declarations, strings, prelude functions, function bodies."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from .flavour import PLAIN, Flavour
from .lane_lines import narrow
from .sites import SiteTable

_PRELUDE = Path(__file__).with_name("prelude.ll")
_DEFINITION = re.compile(r"^define internal .*?@w2w\.([\w.]+)\(.*?^}\n", re.MULTILINE | re.DOTALL)
_DECLARATION = re.compile(r"^declare .*@([\w.]+)\(.*$", re.MULTILINE)
_REFERENCE = re.compile(r"@([\w.]+)\(")
_HOST = """target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
"""


@cache
def prelude_functions() -> dict[str, str]:
    """Functions of prelude.ll by name (without ``w2w.``), and its declarations by name."""
    text = _PRELUDE.read_text(encoding="utf-8")
    functions = {match[1]: match[0] for match in _DEFINITION.finditer(text)}
    declarations = {match[1]: match[0] + "\n" for match in _DECLARATION.finditer(text)}
    return {**functions, **declarations}


class Module:
    def __init__(self, target: str, flavour: Flavour = PLAIN) -> None:
        self.target = target
        self.flavour = flavour
        self.sites = SiteTable()
        self._declarations: dict[str, str] = {}
        self._prelude: dict[str, str] = {}
        self._strings: dict[str, str] = {}
        self.functions: list[str] = []
        self.constants: list[str] = []
        self.counted_accesses = 0

    def declare(self, name: str, result: str, arguments: list[str]) -> None:
        self._declare(f"declare {result} @{name}({', '.join(arguments)})\n", name)
        if name.startswith("llvm.") and ".v64" in name:
            self._declare(narrow(f"declare {result} @{name}({', '.join(arguments)})\n"), narrow(name))

    def _declare(self, text: str, name: str) -> None:
        self._declarations.setdefault(name, text)

    def use_prelude(self, name: str) -> None:
        """Take a function of the prelude into the module, with all that it uses."""
        if name in self._prelude:
            return
        text = prelude_functions()[name]
        self._prelude[name] = text
        for reference in _REFERENCE.findall(text):
            short = reference.removeprefix("w2w.")
            if reference.startswith("llvm."):
                self._declare(prelude_functions()[reference], reference)
            elif short != name:
                self.use_prelude(short)

    def string(self, text: str) -> str:
        """A zero-terminated constant string."""
        if text not in self._strings:
            self._strings[text] = f"@text.{len(self._strings)}"
        return self._strings[text]

    def number_access(self) -> int:
        """A number for one access of a memory instruction, in the flavour ``counters``."""
        self.counted_accesses += 1
        return self.counted_accesses - 1

    def render(self) -> str:
        sites = self.sites.render(self.string)
        strings = [
            f'{name} = private unnamed_addr constant [{len(text.encode()) + 1} x i8] c"{_escape(text)}\\00"\n'
            for text, name in self._strings.items()
        ]
        return "".join(
            [
                _HOST,
                *strings,
                *self.constants,
                *sites,
                *self._declarations.values(),
                *self._prelude.values(),
                *self.functions,
                "attributes #0 = { alwaysinline nounwind }\n",
                "attributes #1 = { nounwind }\n",
                "attributes #2 = { nounwind }\n",
                "attributes #3 = { alwaysinline nounwind }\n",
                "attributes #4 = { noinline nounwind }\n",
                '!0 = !{!"branch_weights", i32 1, i32 20000}\n',
                '!1 = distinct !{!1, !{!"llvm.loop.unroll.disable"}}\n',
            ]
        )


def _escape(text: str) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in text.encode())
