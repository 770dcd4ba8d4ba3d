"""Scalar arithmetic, logic and compares: SOP1, SOP2, SOPC, SOPK."""

from __future__ import annotations

from ..emitter import Emitter
from ..instruction import Instruction, Operand, OperandKind
from ..undefined_values import NONE
from .registry import semantics

_EXEC = Operand(OperandKind.SPECIAL, name="exec")


def set_scc_nonzero(e: Emitter, value: str, bits: int) -> None:
    if e.undefined is not None:
        e.undefined.note_scc(f"i{bits}", value)
    e.scc = e.compare("ne", f"i{bits}", value, "0")


def scalar_intrinsic(e: Emitter, name: str, bits: int, *arguments: str, flag: bool = False) -> str:
    """``flag``: the intrinsic has a further i1 argument, which is false."""
    given = [(f"i{bits}", value) for value in arguments]
    return e.call(f"llvm.{name}.i{bits}", f"i{bits}", *given, *([("i1", "false")] if flag else []))


def _to_word(e: Emitter, value: str, bits: int) -> str:
    return e.convert("trunc", f"i{bits}", value, "i32")


@semantics
def scalar_move(e: Emitter, i: Instruction, *, bits: int) -> None:
    value = e.read_scalar(i.operands[1], bits)
    if e.undefined is not None:
        e.undefined.note_scalar(e.undefined.of_scalar(i.operands[1], bits), f"i{bits}")
    e.write_scalar(i.operands[0], value, bits)


@semantics
def scalar_move_immediate(e: Emitter, i: Instruction) -> None:
    e.write_scalar32(i.operands[0], str(i.immediate16))


@semantics
def scalar_conditional_move(e: Emitter, i: Instruction, *, bits: int, immediate: bool = False) -> None:
    """If SCC is set."""
    value = str(i.immediate16) if immediate else e.read_scalar(i.operands[1], bits)
    old = e.read_scalar(i.operands[0], bits)
    e.write_scalar(i.operands[0], e.value(f"select i1 {e.scc}, i{bits} {value}, i{bits} {old}"), bits)


@semantics
def scalar_select(e: Emitter, i: Instruction, *, bits: int) -> None:
    a, b = e.read_scalar(i.operands[1], bits), e.read_scalar(i.operands[2], bits)
    e.write_scalar(i.operands[0], e.value(f"select i1 {e.scc}, i{bits} {a}, i{bits} {b}"), bits)


def _logic(e: Emitter, op: str, bits: int, a: str, b: str, invert: str, operands: tuple[Operand, Operand]) -> str:
    """``invert``: which of a, b, result is complemented (empty: none). ``operands``: where a and b come from."""
    kind = f"i{bits}"
    if invert == "a":
        a = e.binary("xor", kind, a, "-1")
    if invert == "b":
        b = e.binary("xor", kind, b, "-1")
    if e.undefined is not None:
        left, right = ((v, e.undefined.of_scalar(o, bits)) for v, o in zip((a, b), operands, strict=True))
        e.undefined.note_logic(op, kind, left, right)
    value = e.binary(op, kind, a, b)
    return e.binary("xor", kind, value, "-1") if invert == "result" else value


@semantics
def scalar_logic(e: Emitter, i: Instruction, *, op: str, bits: int, invert: str = "") -> None:
    a, b = e.read_scalar(i.operands[1], bits), e.read_scalar(i.operands[2], bits)
    value = _logic(e, op, bits, a, b, invert, (i.operands[1], i.operands[2]))
    e.write_scalar(i.operands[0], value, bits)
    set_scc_nonzero(e, value, bits)


@semantics
def scalar_save_exec(e: Emitter, i: Instruction, *, op: str, invert: str = "", keep: str = "old") -> None:
    """EXEC = S0 op EXEC; the result register gets the old EXEC (saveexec) or the new one (wrexec)."""
    source, old = e.read_scalar64(i.operands[1]), e.exec
    new = _logic(e, op, 64, source, old, invert, (i.operands[1], _EXEC))
    e.write_scalar64(_EXEC, new)
    if e.undefined is not None and keep == "old":
        e.undefined.note_scalar(NONE, "i64")
    e.write_scalar64(i.operands[0], old if keep == "old" else new)
    set_scc_nonzero(e, new, 64)


