"""Values of single lanes, and moves across lanes that are not DPP."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction
from ..types import I1, I32, LANES
from ..undefined_values import Shadow
from .registry import semantics


@semantics
def lane_read_first(e: Emitter, i: Instruction) -> None:
    """The first active lane, or lane 0 if none is."""
    mask = e.exec
    first = e.call("llvm.cttz.i64", "i64", ("i64", mask), ("i1", "false"))
    lane = e.binary("and", "i64", first, str(LANES - 1))
    if e.undefined is not None:
        e.undefined.scalar_result = e.undefined.of_lane(i.operands[1], lane)
    e.write_scalar32(i.operands[0], e.value(f"extractelement {I32} {e.read_all_lanes(i.operands[1])}, i64 {lane}"))


@semantics
def lane_read(e: Emitter, i: Instruction) -> None:
    lane = e.binary("and", "i32", e.read_scalar32(i.operands[2]), str(LANES - 1))
    if e.undefined is not None:
        e.undefined.scalar_result = e.undefined.of_lane(i.operands[1], e.convert("zext", "i32", lane, "i64"))
    e.write_scalar32(i.operands[0], e.value(f"extractelement {I32} {e.read_all_lanes(i.operands[1])}, i32 {lane}"))


@semantics
def lane_write(e: Emitter, i: Instruction) -> None:
    """Ignores EXEC."""
    lane = e.binary("and", "i32", e.read_scalar32(i.operands[2]), str(LANES - 1))
    old, value = e.read_all_lanes(i.operands[0]), e.read_scalar32(i.operands[1])
    register = f"{i.operands[0].kind.value}{i.operands[0].index}"
    if e.undefined is not None:
        bits = e.undefined.of_scalar(i.operands[1], 32)
        e.undefined.note_lane_write(register, e.convert("zext", "i32", lane, "i64"), bits)
    e.write_register(
        register,
        e.value(f"insertelement {I32} {old}, i32 {value}, i32 {lane}"),
    )


@semantics
def lane_swap_rows(e: Emitter, i: Instruction, *, rows: int) -> None:
    """v_permlane16_swap and 32: odd groups of ``rows`` lanes of the first register change places with the even
    groups of the second. As in DPP, a source lane outside of EXEC gives its value with ``fi``, else 0 with
    ``bound_ctrl``, else it leaves its reader as it was."""
    first, second = e.read_all_lanes(i.operands[0]), e.read_all_lanes(i.operands[1])
    to_first = [lane if not lane // rows % 2 else LANES + lane - rows for lane in range(LANES)]
    to_second = [lane + rows if not lane // rows % 2 else LANES + lane for lane in range(LANES)]
    if e.undefined is not None:
        e.undefined.results = [Shadow(), Shadow()]
    for operand, sources in ((i.operands[0], to_first), (i.operands[1], to_second)):
        value = e.value(f"shufflevector {I32} {first}, {I32} {second}, <64 x i32> {_indices(sources)}")
        if "fi" not in i.modifiers:
            active = e.mask_of(e.exec)
            valid = e.value(f"shufflevector {I1} {active}, {I1} {active}, <64 x i32> {_indices(sources)}")
            kept = "zeroinitializer" if "bound_ctrl" in i.modifiers else e.read_all_lanes(operand)
            value = e.select(valid, I32, value, kept)
        e.write(operand, I32, value)


def _indices(sources: list[int]) -> str:
    return "<" + ", ".join(f"i32 {source}" for source in sources) + ">"
