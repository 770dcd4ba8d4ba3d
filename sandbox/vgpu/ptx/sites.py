"""Places in the PTX that may report something when they are reached (``struct w2w_site``)."""

from __future__ import annotations

from .names import c_string
from .syntax import Instruction

READ, WRITE, ATOMIC = 0, 1, 2


class Sites:
    """Collects sites; each becomes an element of the C array ``sites``."""

    def __init__(self) -> None:
        self._rows: list[str] = []

    def add(
        self,
        kernel: str,
        instruction: Instruction,
        source_file: str = "",
        *,
        size: int = 0,
        align: int = 0,
        access: int = READ,
    ) -> str:
        """The C expression for a new site's address. ``size`` and ``align`` of the access, in bytes."""
        location = instruction.location
        line = location.line if location else 0
        file = c_string(source_file) if source_file and location else "0"
        self._rows.append(
            f"{{{c_string(kernel)},{c_string(instruction.text)},{instruction.line},{line},{file},"
            f"{size},{align},{access}}}"
        )
        return f"(sites+{len(self._rows) - 1})"

    def definition(self) -> str:
        rows = ",\n".join(self._rows or ["{0,0,0,0,0,0,0,0}"])
        return f"static const struct w2w_site sites[] = {{\n{rows}\n}};"
