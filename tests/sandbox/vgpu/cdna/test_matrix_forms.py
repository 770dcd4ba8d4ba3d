"""Matrix instructions in all their forms: scaled and sparse ones, broadcasts, negation, constants; none heeds EXEC."""

from __future__ import annotations

import itertools
import random
import struct
from collections.abc import Callable
from fractions import Fraction

import pytest
from kernel_workshop import Workshop
from number_formats import F16, F32, F64, Format
from register_program import LANES, Program, Registers, Step, names, random_registers, run_programs
from small_float_model import BF16, FNUZ, FORMATS, SmallFormat

_EXEC = 0x5
"""Two lanes: it must not matter."""


def _single(pattern: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", pattern))[0])


def _small_value(small: SmallFormat, pattern: int) -> float:
    magnitude = float(small.value(pattern & (1 << small.bits - 1) - 1))
    return -magnitude if pattern >> small.bits - 1 else magnitude


def _tables(formats: dict[str, SmallFormat]) -> dict[str, list[float]]:
    return {name: [_small_value(f, pattern) for pattern in range(1 << f.bits)] for name, f in formats.items()}


def _element(registers: list[list[int]], lane: int, item: int, bits: int) -> int:
    whole = sum(register[lane] << 32 * k for k, register in enumerate(registers))
    return whole >> item * bits & (1 << bits) - 1


def _output_place(rows: int, row: int, column: int) -> tuple[int, int]:
    """Register and lane of D (CDNA4 ISA, "Output layout", with H = 4)."""
    rows_a_register = LANES // rows
    return row % 4 + 4 * (row // (4 * rows_a_register)), column + rows * (row // 4 % rows_a_register)


def _check(name: str, rows: int, got: list[list[int]], want: Callable[[int, int], tuple[Fraction, Fraction]]) -> str:
    """``want``: the sum and the sum of the sizes of its terms, to which the error is compared."""
    for row, column in itertools.product(range(rows), range(rows)):
        register, lane = _output_place(rows, row, column)
        total, size = want(row, column)
        value = Fraction(_single(got[register][lane]))
        if abs(value - total) > size * Fraction(1, 1 << 22):
            return f"{name}: D[{row}][{column}] is {float(value)} instead of {float(total)}"
    return ""


# ---- scaled ---------------------------------------------------------------------------------------------------------

_NAMES = ["fp8", "bf8", "fp6", "bf6", "fp4"]
_REGISTERS = {"fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}


def _scaled_start(chance: random.Random) -> Registers:
    """Bit 6 of each byte is clear: no pattern is a NaN or infinite in any format."""
    registers = {
        name: [word & 0xBFBFBFBF for word in values]
        for name, values in random_registers(chance, "v[4:11]", "v[12:19]").items()
    }
    for name in names("v[20:35]"):
        registers[name] = [F32.round(Fraction(chance.randrange(-64, 64))) for _ in range(LANES)]
    for name in ("v36", "v37"):
        registers[name] = [sum(chance.randrange(120, 135) << 8 * k for k in range(4)) for _ in range(LANES)]
    return registers


def _rows_of(registers: list[list[int]], small: str, rows: int, table: list[float]) -> list[list[float]]:
    """CDNA4 ISA, "Dense Matrix Layouts: 8-bit and Smaller"."""
    depth, bits = 128 if rows == 16 else 64, FORMATS[small].bits
    matrix = [[0.0] * depth for _ in range(rows)]
    for lane, item in itertools.product(range(LANES), range(32)):
        group = lane // rows
        if bits == 8:
            k = 16 * group + item if item < 16 else depth // 2 + 16 * group + item - 16
        else:
            k = 32 * group + item
        matrix[lane % rows][k] = table[_element(registers, lane, item, bits)]
    return matrix


@pytest.mark.toolchain
def test_scaled_matrices(workshop: Workshop) -> None:
    """All pairs of formats in both shapes, with scales and without."""
    chance = random.Random(5)
    start, table = _scaled_start(chance), _tables(FORMATS)
    matrices = {
        (first, small, rows): _rows_of(
            [start[f"v{first + k}"] for k in range(_REGISTERS[small])], small, rows, table[small]
        )
        for first, small, rows in itertools.product((4, 12), _NAMES, (16, 32))
    }
    steps, wanted = [], []
    for number, (a, b) in enumerate(itertools.product(range(5), range(5))):
        rows, scaled = (16, 32)[number % 2], number % 5 != 0
        selectors = (chance.randrange(4), chance.randrange(4))
        steps.append(_scaled_step(rows, _NAMES[a], _NAMES[b], selectors if scaled else None))
        wanted.append((rows, _NAMES[a], _NAMES[b], selectors if scaled else None))
    (results,) = run_programs(workshop, "scaled", "gfx950", [Program(start, steps)])
    problems = []
    for step, (rows, a, b, selectors), result in zip(steps, wanted, results, strict=True):
        left, right = matrices[4, a, rows], matrices[12, b, rows]

        def total(row: int, column: int, left=left, right=right, rows=rows, selectors=selectors):  # type: ignore[no-untyped-def]
            register, lane = _output_place(rows, row, column)
            terms = [Fraction(_single(start[f"v{20 + register}"][lane]))]
            for block in range(len(left[0]) // 32):
                part = slice(32 * block, 32 * block + 32)
                dot = sum(x * y for x, y in zip(left[row][part], right[column][part], strict=True))
                terms.append(Fraction(dot) * _scales(start, rows, block, row, column, selectors))
            return sum(terms), sum(map(abs, terms))

        problems.append(_check(step.lines, rows, list(result.values()), total))
    assert not any(problems), "\n".join(filter(None, problems))


def _scaled_step(rows: int, a: str, b: str, selectors: tuple[int, int] | None) -> Step:
    shape = "16x16x128" if rows == 16 else "32x32x64"
    d, c = ("v[40:43]", "v[20:23]") if rows == 16 else ("v[40:55]", "v[20:35]")
    operands = f"{d}, v[4:{3 + _REGISTERS[a]}], v[12:{11 + _REGISTERS[b]}], {c}"
    formats = f" cbsz:{_NAMES.index(a)} blgp:{_NAMES.index(b)}"
    if selectors is None:
        return Step(f"v_mfma_f32_{shape}_f8f6f4 {operands}{formats}", names(d), exec=_EXEC)
    low, high = [s & 1 for s in selectors], [s >> 1 for s in selectors]
    select = f" op_sel:[{low[0]},{low[1]},0] op_sel_hi:[{high[0]},{high[1]},0]"
    return Step(f"v_mfma_scale_f32_{shape}_f8f6f4 {operands}, v36, v37{select}{formats}", names(d), exec=_EXEC)


def _scales(
    start: Registers, rows: int, block: int, row: int, column: int, selectors: tuple[int, int] | None
) -> Fraction:
    if selectors is None:
        return Fraction(1)
    a = start["v36"][row + rows * block] >> 8 * selectors[0] & 255
    b = start["v37"][column + rows * block] >> 8 * selectors[1] & 255
    return Fraction(2) ** (a + b - 254)


# ---- sparse ---------------------------------------------------------------------------------------------------------


def _sparse_mnemonics(target: str) -> list[tuple[str, int, int, str, str]]:
    """Mnemonic, rows, K, types of A and B."""
    found = []
    shapes16 = [(16, 32), (32, 16)] + ([(16, 64), (32, 32)] if target == "gfx950" else [])
    shapes8 = [(16, 64), (32, 32)] + ([(16, 128), (32, 64)] if target == "gfx950" else [])
    for rows, depth in shapes16:
        found += [(f"v_smfmac_f32_{rows}x{rows}x{depth}_{t}", rows, depth, t, t) for t in ("f16", "bf16")]
    for rows, depth in shapes8:
        found.append((f"v_smfmac_i32_{rows}x{rows}x{depth}_i8", rows, depth, "i8", "i8"))
        for a, b in itertools.product(("fp8", "bf8"), repeat=2):
            found.append((f"v_smfmac_f32_{rows}x{rows}x{depth}_{a}_{b}", rows, depth, a, b))
    return found


def _indices(chance: random.Random) -> int:
    """Two different ones of four for each pair of stored elements."""
    word = 0
    for pair in range(8):
        first, second = sorted(chance.sample(range(4), 2))
        word |= (first | second << 2) << 4 * pair
    return word


def _decoder(kind: str, formats: dict[str, SmallFormat]) -> Callable[[int], float]:
    if kind in ("f16", "bf16"):
        wide: Format = F16 if kind == "f16" else BF16
        return lambda pattern: float(wide.value(pattern))
    if kind == "i8":
        return lambda pattern: float(pattern - 256 if pattern >> 7 else pattern)
    return lambda pattern: _small_value(formats[kind], pattern)


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_sparse_matrices(workshop: Workshop, target: str) -> None:
    chance = random.Random(6)
    start = random_registers(chance, "v[4:7]", "v[8:15]", "v[52:55]", "v[56:63]")
    for name in names("v[4:15]"):  # 8-bit: no NaNs
        start[name] = [word & 0xBFBFBFBF | 0x01010101 for word in start[name]]
    for name in names("v[52:63]"):  # 16-bit: everyday values in both formats
        start[name] = [
            sum((chance.getrandbits(1) << 15 | 0x3F00 + chance.randrange(512)) << s for s in (0, 16))
            for _ in range(LANES)
        ]
    start["v17"] = [_indices(chance) for _ in range(LANES)]
    for name in names("v[20:35]"):
        start[name] = [F32.round(Fraction(chance.randrange(-64, 64))) for _ in range(LANES)]
    steps, wanted = [], []
    for mnemonic, rows, depth, a, b in _sparse_mnemonics(target):
        half = a in ("f16", "bf16")
        registers = depth * rows // LANES // (4 if half else 8)
        first_a, first_b = (52, 56) if half else (4, 8)
        cbsz, abid = chance.choice([(0, 0), (0, 1), (0, 3), (1, 2)])
        d = "v[20:23]" if rows == 16 else "v[20:35]"
        operands = f"{d}, v[{first_a}:{first_a + registers - 1}], v[{first_b}:{first_b + 2 * registers - 1}], v17"
        steps.append(Step(f"{mnemonic} {operands} cbsz:{cbsz} abid:{abid}", names(d), names(d), _EXEC))
        wanted.append((rows, depth, a, b, first_a, first_b, 0 if cbsz else abid))
    (results,) = run_programs(workshop, "sparse", target, [Program(start, steps)])
    problems = [
        _sparse_problem(step.lines, start, list(result.values()), target, *what)
        for step, what, result in zip(steps, wanted, results, strict=True)
    ]
    assert not any(problems), "\n".join(filter(None, problems))


def _sparse_problem(
    text: str,
    start: Registers,
    got: list[list[int]],
    target: str,
    rows: int,
    depth: int,
    a: str,
    b: str,
    first_a: int,
    first_b: int,
    abid: int,
) -> str:
    formats = FNUZ if target == "gfx942" else FORMATS
    bits, items = (16 if a in ("f16", "bf16") else 8), depth * rows // LANES
    decode_a, decode_b = _decoder(a, formats), _decoder(b, formats)
    registers_b = [start[f"v{first_b + k}"] for k in range(items * bits // 32)]
    registers_a = [start[f"v{first_a + k}"] for k in range(items * bits // 64)]
    right: dict[tuple[int, int], float] = {}
    for lane, item in itertools.product(range(LANES), range(items)):
        right[lane % rows, _sparse_k(bits, depth, lane // rows, item)] = decode_b(
            _element(registers_b, lane, item, bits)
        )
    left: dict[tuple[int, int], float] = {}
    sets = 32 // items
    for lane, item in itertools.product(range(LANES), range(items // 2)):
        index = start["v17"][lane] >> abid % sets * items + 2 * item & 3
        k = _sparse_k(bits, depth, lane // rows, 4 * (item // 2) + index)
        left[lane % rows, k] = decode_a(_element(registers_a, lane, item, bits))

    def total(row: int, column: int) -> tuple[Fraction, Fraction]:
        terms = [Fraction(value * right[column, k]) for (at, k), value in left.items() if at == row]
        register, lane = _output_place(rows, row, column)
        old = start[f"v{20 + register}"][lane]
        terms.append(Fraction(_single(old)))
        return sum(terms, Fraction(0)), sum(map(abs, terms), Fraction(0))

    if a != "i8":
        return _check(text, rows, got, total)
    for row, column in itertools.product(range(rows), range(rows)):
        register, lane = _output_place(rows, row, column)
        products = sum(int(value * right[column, k]) for (at, k), value in left.items() if at == row)
        want = start[f"v{20 + register}"][lane] + products & 0xFFFFFFFF
        if got[register][lane] != want:
            return f"{text}: D[{row}][{column}] is {got[register][lane]:#x} instead of {want:#x}"
    return ""


def _sparse_k(bits: int, depth: int, group: int, item: int) -> int:
    """CDNA4 ISA, "Details of Sparsity Structure": K by register and place in it; registers v4 up are half of K away."""
    per_register = 32 // bits
    register, place = divmod(item, per_register)
    return per_register * (register % 4) + place + 4 * per_register * group + depth // 2 * (register // 4)


# ---- broadcasts, negation, constants --------------------------------------------------------------------------------


def _integers(chance: random.Random, operand: str) -> Registers:
    return {name: [F32.round(Fraction(chance.randrange(-8, 9))) for _ in range(LANES)] for name in names(operand)}


def _lane_of_b(lane: int, blgp: int) -> int:
    """CDNA4 ISA, "Permutations corresponding to BLGP values"."""
    return [
        lane, lane % 32, lane % 32 + 32, (lane + 16) % 64, lane % 16, lane % 16 + 16, lane % 16 + 32, lane % 16 + 48,
    ][blgp]  # fmt: skip


@pytest.mark.toolchain
def test_broadcasts(workshop: Workshop) -> None:
    """cbsz, abid: which block's A a block uses; blgp: which lane's B."""
    chance = random.Random(7)
    start = _integers(chance, "v4") | _integers(chance, "v5") | _integers(chance, "v[8:39]")
    forms = [("4x4x1_16b", 4, 16, 4), ("16x16x1_4b", 16, 4, 16), ("32x32x1_2b", 32, 2, 32)]
    steps, wanted = [], []
    for shape, rows, blocks, registers in forms:
        for cbsz in range(blocks.bit_length()):
            for blgp in (0, *([chance.randrange(1, 8)] if cbsz else range(1, 8))):
                abid = chance.randrange(1 << cbsz)
                d = f"v[40:{39 + registers}]"
                text = f"v_mfma_f32_{shape}_f32 {d}, v4, v5, v[8:{7 + registers}] cbsz:{cbsz} abid:{abid} blgp:{blgp}"
                steps.append(Step(text, names(d), exec=_EXEC))
                wanted.append((rows, blocks, cbsz, abid, blgp))
    (results,) = run_programs(workshop, "broadcasts", "gfx942", [Program(start, steps)])
    for step, (rows, blocks, cbsz, abid, blgp), result in zip(steps, wanted, results, strict=True):
        for block, row, column in itertools.product(range(blocks), range(rows), range(rows)):
            source = (block >> cbsz << cbsz) + abid if cbsz else block
            a = _single(start["v4"][row + rows * source])
            b = _single(start["v5"][_lane_of_b(column + rows * block, blgp)])
            register, lane = _block_place(rows, block, row, column)
            c = _single(start[f"v{8 + register}"][lane])
            got = _single(result[f"v{40 + register}"][lane])
            assert got == a * b + c, f"{step.lines}: D[{block}][{row}][{column}] is {got} instead of {a * b + c}"


def _block_place(rows: int, block: int, row: int, column: int) -> tuple[int, int]:
    """Register and lane of D with several blocks."""
    if rows == 4:
        return row, column + 4 * block
    register, lane = _output_place(rows, row, column)
    return register + rows * rows // LANES * block, lane


@pytest.mark.toolchain
def test_doubles_are_negated_and_take_constants(workshop: Workshop) -> None:
    chance = random.Random(8)
    start: Registers = {}
    for first in (4, 6, *range(8, 16, 2)):
        values = [F64.round(Fraction(chance.randrange(-8, 9))) for _ in range(LANES)]
        start[f"v{first}"] = [value & 0xFFFFFFFF for value in values]
        start[f"v{first + 1}"] = [value >> 32 for value in values]
    signs = list(itertools.product((0, 1), repeat=3))
    steps = [
        Step(
            f"v_mfma_f64_16x16x4_f64 v[40:47], v[4:5], v[6:7], v[8:15] neg:[{a},{b},{c}]", names("v[40:47]"), exec=_EXEC
        )
        for a, b, c in signs
    ]
    steps.append(Step("v_mfma_f64_16x16x4_f64 v[40:47], v[4:5], v[6:7], 2.0", names("v[40:47]"), exec=_EXEC))
    steps.append(
        Step("v_mfma_f64_4x4x4_4b_f64 v[40:41], v[4:5], v[6:7], v[8:9] neg:[1,0,1]", names("v[40:41]"), exec=_EXEC)
    )
    (results,) = run_programs(workshop, "doubles", "gfx950", [Program(start, steps)])
    for (a, b, c), result in zip([*signs, (0, 0, 0)], results, strict=False):
        constant = result is results[len(signs)]
        for row, column in itertools.product(range(16), range(16)):
            lane, pair = column + 16 * (row % 4), row // 4
            total = 2.0 if constant else _double(start, 8 + 2 * pair, lane) * (-1) ** c
            for k in range(4):
                total += _double(start, 4, row + 16 * k) * _double(start, 6, column + 16 * k) * (-1) ** (a + b)
            assert _double(result, 40 + 2 * pair, lane) == total, (a, b, c, constant, row, column)
    for block, row, column in itertools.product(range(4), repeat=3):
        lane = column + 4 * block + 16 * row
        total = -_double(start, 8, lane)
        for k in range(4):
            total -= _double(start, 4, row + 4 * block + 16 * k) * _double(start, 6, column + 4 * block + 16 * k)
        assert _double(results[-1], 40, lane) == total, (block, row, column)


def _double(registers: Registers, first: int, lane: int) -> float:
    packed = struct.pack("<II", registers[f"v{first}"][lane], registers[f"v{first + 1}"][lane])
    return float(struct.unpack("<d", packed)[0])


@pytest.mark.toolchain
def test_accumulation_registers(workshop: Workshop) -> None:
    """Operands in AGPRs, moves to and from them, and integer constants as C."""
    chance = random.Random(9)
    start = random_registers(chance, "v4", "v5", "a4", "a5", "v[8:11]")
    steps = [
        Step("v_mfma_i32_16x16x32_i8 a[8:11], v[4:5], a[4:5], -3", names("a[8:11]"), exec=_EXEC),
        Step("v_accvgpr_write_b32 a12, v4", ["a12"], exec=0xF0),
        Step("v_accvgpr_read_b32 v40, a4", ["v40"], exec=0xF0),
        Step("v_accvgpr_mov_b32 a13, a4", ["a13"], exec=0xF0),
    ]
    (results,) = run_programs(workshop, "accumulation", "gfx942", [Program(start, steps)])
    for row, column in itertools.product(range(16), range(16)):
        register, lane = _output_place(16, row, column)
        total = -3
        for group, item in itertools.product(range(4), range(8)):
            a = _element([start["v4"], start["v5"]], row + 16 * group, item, 8)
            b = _element([start["a4"], start["a5"]], column + 16 * group, item, 8)
            total += (a - 256 * (a >> 7)) * (b - 256 * (b >> 7))
        assert results[0][f"a{8 + register}"][lane] == total & 0xFFFFFFFF, (row, column)
    for result, (name, source) in zip(results[1:], [("a12", "v4"), ("v40", "a4"), ("a13", "a4")], strict=True):
        assert [result[name][lane] for lane in range(4, 8)] == start[source][4:8]
        assert [result[name][lane] for lane in range(8, LANES)] == [0] * 56
