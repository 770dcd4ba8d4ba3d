"""Scalar instructions about the wave itself: clocks, hardware registers, messages, barriers, indexing."""

from __future__ import annotations

from .. import wave_layout
from ..emitter import Emitter
from ..errors import UnsupportedFormError
from ..hardware_registers import RegisterField, parse_register_field
from ..instruction import Instruction, Operand, OperandKind
from ..mode_flow import mode_after
from .registry import semantics

_CONSTANT_REGISTERS = {"HW_REG_TRAPSTS": 0, "HW_REG_GPR_ALLOC": 0, "HW_REG_LDS_ALLOC": 0, "HW_REG_IB_STS": 0}
_HARDWARE_ID = frozenset({"HW_REG_HW_ID", "HW_REG_XCC_ID"})


@semantics
def wave_barrier(e: Emitter, i: Instruction) -> None:
    e.note_pc()
    e.call_void("w2w_barrier", ("ptr", "%wave"))


@semantics
def wave_yield(e: Emitter, i: Instruction) -> None:
    """s_sleep: a hint that others should run."""
    e.note_pc()
    e.store_wave("i64", wave_layout.EXEC, e.exec)
    e.call_void("w2w_yield", ("ptr", "%wave"))


@semantics
def wave_message(e: Emitter, i: Instruction) -> None:
    e.note_pc()
    e.call_void("w2w_sendmsg", ("ptr", "%wave"), ("i32", str(i.word & 0xFFFF)))


@semantics
def wave_trap(e: Emitter, i: Instruction) -> None:
    e.note_pc()
    e.call_void("w2w_trap", ("ptr", "%wave"), ("i32", str(i.word & 0xFF)))


@semantics
def wave_time(e: Emitter, i: Instruction, *, real: bool) -> None:
    """s_memrealtime counts at 100 MHz; s_memtime at the core clock, 2.1 GHz."""
    now = e.call("w2w_realtime", "i64")
    e.write_scalar64(i.operands[0], now if real else e.binary("mul", "i64", now, "21"))


@semantics
def wave_program_counter(e: Emitter, i: Instruction) -> None:
    e.write_scalar64(i.operands[0], e.binary("add", "i64", "%code_base", str(i.next_address)))


@semantics
def register_get(e: Emitter, i: Instruction) -> None:
    field = parse_register_field(i.operands[1].name)
    if field.name == "HW_REG_MODE":
        whole = e.load_wave("i32", wave_layout.MODE)
    elif field.name in _CONSTANT_REGISTERS:
        whole = str(_CONSTANT_REGISTERS[field.name])
    elif field.name in _HARDWARE_ID:
        whole = "0"
    elif field.name == "HW_REG_STATUS":
        whole = e.convert("zext", "i1", e.scc, "i32")
    else:
        raise UnsupportedFormError(f"hardware register {field.name}")
    shifted = e.binary("lshr", "i32", whole, str(field.offset))
    e.write_scalar32(i.operands[0], e.binary("and", "i32", shifted, str(_mask(field))))


def _mask(field: RegisterField) -> int:
    return (1 << min(field.width, 32 - field.offset)) - 1


@semantics
def register_set(e: Emitter, i: Instruction) -> None:
    """Only MODE can be written; its other fields than rounding and denormals are kept but have no effect."""
    field = parse_register_field(i.operands[0].name)
    if field.name != "HW_REG_MODE":
        raise UnsupportedFormError(f"hardware register {field.name}")
    value = e.binary("and", "i32", e.read_scalar32(i.operands[1]), str(_mask(field)))
    value = e.binary("shl", "i32", value, str(field.offset))
    kept = e.binary("and", "i32", e.load_wave("i32", wave_layout.MODE), str(~(_mask(field) << field.offset)))
    e.store_wave("i32", wave_layout.MODE, e.binary("or", "i32", kept, value))
    e.mode = mode_after(i, e.mode)


@semantics
def index_on(e: Emitter, i: Instruction) -> None:
    """s_set_gpr_idx_on: M0[7:0] is the index, M0[15:12] the operands that it applies to."""
    names = _index_operands(i.operands[1])
    bits = sum(1 << position for position, name in enumerate(("SRC0", "SRC1", "SRC2", "DST")) if name in names)
    index = e.binary("and", "i32", e.read_scalar32(i.operands[0]), "255")
    kept = e.binary("and", "i32", e.read_register("m0"), str(~0xF0FF))
    e.write_register("m0", e.binary("or", "i32", e.binary("or", "i32", kept, index), str(bits << 12)))
    e.gpr_index = names


@semantics
def index_off(e: Emitter, i: Instruction) -> None:
    e.gpr_index = None


@semantics
def index_mode(e: Emitter, i: Instruction) -> None:
    e.gpr_index = _index_operands(i.operands[0])


@semantics
def index_set(e: Emitter, i: Instruction) -> None:
    """s_set_gpr_idx_idx: M0[7:0]."""
    index = e.binary("and", "i32", e.read_scalar32(i.operands[0]), "255")
    kept = e.binary("and", "i32", e.read_register("m0"), str(~0xFF))
    e.write_register("m0", e.binary("or", "i32", kept, index))


def _index_operands(operand: Operand) -> frozenset[str]:
    if operand.kind is not OperandKind.TEXT or not operand.name.startswith("gpr_idx("):
        raise UnsupportedFormError(f"index mode {operand.name}")
    return frozenset(operand.name[len("gpr_idx(") : -1].replace(" ", "").split(",")) - {""}


@semantics
def scalar_move_relative(e: Emitter, i: Instruction, *, bits: int, destination: bool) -> None:
    """s_movrels and s_movreld: M0 is added to the number of the source or destination SGPR."""
    indexed = i.operands[0 if destination else 1]
    if indexed.kind is not OperandKind.SCALAR:
        raise UnsupportedFormError("relative move of a register other than an SGPR")
    index, kind = e.read_register("m0"), f"i{bits}"
    reach = range(0, wave_layout.SGPR_COUNT - indexed.index - bits // 32 + 1)
    if not destination:
        value = e.read_scalar(indexed, bits)
        for distance in reach:
            chosen = e.compare("eq", "i32", index, str(distance))
            other = e.read_scalar(Operand(OperandKind.SCALAR, indexed.index + distance), bits)
            value = e.value(f"select i1 {chosen}, {kind} {other}, {kind} {value}")
        e.write_scalar(i.operands[0], value, bits)
        return
    value = e.read_scalar(i.operands[1], bits)
    for distance in reach:
        target = Operand(OperandKind.SCALAR, indexed.index + distance)
        chosen = e.compare("eq", "i32", index, str(distance))
        old = e.read_scalar(target, bits)
        e.write_scalar(target, e.value(f"select i1 {chosen}, {kind} {value}, {kind} {old}"), bits)


@semantics
def skip_vectors(e: Emitter, i: Instruction) -> None:
    """s_setvskip: MODE.VSKIP is bit S1[4:0] of S0."""
    place = e.binary("and", "i32", e.read_scalar32(i.operands[1]), "31")
    bit = e.binary("and", "i32", e.binary("lshr", "i32", e.read_scalar32(i.operands[0]), place), "1")
    flag = e.binary("mul", "i32", bit, str(wave_layout.MODE_VSKIP))
    kept = e.binary("and", "i32", e.load_wave("i32", wave_layout.MODE), str(~wave_layout.MODE_VSKIP))
    e.store_wave("i32", wave_layout.MODE, e.binary("or", "i32", kept, flag))
