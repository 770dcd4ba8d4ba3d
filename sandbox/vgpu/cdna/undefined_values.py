"""Follows undefined values through registers, in translations with checks.

Two things make a value undefined: a word of memory or LDS that nobody has written, and a lane that takes a value from
one that is off (ds_bpermute, ds_swizzle, DPP). That alone is no error: compilers copy padding and let lanes compute
what nobody uses. It is one where the value decides something: a branch, EXEC, an address, or, once something was
computed from it, what is stored.

Each register has shadows. VGPRs have two masks of lanes: ``u``, the lane holds an unwritten word as it was loaded
(copied, it makes the word that it is stored to unwritten, too); ``t``, the lane holds something computed from an
undefined value, or taken from a lane that is off. SGPRs, VCC and SCC have ``t``, one bit a bit, since they hold lane
masks. What is left undefined only in part is taken as defined: halves and bytes of a register, bits under a mask that
is known, results of the matrix cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .types import I1

if TYPE_CHECKING:
    from .instruction import Instruction, Operand
    from .register_access import RegisterAccess

_COPIES = ("v_mov_b", "v_accvgpr_", "v_swap_b32", "v_pk_mov_b32")
_BITWISE = ("v_and_", "v_or_", "v_or3_", "v_xor_", "v_bfi_", "v_perm_b32", "v_alignb", "v_lshl_or_", "v_bitop3_")
_MATRIX = ("v_mfma_", "v_smfmac_")
NONE = "0"


@dataclass(frozen=True)
class Shadow:
    """Of the lanes of a vector value: LLVM values of type i64, see the module's docstring."""

    tainted: str = NONE
    unwritten: str = NONE