@semantics
def scalar_add_sub(e: Emitter, i: Instruction, *, op: str, signed: bool) -> None:
    """SCC: carry or borrow (unsigned), overflow (signed)."""
    a, b = e.read_scalar32(i.operands[1]), e.read_scalar32(i.operands[2])
    _checked(e, i.operands[0], f"{'s' if signed else 'u'}{op}", a, b)


def _checked(e: Emitter, destination: Operand, op: str, a: str, b: str) -> None:
    pair = e.call(f"llvm.{op}.with.overflow.i32", "{i32, i1}", ("i32", a), ("i32", b))
    e.write_scalar32(destination, e.value(f"extractvalue {{i32, i1}} {pair}, 0"))
    e.scc = e.value(f"extractvalue {{i32, i1}} {pair}, 1")


@semantics
def scalar_add_immediate(e: Emitter, i: Instruction) -> None:
    _checked(e, i.operands[0], "sadd", e.read_scalar32(i.operands[0]), str(i.immediate16))


@semantics
def scalar_multiply_immediate(e: Emitter, i: Instruction) -> None:
    e.write_scalar32(i.operands[0], e.binary("mul", "i32", e.read_scalar32(i.operands[0]), str(i.immediate16)))


@semantics
def scalar_with_carry(e: Emitter, i: Instruction, *, op: str) -> None:
    a, b = (e.convert("zext", "i32", e.read_scalar32(i.operands[k]), "i64") for k in (1, 2))
    carry = e.convert("zext", "i1", e.scc, "i64")
    total = e.binary(op, "i64", e.binary(op, "i64", a, b), carry)
    e.write_scalar32(i.operands[0], e.value(f"trunc i64 {total} to i32"))
    e.scc = e.compare("ne", "i64", e.binary("lshr", "i64", total, "32"), "0")


@semantics
def scalar_multiply(e: Emitter, i: Instruction) -> None:
    e.write_scalar32(
        i.operands[0], e.binary("mul", "i32", e.read_scalar32(i.operands[1]), e.read_scalar32(i.operands[2]))
    )


@semantics
def scalar_multiply_high(e: Emitter, i: Instruction, *, signed: bool) -> None:
    extend = "sext" if signed else "zext"
    a, b = (e.convert(extend, "i32", e.read_scalar32(i.operands[k]), "i64") for k in (1, 2))
    product = e.binary("lshr", "i64", e.binary("mul", "i64", a, b), "32")
    e.write_scalar32(i.operands[0], e.value(f"trunc i64 {product} to i32"))


@semantics
def scalar_shift(e: Emitter, i: Instruction, *, op: str, bits: int) -> None:
    amount = e.binary("and", "i32", e.read_scalar32(i.operands[2]), str(bits - 1))
    amount = e.convert("zext", "i32", amount, f"i{bits}")
    value = e.binary(op, f"i{bits}", e.read_scalar(i.operands[1], bits), amount)
    e.write_scalar(i.operands[0], value, bits)
    set_scc_nonzero(e, value, bits)


@semantics
def scalar_shift_add(e: Emitter, i: Instruction, *, amount: int) -> None:
    """(S0 << amount) + S1; SCC: the sum does not fit 32 bits."""
    a, b = (e.convert("zext", "i32", e.read_scalar32(i.operands[k]), "i64") for k in (1, 2))
    total = e.binary("add", "i64", e.binary("shl", "i64", a, str(amount)), b)
    e.write_scalar32(i.operands[0], e.value(f"trunc i64 {total} to i32"))
    e.scc = e.compare("ugt", "i64", total, str(0xFFFFFFFF))


@semantics
def scalar_extreme(e: Emitter, i: Instruction, *, predicate: str) -> None:
    """S0 if it compares so with S1, else S1; SCC: it was S0."""
    a, b = e.read_scalar32(i.operands[1]), e.read_scalar32(i.operands[2])
    first = e.compare(predicate, "i32", a, b)
    e.write_scalar32(i.operands[0], e.value(f"select i1 {first}, i32 {a}, i32 {b}"))
    e.scc = first


