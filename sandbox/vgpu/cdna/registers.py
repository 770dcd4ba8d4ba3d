"""The registers of a wave inside one basic block: which LLVM value each holds.

A VALU instruction writes only the lanes that EXEC selects. Its result is kept as a *pending* write: the new value,
EXEC at that time, and the value before. Readers under the same EXEC that use active lanes only take the new value
itself; the merge (a ``select``) is made only for readers of all lanes and at the end of the block.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """Lanes in ``mask`` (the EXEC value, an LLVM i64) hold ``active``, the others ``base``."""

    active: str
    mask: str
    base: str


class BlockRegisters:
    """``exact``: values of whole registers, by register name (v3, a0, s5, vcc, exec, m0, scc).

    ``pending``: writes not merged yet. ``wide``: 64-bit values of register pairs, by the name of the low one, with
    the EXEC under which they hold (None: in all lanes). ``dirty``: written since the block began.
    """

    def __init__(self) -> None:
        self.exact: dict[str, str] = {}
        self.pending: dict[str, PendingWrite] = {}
        self.wide: dict[str, tuple[str, str | None]] = {}
        self.masks: dict[str, str] = {}
        self.dirty: set[str] = set()

    def snapshot(self) -> BlockRegisters:
        copy = BlockRegisters()
        copy.exact = dict(self.exact)
        copy.pending = dict(self.pending)
        copy.wide = dict(self.wide)
        copy.masks = dict(self.masks)
        copy.dirty = set(self.dirty)
        return copy

    def forget_wide(self, register: str) -> None:
        """``register`` is being written: drop the 64-bit values that contain it."""
        self.wide.pop(register, None)
        if register[1:].isdigit():
            self.wide.pop(f"{register[0]}{int(register[1:]) - 1}", None)

    def set_exact(self, register: str, value: str) -> None:
        self.forget_wide(register)
        self.pending.pop(register, None)
        self.exact[register] = value
        self.dirty.add(register)

    def set_pending(self, register: str, write: PendingWrite) -> None:
        self.forget_wide(register)
        self.exact.pop(register, None)
        self.pending[register] = write
        self.dirty.add(register)
