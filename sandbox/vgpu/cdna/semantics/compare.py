"""Vector compares: one bit per active lane to VCC or an SGPR pair, and to EXEC for v_cmpx."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction, Operand, OperandKind
from ..types import I32, VectorType, splat
from .registry import semantics

_EXEC = Operand(OperandKind.SPECIAL, name="exec")


def write_compare(e: Emitter, i: Instruction, lanes: str, to_exec: bool) -> None:
    e.write_lane_mask(i.operands[0], lanes)
    if to_exec:
        e.write_scalar64(_EXEC, e.read_scalar64(i.operands[0]))


@semantics
def compare_values(e: Emitter, i: Instruction, *, predicate: str, type: VectorType, to_exec: bool = False) -> None:
    """``predicate``: LLVM's name of the comparison; ``true`` and ``false`` compare nothing."""
    if predicate in ("true", "false"):
        lanes = f"splat (i1 {predicate})"
    else:
        a, b = e.read(i.operands[1], type), e.read(i.operands[2], type)
        lanes = e.compare(predicate, type, a, b)
    write_compare(e, i, lanes, to_exec)


@semantics
def compare_class(e: Emitter, i: Instruction, *, type: VectorType, to_exec: bool = False) -> None:
    """Whether S0 is of one of the classes in the mask S1: bits 0 to 9 are signalling NaN, quiet NaN, -infinity,
    -normal, -denormal, -0, +0, +denormal, +normal, +infinity."""
    value = e.read_raw_float(i.operands[1], type)
    mask = e.read(i.operands[2], I32)
    constant = i.operands[2]
    if constant.is_constant and not constant.negate:
        lanes = e.call(
            f"llvm.is.fpclass.{type.suffix}",
            "<64 x i1>",
            (str(type), value),
            ("i32", str(_llvm_classes(constant.value))),
        )
    else:
        found = e.lane_helper(f"class_{type.suffix[3:]}", [I32], (type, value), (I32, mask))[0]
        lanes = e.compare("ne", I32, found, splat(I32, 0))
    write_compare(e, i, lanes, to_exec)


def _llvm_classes(mask: int) -> int:
    """llvm.is.fpclass numbers the classes in the same order."""
    return mask & 0x3FF


@semantics
def select_by_mask(e: Emitter, i: Instruction) -> None:
    """v_cndmask_b32: S1 where the mask is set, else S0. Float modifiers apply to the bits."""
    mask = e.lane_mask(i.operands[3])
    no, yes = e.read(i.operands[1], I32), e.read(i.operands[2], I32)
    if e.undefined is not None:
        _note_selection(e, i)
    e.write(i.operands[0], I32, e.select(mask, I32, yes, no))


def _note_selection(e: Emitter, i: Instruction) -> None:
    """What is chosen matters, and what chooses."""
    undefined = e.undefined
    assert undefined is not None
    bits, decides = e.read_scalar64(i.operands[3]), undefined.of_scalar64(i.operands[3])
    yes, no = undefined.of_operand(i.operands[2]), undefined.of_operand(i.operands[1])
    undefined.results = [undefined.select(bits, yes, no, decides)]
