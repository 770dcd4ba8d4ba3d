"""The steps of IEEE division: div_scale, div_fmas, div_fixup; and trig_preop."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction, Operand, OperandKind
from ..types import F64, I1, I32, VectorType, splat
from .registry import semantics
from .valu_float import read_sources, write_result

VCC = Operand(OperandKind.SPECIAL, name="vcc")


@semantics
def divide_scale(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """v_div_scale D, VCC, S0, S1, S2: S0 scaled so that the division neither overflows nor loses denormals."""
    values = [e.read(operand, type) for operand in i.operands[2:5]]
    scaled, flags = e.lane_helper(f"div_scale_{type.suffix[3:]}", [type, I32], *((type, value) for value in values))
    e.write_lane_mask(i.operands[1], e.compare("ne", I32, flags, splat(I32, 0)))
    e.write(i.operands[0], type, scaled)


@semantics
def divide_fmas(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """fma, then scaled back where VCC is set."""
    values = read_sources(e, i, type, 3)
    flags = e.convert("zext", I1, e.lane_mask(VCC), I32)
    (result,) = e.lane_helper(f"div_fmas_{type.suffix[3:]}", [type], *((type, value) for value in values), (I32, flags))
    e.write(i.operands[0], type, result)


@semantics
def divide_fixup(e: Emitter, i: Instruction, *, type: VectorType) -> None:
    """The special cases of a quotient: zero, infinity, NaN, overflow."""
    values = read_sources(e, i, type, 3)
    (result,) = e.lane_helper(f"div_fixup_{type.suffix[3:]}", [type], *((type, value) for value in values))
    write_result(e, i, type, result)


@semantics
def trig_preop(e: Emitter, i: Instruction) -> None:
    """Bits of 2/pi for the argument reduction of a double."""
    value, segment = e.read(i.operands[1], F64), e.read(i.operands[2], I32)
    e.write(i.operands[0], F64, e.lane_helper("trig_preop_f64", [F64], (F64, value), (I32, segment))[0])
