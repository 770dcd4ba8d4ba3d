"""Reads the operands of instructions and writes their results, by the rules that all instructions share."""

from __future__ import annotations

from .errors import UnsupportedFormError
from .float_mode import FloatMode
from .instruction import Instruction, Operand, OperandKind
from .module import Module
from .operand_values import constant_bits
from .register_access import RegisterAccess
from .types import I1, I16, I32, I64, VectorType, splat

_SPECIAL_64 = frozenset({"vcc", "exec"})
_HALVES = {"vcc_lo": ("vcc", False), "vcc_hi": ("vcc", True), "exec_lo": ("exec", False), "exec_hi": ("exec", True)}
SHARED_APERTURE = 0x10000
PRIVATE_APERTURE = 0x20000
"""High halves of flat addresses that mean LDS and scratch; no host address has them."""
_APERTURES = {"src_shared_base": SHARED_APERTURE << 32, "src_private_base": PRIVATE_APERTURE << 32}
_LIMITS = {
    "src_shared_limit": (SHARED_APERTURE << 32) | 0xFFFFFFFF,
    "src_private_limit": (PRIVATE_APERTURE << 32) | 0xFFFFFFFF,
}
_ZERO_SPECIALS = frozenset({"xnack_mask", "flat_scratch", "src_pops_exiting_wave_id", "tba", "tma"})