@dataclass
class UndefinedValues:
    """``sources``: the registers that the instruction has read so far; ``masks``: lane masks that it has read, as the
    bits of theirs that are undefined."""

    registers: RegisterAccess
    sources: dict[str, None] = field(default_factory=dict)
    masks: list[str] = field(default_factory=list)
    computed: list[Shadow] = field(default_factory=list)
    results: list[Shadow] | None = None
    scalar_result: str | None = None
    scc_result: str | None = None
    is_silent: bool = False

    def start_instruction(self, instruction: Instruction) -> None:
        self.sources.clear()
        self.masks.clear()
        self.computed.clear()
        self.results, self.scalar_result, self.scc_result, self.is_silent = None, None, None, False
        mnemonic = instruction.mnemonic
        self._copies = mnemonic.startswith(_COPIES)
        self._is_bitwise = mnemonic.startswith(_BITWISE)
        self._is_matrix = mnemonic.startswith(_MATRIX)

    # ---- what instructions read -----------------------------------------------------------------------------------

    def note_read(self, register: str) -> None:
        if not self.is_silent and register != "exec":
            self.sources[register] = None

    def note_mask(self, operand: Operand) -> None:
        """``operand``, just read, is a lane mask: its bits are about their lanes."""
        names = ["vcc"] if operand.name == "vcc" else [f"s{operand.index}", f"s{operand.index + 1}"]
        for name in names:
            self.sources.pop(name, None)
        self.masks.append(self.of_scalar64(operand))

    def replace(self, operand: Operand, shadow: Shadow) -> None:
        """The registers of ``operand``, read in all lanes, became a value with this shadow."""
        for position in range(operand.count):
            self.sources.pop(f"{operand.kind.value}{operand.index + position}", None)
        self.computed.append(shadow)

    @contextmanager
    def unnoticed(self) -> Iterator[None]:
        """Reads in here do not count: the instruction keeps the rest of a register."""
        before, self.is_silent = self.is_silent, True
        yield
        self.is_silent = before

    # ---- shadows ----------------------------------------------------------------------------------------------------

    def of_vector(self, register: str) -> Shadow:
        return Shadow(self._get(f"t.{register}"), self._get(f"u.{register}"))

    def any_of_vector(self, register: str) -> str:
        shadow = self.of_vector(register)
        return self.either(shadow.tainted, shadow.unwritten)

    def of_scalar64(self, operand: Operand) -> str:
        """Undefined bits of an SGPR pair, VCC or a constant."""
        if operand.kind.value == "s":
            low, high = (self._get(f"t.s{operand.index + k}") for k in (0, 1))
            if low == NONE and high == NONE:
                return NONE
            r = self.registers
            low, high = (r.value(f"zext i32 {each} to i64") for each in (low, high))
            return self.either(low, r.binary("shl", "i64", high, "32"))
        return self._get("t.vcc") if operand.name == "vcc" else NONE

    def of_scalar(self, operand: Operand, bits: int) -> str:
        if bits == 64:
            return self.of_scalar64(operand)
        if operand.kind.value == "s":
            return self._get(f"t.s{operand.index}")
        if operand.name in ("vcc_lo", "vcc_hi"):
            half = self._get("t.vcc")
            if half == NONE:
                return NONE
            r = self.registers
            if operand.name == "vcc_hi":
                half = r.binary("lshr", "i64", half, "32")
            return r.value(f"trunc i64 {half} to i32")
        return NONE

    def _get(self, name: str) -> str:
        return self.registers.value_of(name)

    def either(self, left: str, right: str) -> str:
        if NONE in (left, right) or left == right:
            return left if right == NONE or left == right else right
        return self.registers.binary("or", "i64", left, right)

    def both(self, left: str, right: str) -> str:
        if NONE in (left, right):
            return NONE
        if "-1" in (left, right):
            return right if left == "-1" else left
        return left if left == right else self.registers.binary("and", "i64", left, right)

    def _without(self, bits: str, mask: str) -> str:
        if bits == NONE:
            return NONE
        return self.both(bits, self.registers.binary("xor", "i64", mask, "-1"))

    def _spread(self, bits: str, kind: str) -> str:
        """All lanes, if any bit is set."""
        if bits == NONE:
            return NONE
        r = self.registers
        if kind != "i1":
            bits = r.compare("ne", kind, bits, "0")
        return r.value(f"sext i1 {bits} to i64")

    def _source_bits(self, register: str) -> str:
        if register[0] in "va" and register[1:].isdigit():
            return self.any_of_vector(register)
        return self._spread(self._get(f"t.{register}"), shadow_type(f"t.{register}"))

    def of_sources(self) -> Shadow:
        """What the instruction's result is: of all that it has read."""
        if self._is_matrix:
            return Shadow()
        vectors = [name for name in self.sources if name[0] in "va" and name[1:].isdigit()]
        parts = [self._source_bits(name) for name in self.sources] + self.masks
        parts += [self.either(shadow.tainted, shadow.unwritten) for shadow in self.computed]
        if self._copies and len(vectors) + len(self.computed) == 1:
            return self.of_vector(vectors[0]) if vectors else self.computed[0]
        if not parts:
            return Shadow()
        total = parts[0]
        for part in parts[1:]:
            total = self.both(total, part) if self._is_bitwise else self.either(total, part)
        return Shadow(total)

    def any_of_sources(self) -> str:
        """The lanes in which anything that the instruction has read is undefined."""
        total = NONE
        for name in self.sources:
            total = self.either(total, self._source_bits(name))
        for shadow in self.computed:
            total = self.either(total, self.either(shadow.tainted, shadow.unwritten))
        return total

    # ---- what instructions write ----------------------------------------------------------------------------------

    def note_write(self, register: str, mask: str | None) -> None:
        """``register`` was written, a VGPR in the lanes of ``mask`` (None: all)."""
        if register == "exec":
            self._check_exec()
            return
        if not (register[0] in "va" and register[1:].isdigit()):
            self._set(f"t.{register}", self._scalar_shadow(register))
            return
        shadow = self.results.pop(0) if self.results else self.of_sources()
        for name, bits in ((f"t.{register}", shadow.tainted), (f"u.{register}", shadow.unwritten)):
            if mask is None:
                self._set(name, bits)
                continue
            old = self._get(name)
            if old != NONE or bits != NONE:
                self._set(name, self.either(self._without(old, mask), self.both(bits, mask)))

    def _scalar_shadow(self, register: str) -> str:
        kind = shadow_type(f"t.{register}")
        if register == "scc" and self.scc_result is not None:
            return self.scc_result
        if self.scalar_result is not None:
            return self._part(self.scalar_result, register, kind)
        total = self.of_sources().tainted
        if total == NONE:
            return NONE
        r = self.registers
        is_any = r.compare("ne", "i64", total, "0")
        return is_any if kind == "i1" else r.value(f"sext i1 {is_any} to {kind}")

    def _part(self, bits: str, register: str, kind: str) -> str:
        """Of the undefined bits of a 64-bit result, those of one register."""
        if bits == NONE or kind == "i64":
            return bits
        r = self.registers
        if kind == "i1":
            return r.compare("ne", "i64", bits, "0")
        if self._is_high(register):
            bits = r.binary("lshr", "i64", bits, "32")
        return r.value(f"trunc i64 {bits} to i32")

    def _is_high(self, register: str) -> bool:
        return register == self.high_register

    high_register: str = ""

    def _set(self, name: str, value: str) -> None:
        self.registers.set_value(name, value)

    # ---- where a value decides -------------------------------------------------------------------------------------

    def _check_exec(self) -> None:
        """Lanes that are on, and stay on or not by an undefined bit."""
        bits = self.scalar_result
        if bits is None or bits == NONE:
            return
        self.registers.note_pc()
        self._report(self.both(bits, self.registers.exec))

    def check_branch(self, mnemonic: str) -> None:
        """Before a conditional branch on SCC or VCC."""
        r = self.registers
        if mnemonic.startswith("s_cbranch_scc"):
            bad = self._get("t.scc")
        elif mnemonic.startswith("s_cbranch_vcc"):
            bad = self.is_zero_undefined("i64", r.value_of("vcc"), self._get("t.vcc"))
        else:
            return
        if bad != NONE:
            r.note_pc()
            self._report(r.value(f"sext i1 {bad} to i64"))

    def _report(self, lanes: str) -> None:
        r = self.registers
        r.module.use_prelude("check_lanes")
        r.line(f"call void @w2w.check_lanes(ptr %wave, i64 {lanes})")

    # ---- logic of lane masks --------------------------------------------------------------------------------------

    def note_logic(self, op: str, kind: str, left: tuple[str, str], right: tuple[str, str]) -> None:
        """The instruction's result is (value, undefined bits) ``op`` another; a known 0 or 1 decides and, or or."""
        r, (a, ta), (b, tb) = self.registers, left, right
        if ta == NONE and tb == NONE:
            self.note_scalar(NONE, kind)
            return
        undefined = r.binary("or", kind, ta, tb)
        if op != "xor":
            decides = "0" if op == "and" else "-1"
            a, b = (r.binary("xor", kind, value, decides) for value in (a, b))
            keeps = [r.binary("or", kind, v, t) for v, t in ((a, ta), (b, tb))]
            undefined = r.binary("and", kind, undefined, r.binary("and", kind, keeps[0], keeps[1]))
        self.note_scalar(undefined, kind)

    def note_scalar(self, bits: str, kind: str) -> None:
        """Undefined bits of the scalar that the instruction gives."""
        if bits != NONE and kind == "i32":
            bits = self.registers.value(f"zext i32 {bits} to i64")
        self.scalar_result = bits

    def note_scc(self, kind: str, value: str) -> None:
        """SCC becomes whether ``value``, the result, is not 0."""
        bits = self.scalar_result
        if bits is None:
            return
        wide = value if kind == "i64" else self.registers.value(f"zext {kind} {value} to i64")
        self.scc_result = self.is_zero_undefined("i64", wide, bits)

    def is_zero_undefined(self, kind: str, value: str, bits: str) -> str:
        """An i1: undefined bits decide whether ``value`` is 0."""
        if bits == NONE:
            return NONE
        r = self.registers
        known = r.binary("and", kind, value, r.binary("xor", kind, bits, "-1"))
        return r.binary("and", "i1", r.compare("eq", kind, known, "0"), r.compare("ne", kind, bits, "0"))

    # ---- cross-lane moves -----------------------------------------------------------------------------------------

    def of_lane(self, operand: Operand, lane: str) -> str:
        """-1 if the value of one lane (an i64) of a vector register is undefined, else 0; an i64."""
        if operand.kind.value not in "va":
            return NONE
        bits = self.any_of_vector(f"{operand.kind.value}{operand.index}")
        if bits == NONE:
            return NONE
        r = self.registers
        bit = r.value(f"trunc i64 {r.binary('lshr', 'i64', bits, lane)} to i1")
        return r.value(f"sext i1 {bit} to i64")

    def note_lane_write(self, register: str, lane: str, bits: str) -> None:
        """One lane of ``register`` was written with a scalar whose undefined bits are ``bits``; an i32."""
        r = self.registers
        self.results = [self.of_vector(register)]
        place = r.binary("shl", "i64", "1", lane)
        shadow = Shadow(self._without(self.results[0].tainted, place), self._without(self.results[0].unwritten, place))
        if bits != NONE:
            mine = r.binary("and", "i64", self._spread(bits, "i32"), place)
            shadow = Shadow(self.either(shadow.tainted, mine), shadow.unwritten)
        self.results = [shadow]

    def select(self, mask: str, yes: Shadow, no: Shadow, decides: str) -> Shadow:
        """Of lanes that ``mask`` chooses; ``decides``: the mask's undefined bits."""
        chosen = [
            self.either(self.both(mask, a), self._without(b, mask))
            for a, b in ((yes.tainted, no.tainted), (yes.unwritten, no.unwritten))
        ]
        return Shadow(self.either(chosen[0], decides), chosen[1])

    def of_operand(self, operand: Operand) -> Shadow:
        """A 32-bit source of a vector instruction."""
        if operand.kind.value in ("v", "a"):
            return self.of_vector(f"{operand.kind.value}{operand.index}")
        if operand.kind.value == "computed":
            return self.computed[-1] if self.computed else Shadow()
        return Shadow(self._spread(self.of_scalar(operand, 32), "i32"))

    def permute(self, bits: str, index: str) -> str:
        """``bits`` of the lanes that ``index``, a constant vector, names; 64 is no lane."""
        if bits == NONE:
            return NONE
        r = self.registers
        lanes = r.value(f"bitcast i64 {bits} to {I1}")
        moved = r.value(f"shufflevector {I1} {lanes}, {I1} zeroinitializer, <64 x i32> {index}")
        return r.value(f"bitcast {I1} {moved} to i64")


def is_shadow(register: str) -> bool:
    return register[1:2] == "."


def shadow_type(register: str) -> str:
    """The LLVM type of a shadow register, ``t.v3`` or ``u.v3``."""
    name = register[2:]
    if name in ("vcc", "exec") or (name[0] in "va" and name[1:].isdigit()):
        return "i64"
    return "i1" if name == "scc" else "i32"