@semantics
def scalar_compare(e: Emitter, i: Instruction, *, predicate: str, bits: int) -> None:
    e.scc = e.compare(predicate, f"i{bits}", *(e.read_scalar(operand, bits) for operand in i.operands[:2]))


@semantics
def scalar_compare_immediate(e: Emitter, i: Instruction, *, predicate: str, signed: bool) -> None:
    value = i.immediate16 if signed else i.immediate16 & 0xFFFF
    e.scc = e.compare(predicate, "i32", e.read_scalar32(i.operands[0]), str(value))


@semantics
def scalar_compare_bit(e: Emitter, i: Instruction, *, bits: int, one: bool) -> None:
    position = e.binary("and", "i32", e.read_scalar32(i.operands[1]), str(bits - 1))
    position = e.convert("zext", "i32", position, f"i{bits}")
    shifted = e.binary("lshr", f"i{bits}", e.read_scalar(i.operands[0], bits), position)
    bit = e.value(f"trunc i{bits} {shifted} to i1")
    e.scc = bit if one else e.binary("xor", "i1", bit, "true")


@semantics
def scalar_not(e: Emitter, i: Instruction, *, bits: int) -> None:
    value = e.binary("xor", f"i{bits}", e.read_scalar(i.operands[1], bits), "-1")
    if e.undefined is not None:
        e.undefined.note_scalar(e.undefined.of_scalar(i.operands[1], bits), f"i{bits}")
    e.write_scalar(i.operands[0], value, bits)
    set_scc_nonzero(e, value, bits)


@semantics
def scalar_quads(e: Emitter, i: Instruction, *, bits: int, compact: bool) -> None:
    """s_wqm: groups of four bits become all ones if any is set; s_quadmask (``compact``): one bit a group."""
    value = e.read_scalar(i.operands[1], bits)
    name = f"w2w_{'quadmask' if compact else 'wqm'}"
    wide = e.call(name, "i64", ("i64", e.convert("zext", f"i{bits}", value, "i64")))
    result = e.convert("trunc", "i64", wide, f"i{bits}")
    e.write_scalar(i.operands[0], result, bits)
    set_scc_nonzero(e, result, bits)


@semantics
def scalar_count(e: Emitter, i: Instruction, *, bits: int, one: bool) -> None:
    value = e.read_scalar(i.operands[1], bits)
    if not one:
        value = e.binary("xor", f"i{bits}", value, "-1")
    count = _to_word(e, scalar_intrinsic(e, "ctpop", bits, value), bits)
    e.write_scalar32(i.operands[0], count)
    set_scc_nonzero(e, count, 32)


@semantics
def scalar_find(e: Emitter, i: Instruction, *, op: str, bits: int, zero: bool = False, signed: bool = False) -> None:
    """First one (or ``zero``) from below (cttz) or above (ctlz); ``signed``: first bit unlike the sign. -1 if none."""
    value = e.read_scalar(i.operands[1], bits)
    if zero:
        value = e.binary("xor", f"i{bits}", value, "-1")
    if signed:
        value = e.binary("xor", f"i{bits}", value, e.binary("ashr", f"i{bits}", value, str(bits - 1)))
    count = _to_word(e, scalar_intrinsic(e, op, bits, value, flag=True), bits)
    none = e.compare("eq", f"i{bits}", value, "0")
    e.write_scalar32(i.operands[0], e.value(f"select i1 {none}, i32 -1, i32 {count}"))


@semantics
def scalar_reverse(e: Emitter, i: Instruction, *, bits: int) -> None:
    e.write_scalar(i.operands[0], scalar_intrinsic(e, "bitreverse", bits, e.read_scalar(i.operands[1], bits)), bits)


@semantics
def scalar_absolute(e: Emitter, i: Instruction) -> None:
    value = scalar_intrinsic(e, "abs", 32, e.read_scalar32(i.operands[1]), flag=True)
    e.write_scalar32(i.operands[0], value)
    set_scc_nonzero(e, value, 32)


