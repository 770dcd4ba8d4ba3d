"""Follows code addresses that machine code computes in SGPRs, so that calls of known functions stay direct.

LLVM calls a function with ``s_getpc_b64``, ``s_add_u32``, ``s_addc_u32`` and ``s_swappc_b64``; a branch that is too
far for SIMM16 uses the same sequence with ``s_setpc_b64``.
"""

from __future__ import annotations

import re

from .instruction import Instruction, Operand, OperandKind

_CARRIES = re.compile(r"_co_|_div_scale_|_mad_[iu]64_")
"""VALU instructions whose second operand is a result too."""

_CALL_PRESERVES_FROM = 34
"""The calling convention preserves s34 and up (and others that do not matter here)."""


class CodeAddresses:
    """SGPR pairs known to hold "code base + offset", and those halfway through the addition. ``seen``: all offsets
    that were computed."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self._pairs: dict[int, int] = {}
        self._sums: dict[int, int] = {}

    def copy(self) -> CodeAddresses:
        other = CodeAddresses()
        other._pairs, other._sums = dict(self._pairs), dict(self._sums)
        return other

    def keep_common(self, other: CodeAddresses) -> bool:
        """Keep what ``other`` agrees with. Whether anything was dropped."""
        pairs = dict(self._pairs.items() & other._pairs.items())
        sums = dict(self._sums.items() & other._sums.items())
        dropped = (pairs, sums) != (self._pairs, self._sums)
        self._pairs, self._sums = pairs, sums
        return dropped

    def forget_after_call(self) -> None:
        self._pairs = {pair: at for pair, at in self._pairs.items() if pair >= _CALL_PRESERVES_FROM}
        self._sums.clear()

    def follow(self, instruction: Instruction) -> int | None:
        """Take note of one instruction; for a call or an indirect jump, give its target where known."""
        mnemonic, operands = instruction.mnemonic, instruction.operands
        if mnemonic == "s_call_b64":
            return instruction.branch_target
        if mnemonic in ("s_swappc_b64", "s_setpc_b64", "s_cbranch_g_fork"):
            return self._pairs.get(operands[-1].index) if operands[-1].kind is OperandKind.SCALAR else None
        if mnemonic.startswith("v_"):
            for operand in operands[: 2 if _CARRIES.search(mnemonic) else 1]:
                if operand.kind is OperandKind.SCALAR:
                    self._kill(operand)
            return None
        if not operands or operands[0].kind is not OperandKind.SCALAR:
            return None
        destination = operands[0]
        if mnemonic == "s_getpc_b64":
            self._kill(destination)
            self._pairs[destination.index] = instruction.next_address
        elif mnemonic in ("s_add_u32", "s_addc_u32") and self._adds_constant(operands):
            self._add(mnemonic, destination.index, _signed(operands[2].value))
        elif mnemonic == "s_mov_b64" and operands[1].kind is OperandKind.SCALAR:
            source = self._pairs.get(operands[1].index)
            self._kill(destination)
            if source is not None:
                self._pairs[destination.index] = source
        elif not mnemonic.startswith(("s_cmp", "s_bitcmp", "s_waitcnt", "s_nop")):
            self._kill(destination)
        return None

    def _adds_constant(self, operands: tuple[Operand, ...]) -> bool:
        destination, source, addend = operands
        return source.kind is OperandKind.SCALAR and source.index == destination.index and addend.is_constant

    def _add(self, mnemonic: str, index: int, addend: int) -> None:
        if mnemonic == "s_add_u32" and index in self._pairs:
            self._sums[index] = self._pairs.pop(index) + (addend & 0xFFFFFFFF)
        elif mnemonic == "s_addc_u32" and index - 1 in self._sums:
            offset = (self._sums.pop(index - 1) + (addend << 32)) & (2**64 - 1)
            self._pairs[index - 1] = offset
            self.seen.add(offset)
        else:
            self._pairs.pop(index, None)
            self._pairs.pop(index - 1, None)

    def _kill(self, destination: Operand) -> None:
        for register in range(destination.index - 1, destination.index + destination.count):
            self._pairs.pop(register, None)
            self._sums.pop(register, None)


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value
