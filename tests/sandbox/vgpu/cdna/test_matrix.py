"""Matrix multiplication against plain loops, with the layouts of AMD's matrix instruction calculator."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from kernel_workshop import KernelSource, Workshop

_A, _B, _C, _D = 16, 32, 48, 80
"""First VGPR of each operand."""


@dataclass(frozen=True)
class Shape:
    """``kind``: type of A and B; ``rows`` = M = N; ``depth`` = K."""

    mnemonic: str
    kind: str
    rows: int
    depth: int
    blocks: int
    only: str = ""

    @property
    def doubles(self) -> bool:
        return self.kind == "f64"

    @property
    def elements(self) -> int:
        """Of A that a lane holds."""
        return self.rows * self.depth * self.blocks // 64

    def place_of_input(self, block: int, row: int, k: int) -> tuple[int, int]:
        """Lane and element."""
        group, element = divmod(k, self.elements)
        return row + self.rows * block + self.rows * self.blocks * group, element

    def place_of_output(self, block: int, row: int, column: int) -> tuple[int, int]:
        """Lane and register (for doubles, register pair)."""
        if self.doubles and self.rows == 4:
            return column + 4 * block + 16 * row, 0
        if self.doubles:
            return column + 16 * (row % 4), row // 4
        if self.rows == 4:
            return column + 4 * block, row
        if self.rows == 16:
            return column + 16 * (row // 4), row % 4 + 4 * block
        return column + 32 * (row // 4 % 2), row % 4 + 4 * (row // 8) + 16 * block


def _shapes() -> list[Shape]:
    found = [
        Shape("v_mfma_f32_32x32x1_2b_f32", "f32", 32, 1, 2),
        Shape("v_mfma_f32_16x16x1_4b_f32", "f32", 16, 1, 4),
        Shape("v_mfma_f32_4x4x1_16b_f32", "f32", 4, 1, 16),
        Shape("v_mfma_f32_32x32x2_f32", "f32", 32, 2, 1),
        Shape("v_mfma_f32_16x16x4_f32", "f32", 16, 4, 1),
        Shape("v_mfma_f32_32x32x4_xf32", "f32", 32, 4, 1, "gfx942"),
        Shape("v_mfma_f32_16x16x8_xf32", "f32", 16, 8, 1, "gfx942"),
        Shape("v_mfma_f64_16x16x4_f64", "f64", 16, 4, 1),
        Shape("v_mfma_f64_4x4x4_4b_f64", "f64", 4, 4, 4),
        Shape("v_mfma_i32_32x32x4_2b_i8", "i8", 32, 4, 2),
        Shape("v_mfma_i32_16x16x4_4b_i8", "i8", 16, 4, 4),
        Shape("v_mfma_i32_4x4x4_16b_i8", "i8", 4, 4, 16),
        Shape("v_mfma_i32_32x32x16_i8", "i8", 32, 16, 1),
        Shape("v_mfma_i32_16x16x32_i8", "i8", 16, 32, 1),
        Shape("v_mfma_i32_32x32x32_i8", "i8", 32, 32, 1, "gfx950"),
        Shape("v_mfma_i32_16x16x64_i8", "i8", 16, 64, 1, "gfx950"),
        Shape("v_mfma_f32_16x16x32_fp8_bf8", "fp8 bf8", 16, 32, 1),
        Shape("v_mfma_f32_32x32x16_bf8_fp8", "bf8 fp8", 32, 16, 1),
    ]
    for kind in ("f16", "bf16"):
        found += [
            Shape(f"v_mfma_f32_32x32x4_2b_{kind}", kind, 32, 4, 2),
            Shape(f"v_mfma_f32_16x16x4_4b_{kind}", kind, 16, 4, 4),
            Shape(f"v_mfma_f32_4x4x4_16b_{kind}", kind, 4, 4, 16),
            Shape(f"v_mfma_f32_32x32x8_{kind}", kind, 32, 8, 1),
            Shape(f"v_mfma_f32_16x16x16_{kind}", kind, 16, 16, 1),
            Shape(f"v_mfma_f32_32x32x16_{kind}", kind, 32, 16, 1, "gfx950"),
            Shape(f"v_mfma_f32_16x16x32_{kind}", kind, 16, 32, 1, "gfx950"),
        ]
    return found


_FLOAT8_BIAS = {"gfx942": {"fp8": 8, "bf8": 16}, "gfx950": {"fp8": 7, "bf8": 15}}


def _float8(value: int, kind: str, target: str) -> int:
    """A small integer, exactly."""
    if value == 0:
        return 0
    fraction_bits = 3 if kind == "fp8" else 2
    exponent = abs(value).bit_length() - 1
    fraction = (abs(value) << fraction_bits >> exponent) & (1 << fraction_bits) - 1
    return (value < 0) << 7 | exponent + _FLOAT8_BIAS[target][kind] << fraction_bits | fraction


def _encoder(kind: str, target: str) -> tuple[int, Callable[[int], int]]:
    """Bits of an element, and the pattern of a small integer."""
    if kind in ("fp8", "bf8"):
        return 8, lambda value: _float8(value, kind, target)
    if kind == "i8":
        return 8, lambda value: value & 255
    if kind == "f16":
        return 16, lambda value: int(struct.unpack("<H", struct.pack("<e", value))[0])
    if kind == "bf16":
        return 16, lambda value: int(struct.unpack("<I", struct.pack("<f", value))[0]) >> 16
    if kind == "f64":
        return 64, lambda value: int(struct.unpack("<Q", struct.pack("<d", value))[0])
    return 32, lambda value: int(struct.unpack("<I", struct.pack("<f", value))[0])


def _body(shape: Shape) -> str:
    """Loads A, B and C, multiplies under a narrow EXEC, which must not matter, and stores D."""
    registers, accumulators = _sizes(shape)
    lines = ["v_lshlrev_b32 v9, 2, v0", "s_mov_b64 s[60:61], s[0:1]"]
    for first, count in ((_A, registers), (_B, registers), (_C, accumulators)):
        for k in range(count):
            lines += [
                f"global_load_dword v{first + k}, v9, s[60:61]",
                "s_add_u32 s60, s60, 256",
                "s_addc_u32 s61, s61, 0",
            ]
    a, b = (_range(first, registers) for first in (_A, _B))
    lines += [
        "s_mov_b64 exec, 0x5",
        f"{shape.mnemonic} {_range(_D, accumulators)}, {a}, {b}, {_range(_C, accumulators)}",
    ]
    lines += ["s_nop 15", "s_nop 15", "s_mov_b64 exec, -1"]
    for k in range(accumulators):
        lines += [f"global_store_dword v9, v{_D + k}, s[2:3]", "s_add_u32 s2, s2, 256", "s_addc_u32 s3, s3, 0"]
    return "\n".join(lines)


def _range(first: int, count: int) -> str:
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def _sizes(shape: Shape) -> tuple[int, int]:
    """Registers of A and B, and of C and D."""
    bits, _ = _encoder(shape.kind.split()[0], "gfx942")
    words = 2 if shape.doubles else 1
    return shape.elements * bits // 32, shape.rows * shape.rows * shape.blocks * words // 64


Matrix = list[list[list[int]]]


def _random(chance: random.Random, blocks: int, rows: int, columns: int) -> Matrix:
    return [[[chance.randrange(-4, 5) for _ in range(columns)] for _ in range(rows)] for _ in range(blocks)]


def _pack_input(shape: Shape, matrix: Matrix, kind: str, target: str) -> list[int]:
    """Registers of 64 lanes; ``matrix`` is indexed by block, row (or column of B) and k."""
    bits, encode = _encoder(kind, target)
    registers = [0] * (64 * (shape.elements * bits // 32))
    for block in range(shape.blocks):
        for row in range(shape.rows):
            for k in range(shape.depth):
                lane, element = shape.place_of_input(block, row, k)
                pattern, at = encode(matrix[block][row][k]), element * bits
                registers[at // 32 * 64 + lane] |= (pattern << at % 32) & 0xFFFFFFFF
                if bits == 64:
                    registers[(at // 32 + 1) * 64 + lane] |= pattern >> 32
    return registers


def _pack_output(shape: Shape, matrix: Matrix) -> list[int]:
    kind = "f64" if shape.doubles else "i32" if shape.kind == "i8" else "f32"
    words = 2 if shape.doubles else 1
    registers = [0] * (shape.rows * shape.rows * shape.blocks * words)
    for block in range(shape.blocks):
        for row in range(shape.rows):
            for column in range(shape.rows):
                lane, register = shape.place_of_output(block, row, column)
                value = matrix[block][row][column]
                pattern = value & 0xFFFFFFFF if kind == "i32" else _encoder(kind, "")[1](value)
                for word in range(words):
                    registers[(register * words + word) * 64 + lane] = pattern >> 32 * word & 0xFFFFFFFF
    return registers


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_matrix_multiplication(workshop: Workshop, target: str) -> None:
    shapes = [shape for shape in _shapes() if shape.only in ("", target)]
    units = [f"mfma_{target}_{k}" for k in range(len(shapes))]
    image = workshop.assemble(
        f"mfma_{target}", target, [KernelSource(unit, _body(shape)) for unit, shape in zip(units, shapes, strict=True)]
    )
    for unit in units:
        assert workshop.translate(image, target, unit, unit) == []
    workshop.compile(units)
    chance, runs, expected = random.Random(3), [], []
    for unit, shape in zip(units, shapes, strict=True):
        a, b = (_random(chance, shape.blocks, shape.rows, shape.depth) for _ in range(2))
        c = _random(chance, shape.blocks, shape.rows, shape.rows)
        kinds = shape.kind.split() * 2
        words = (
            _pack_input(shape, a, kinds[0], target) + _pack_input(shape, b, kinds[1], target) + _pack_output(shape, c)
        )
        d = [
            [
                [c[n][i][j] + sum(x * y for x, y in zip(a[n][i], b[n][j], strict=True)) for j in range(shape.rows)]
                for i in range(shape.rows)
            ]
            for n in range(shape.blocks)
        ]
        expected.append(_pack_output(shape, d))
        data = struct.pack(f"<{128 + len(words)}I", *[0] * 128, *words)
        runs.append((unit, data, 4 * len(expected[-1]), 0))
    for shape, want, output in zip(shapes, expected, workshop.run(runs), strict=True):
        got = list(struct.unpack_from(f"<{len(want)}I", output))
        assert got == want, shape.mnemonic