class Emitter(RegisterAccess):
    """``flavour``: what the code does beside computing. ``mode``: what is known about MODE at this point.
    ``gpr_index``: operands that M0 indexes, between s_set_gpr_idx_on and _off; ``indexed_result``: so is the result of
    this instruction. ``destination_filter``: how SDWA places the result."""

    def __init__(self, module: Module, mode: FloatMode, vgpr_count: int = 256) -> None:
        super().__init__(module)
        self.mode = mode
        self.flavour = module.flavour
        self.vgpr_count = vgpr_count
        self.gpr_index: frozenset[str] | None = None
        self.indexed_result = False
        self.destination_filter: DestinationFilter | None = None

    def start_instruction(self, instruction: Instruction) -> None:
        super().start_instruction(instruction)
        self.destination_filter = None
        self.indexed_result = False

    # ---- lane masks as operands -------------------------------------------------------------------------------

    def write_lane_mask(self, operand: Operand, lanes: str) -> None:
        """A compare's or carry's result: lanes outside of EXEC get 0."""
        bits = self.value(f"bitcast {I1} {lanes} to i64")
        if self.undefined is not None:
            self.undefined.scalar_result = self.undefined.both(self.undefined.of_sources().tainted, self.active_mask)
        self.write_scalar64(operand, self.binary("and", "i64", bits, self.active_mask))

    def lane_mask(self, operand: Operand) -> str:
        mask = self.mask_of(self.read_scalar64(operand))
        if self.undefined is not None:
            self.undefined.note_mask(operand)
        return mask

    # ---- scalar operands --------------------------------------------------------------------------------------------

    def read_scalar32(self, operand: Operand, kind: VectorType = I32) -> str:
        match operand.kind:
            case OperandKind.SCALAR:
                return self.read_register(f"s{operand.index}")
            case OperandKind.SPECIAL:
                return self._read_special32(operand.name)
        return str(constant_bits(operand, kind))

    def _read_special32(self, name: str) -> str:
        if name in _HALVES:
            register, high = _HALVES[name]
            whole = self.read_register(register)
            return self._half(whole, high)
        if name == "m0":
            return self.read_register("m0")
        if name in ("scc", "src_scc"):
            return self.convert("zext", "i1", self.read_register("scc"), "i32")
        if name in ("src_vccz", "src_execz"):
            is_zero = self.compare("eq", "i64", self.read_register(name[4:-1].replace("exec", "exec")), "0")
            return self.convert("zext", "i1", is_zero, "i32")
        if name in _APERTURES:  # a 32-bit read gives the low half
            return "0"
        if name in _LIMITS:
            return "-1"
        if name in ("xnack_mask_lo", "xnack_mask_hi", "flat_scratch_lo", "flat_scratch_hi"):
            return "0"
        raise UnsupportedFormError(f"register {name}")

    def _half(self, whole: str, high: bool) -> str:
        if high:
            whole = self.binary("lshr", "i64", whole, "32")
        return self.value(f"trunc i64 {whole} to i32")

    def read_scalar64(self, operand: Operand, kind: VectorType = I64) -> str:
        if operand.kind is OperandKind.SCALAR:
            return self.read_scalar_pair(operand.index)
        if operand.kind is OperandKind.SPECIAL:
            if operand.name in _SPECIAL_64:
                return self.read_register(operand.name)
            if operand.name in _APERTURES:
                return str(_APERTURES[operand.name])
            if operand.name in _LIMITS:
                return str(_LIMITS[operand.name])
            if operand.name in _ZERO_SPECIALS:
                return "0"
            return self.convert("zext", "i32", self._read_special32(operand.name), "i64")
        return str(constant_bits(operand, kind))

    def read_scalar_pair(self, index: int) -> str:
        low_name = f"s{index}"
        self.note_read(low_name, f"s{index + 1}")
        known = self.registers.wide.get(low_name)
        if known is not None:
            return known[0]
        low = self.convert("zext", "i32", self.read_register(low_name), "i64")
        high = self.convert("zext", "i32", self.read_register(f"s{index + 1}"), "i64")
        high = self.binary("shl", "i64", high, "32")
        value = self.value(f"or disjoint i64 {low}, {high}")
        self.registers.wide[low_name] = (value, None)
        return value

    def write_scalar32(self, operand: Operand, value: str) -> None:
        if operand.kind is OperandKind.SCALAR:
            self.write_register(f"s{operand.index}", value)
        elif operand.name == "m0":
            self.write_register("m0", value)
        elif operand.name in _HALVES:
            register, high = _HALVES[operand.name]
            wide = self.convert("zext", "i32", value, "i64")
            if high:
                wide = self.binary("shl", "i64", wide, "32")
            kept = self.binary("and", "i64", self.value_of(register), str(0xFFFFFFFF if high else -1 << 32))
            self.write_register(register, self.binary("or", "i64", kept, wide))
        else:
            raise UnsupportedFormError(f"write of {operand.name or operand.kind.value}")

    def write_scalar64(self, operand: Operand, value: str) -> None:
        if operand.kind is OperandKind.SCALAR:
            if self.undefined is not None:
                self.undefined.high_register = f"s{operand.index + 1}"
            self.write_register(f"s{operand.index}", self._half(value, high=False))
            self.write_register(f"s{operand.index + 1}", self._half(value, high=True))
            self.registers.wide[f"s{operand.index}"] = (value, None)
        elif operand.kind is OperandKind.SPECIAL and operand.name in _SPECIAL_64:
            self.write_register(operand.name, value)
        else:
            raise UnsupportedFormError(f"write of {operand.name or operand.kind.value}")

    def read_scalar(self, operand: Operand, bits: int) -> str:
        return self.read_scalar64(operand) if bits == 64 else self.read_scalar32(operand)

    def write_scalar(self, operand: Operand, value: str, bits: int) -> None:
        if bits == 64:
            self.write_scalar64(operand, value)
        else:
            self.write_scalar32(operand, value)

    @property
    def scc(self) -> str:
        return self.read_register("scc")

    @scc.setter
    def scc(self, value: str) -> None:
        self.write_register("scc", value)

    # ---- vector operands ------------------------------------------------------------------------------

    def read(self, operand: Operand, kind: VectorType, *, high: bool = False) -> str:
        """A source operand as ``kind``, with its neg, abs and the denormal mode applied if ``kind`` is a float.

        ``high``: a 16-bit operand is in the upper half of its register.
        """
        raw = self.read_bits(operand, kind, high=high)
        if not kind.is_float:
            return self._sign(operand, kind, raw)
        value = self.value(f"bitcast {kind.integer} {raw} to {kind}") if kind.bits != 1 else raw
        return self.mode.flush_input(self, kind, self.apply_sign_modifiers(operand, kind, value))

    def read_raw_float(self, operand: Operand, kind: VectorType, *, high: bool = False) -> str:
        """As ``read``, but denormals are kept: for instructions that only move bits."""
        value = self.value(f"bitcast {kind.integer} {self.read_bits(operand, kind, high=high)} to {kind}")
        return self.apply_sign_modifiers(operand, kind, value)

    def apply_sign_modifiers(self, operand: Operand, kind: VectorType, value: str) -> str:
        if operand.absolute:
            value = self.intrinsic("fabs", kind, value)
        if operand.negate:
            value = self.value(f"fneg {kind} {value}")
        return value

    def _sign(self, operand: Operand, kind: VectorType, value: str) -> str:
        if operand.absolute:
            value = self.binary("and", kind, value, splat(kind, (1 << (kind.bits - 1)) - 1))
        if operand.negate:
            value = self.binary("xor", kind, value, splat(kind, -(1 << (kind.bits - 1))))
        return value

    def read_bits(self, operand: Operand, kind: VectorType, *, high: bool = False) -> str:
        """The operand's bits as the integer type of ``kind``'s width, without modifiers."""
        integer = kind.integer
        if operand.is_constant:
            return splat(integer, constant_bits(operand, kind) >> (16 if high else 0))
        if kind.bits == 64:
            return self._read_bits64(operand)
        value = self._read_bits32(operand)
        if kind.bits == 32:
            return value
        if high:
            value = self.binary("lshr", I32, value, splat(I32, 16))
        return self.value(f"trunc {I32} {value} to {integer}")

    def _read_bits32(self, operand: Operand) -> str:
        match operand.kind:
            case OperandKind.VECTOR | OperandKind.ACCUMULATOR:
                return self.read_active(f"{operand.kind.value}{operand.index}")
            case OperandKind.COMPUTED:
                return operand.name
        return self.splat(I32, self.read_scalar32(operand))

    def _read_bits64(self, operand: Operand) -> str:
        if operand.kind is OperandKind.COMPUTED:
            return operand.name
        if not operand.is_vector:
            return self.splat(I64, self.read_scalar64(operand))
        file, index = operand.kind.value, operand.index
        self.note_read(f"{file}{index}", f"{file}{index + 1}")
        known = self.registers.wide.get(f"{file}{index}")
        if known is not None and known[1] in (None, self.exec):
            return known[0]
        low, high = self.read_active(f"{file}{index}"), self.read_active(f"{file}{index + 1}")
        value = self.inline("pair", I64, (I32, low), (I32, high))
        self.registers.wide[f"{file}{index}"] = (value, self.exec)
        return value

    def read_all_lanes(self, operand: Operand, offset: int = 0) -> str:
        """One 32-bit register of the operand with its inactive lanes, for cross-lane instructions."""
        if operand.kind in (OperandKind.VECTOR, OperandKind.ACCUMULATOR):
            return self.read_register(f"{operand.kind.value}{operand.index + offset}")
        if operand.kind is OperandKind.COMPUTED:
            return operand.name
        if operand.kind is OperandKind.SCALAR:
            return self.splat(I32, self.read_register(f"s{operand.index + offset}"))
        return self._read_bits32(operand) if not operand.is_constant else splat(I32, constant_bits(operand, I32))

    def part(self, operand: Operand, position: int) -> Operand:
        """The ``position``-th 32-bit register of an operand; constants stay as they are."""
        if operand.kind in (OperandKind.VECTOR, OperandKind.ACCUMULATOR, OperandKind.SCALAR):
            return Operand(operand.kind, operand.index + position, negate=operand.negate, absolute=operand.absolute)
        return operand

    def write(self, operand: Operand, kind: VectorType, value: str) -> None:
        """A VALU result, with the output modifiers of the instruction and the denormal mode applied to floats.

        16-bit results are zero-extended; see ``write_half`` for those that keep the other half.
        """
        if kind.is_float:
            value = self.mode.finish(self, kind, value)
            value = self.value(f"bitcast {kind} {value} to {kind.integer}")
        if kind.bits == 16:
            value = self.value(f"zext {I16} {value} to {I32}")
        self.write_bits(operand, value, wide=kind.bits == 64)

    def write_bits(self, operand: Operand, value: str, *, wide: bool = False) -> None:
        """32 or 64 bits to the active lanes of a VGPR."""
        if not operand.is_vector:
            raise UnsupportedFormError("the result is not a VGPR")
        file, index = operand.kind.value, operand.index
        if self.destination_filter is not None:
            if wide:
                raise UnsupportedFormError("SDWA of a 64-bit result")
            value = self.destination_filter.apply(self, f"{file}{index}", value)
        if self.indexed_result:
            write_indexed(self, operand, value)
            return
        if not wide:
            self.write_active(f"{file}{index}", value)
            return
        self.write_active(f"{file}{index}", self.inline("low", I32, (I64, value)))
        self.write_active(f"{file}{index + 1}", self.inline("high", I32, (I64, value)))
        if self.exec_override is None:
            self.registers.wide[f"{file}{index}"] = (value, self.exec)

    def write_half(self, operand: Operand, kind: VectorType, value: str, *, high: bool) -> None:
        """A 16-bit result to one half of a VGPR; the other half is kept."""
        if kind.is_float:
            value = self.mode.finish(self, kind, value)
            value = self.value(f"bitcast {kind} {value} to {kind.integer}")
        wide = self.value(f"zext {kind.integer} {value} to {I32}")
        with self.unnoticed():
            old = self.read_active(f"{operand.kind.value}{operand.index}")
        if high:
            wide = self.binary("shl", I32, wide, splat(I32, 16))
        old = self.binary("and", I32, old, splat(I32, 0xFFFF if high else -0x10000))
        self.write_bits(operand, self.binary("or", I32, old, wide))


def write_indexed(emitter: Emitter, operand: Operand, value: str) -> None:
    """Write the active lanes of the VGPR that M0[7:0] chooses, counted from ``operand``."""
    index = emitter.binary("and", "i32", emitter.read_register("m0"), "255")
    for distance in range(emitter.vgpr_count - operand.index):
        register = f"v{operand.index + distance}"
        chosen = emitter.compare("eq", "i32", index, str(distance))
        old = emitter.value_of(register)
        emitter.write_active(register, emitter.value(f"select i1 {chosen}, {I32} {value}, {I32} {old}"))


class DestinationFilter:
    """How SDWA places a result in its register."""

    def apply(self, emitter: Emitter, register: str, value: str) -> str:
        raise NotImplementedError