@semantics
def scalar_absolute_difference(e: Emitter, i: Instruction) -> None:
    difference = e.binary("sub", "i32", e.read_scalar32(i.operands[1]), e.read_scalar32(i.operands[2]))
    value = scalar_intrinsic(e, "abs", 32, difference, flag=True)
    e.write_scalar32(i.operands[0], value)
    set_scc_nonzero(e, value, 32)


@semantics
def scalar_sign_extend(e: Emitter, i: Instruction, *, bits: int) -> None:
    narrow = e.value(f"trunc i32 {e.read_scalar32(i.operands[1])} to i{bits}")
    e.write_scalar32(i.operands[0], e.value(f"sext i{bits} {narrow} to i32"))


@semantics
def scalar_field_extract(e: Emitter, i: Instruction, *, bits: int, signed: bool) -> None:
    """S1[4:0] (or [5:0]) is the offset, S1[22:16] the width."""
    source, control = e.read_scalar(i.operands[1], bits), e.read_scalar32(i.operands[2])
    wide = e.convert("sext" if signed else "zext", f"i{bits}", source, "i64")
    offset = e.convert("zext", "i32", e.binary("and", "i32", control, str(bits - 1)), "i64")
    width = e.binary("and", "i32", e.binary("lshr", "i32", control, "16"), "127")
    shifted = e.binary("ashr" if signed else "lshr", "i64", wide, offset)
    bounded = scalar_intrinsic(e, "umin", 32, width, str(bits))
    unused = e.convert("zext", "i32", e.binary("sub", "i32", "64", bounded), "i64")
    unused = scalar_intrinsic(e, "umin", 64, unused, "63")  # a width of 0 is handled below
    top = e.binary("shl", "i64", shifted, unused)
    field = e.binary("ashr" if signed else "lshr", "i64", top, unused)
    field = e.value(f"select i1 {e.compare('eq', 'i32', width, '0')}, i64 0, i64 {field}")
    result = e.convert("trunc", "i64", field, f"i{bits}")
    e.write_scalar(i.operands[0], result, bits)
    set_scc_nonzero(e, result, bits)


@semantics
def scalar_field_mask(e: Emitter, i: Instruction, *, bits: int) -> None:
    """((1 << S0) - 1) << S1."""
    kind = f"i{bits}"
    width, offset = (
        e.convert("zext", "i32", e.binary("and", "i32", e.read_scalar32(i.operands[k]), str(bits - 1)), kind)
        for k in (1, 2)
    )
    ones = e.binary("sub", kind, e.binary("shl", kind, "1", width), "1")
    e.write_scalar(i.operands[0], e.binary("shl", kind, ones, offset), bits)


@semantics
def scalar_set_bit(e: Emitter, i: Instruction, *, bits: int, one: bool) -> None:
    kind = f"i{bits}"
    position = e.convert("zext", "i32", e.binary("and", "i32", e.read_scalar32(i.operands[1]), str(bits - 1)), kind)
    bit, old = e.binary("shl", kind, "1", position), e.read_scalar(i.operands[0], bits)
    if one:
        value = e.binary("or", kind, old, bit)
    else:
        value = e.binary("and", kind, old, e.binary("xor", kind, bit, "-1"))
    e.write_scalar(i.operands[0], value, bits)


@semantics
def scalar_replicate_bits(e: Emitter, i: Instruction) -> None:
    """Each bit twice."""
    e.write_scalar64(i.operands[0], e.call("w2w_bitreplicate", "i64", ("i32", e.read_scalar32(i.operands[1]))))


@semantics
def scalar_pack(e: Emitter, i: Instruction, *, first: str, second: str) -> None:
    """Halves (``low`` or ``high``) of S0 and S1 to the low and high half."""
    a, b = e.read_scalar32(i.operands[1]), e.read_scalar32(i.operands[2])
    low = e.binary("and", "i32", a, "65535") if first == "low" else e.binary("lshr", "i32", a, "16")
    high = e.binary("shl", "i32", b, "16") if second == "low" else e.binary("and", "i32", b, "-65536")
    e.write_scalar32(i.operands[0], e.binary("or", "i32", low, high))
