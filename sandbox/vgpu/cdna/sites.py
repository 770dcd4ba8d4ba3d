"""What the engine needs to name an instruction in a report: its text and its source line, beside the code."""

from __future__ import annotations

from collections.abc import Callable

from .instruction import Instruction
from .line_table import LineTable, SourceLine


class SiteTable:
    """The instructions that a report may name. ``lines``: of the code object."""

    def __init__(self) -> None:
        self.lines = LineTable()
        self._texts: dict[int, str] = {}

    def add(self, instruction: Instruction) -> None:
        self._texts[instruction.address] = instruction.text

    def render(self, string: Callable[[str], str]) -> list[str]:
        """``@w2w_sites``, sorted by address, as ``struct Site`` of ``simt/kernel_table.h``. ``string`` gives a
        constant."""
        if not self._texts:
            return []
        rows = []
        for address in sorted(self._texts):
            at = self.lines.find(address) or SourceLine("", 0)
            text = string(self._texts[address])
            rows.append(f"{_TYPE} {{ i64 {address}, ptr {text}, ptr {string(at.file)}, i32 {at.line} }}")
        return [
            f"@w2w_site_count = constant i64 {len(rows)}\n",
            f"@w2w_sites = constant [{len(rows)} x {_TYPE}] [ {', '.join(rows)} ]\n",
        ]


_TYPE = "{ i64, ptr, ptr, i32 }"
