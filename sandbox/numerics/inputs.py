"""Seeded inputs of cases. The same case, shape and seed give the same bytes everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sandbox.numerics.case import Adversarial, Array, Case, Fill
from sandbox.numerics.expressions import evaluate

POISON = 0xFF
"""As a float a NaN: what was not written is like nothing that was."""
_SMALLEST_NORMAL = {"float64": 2.0**-1022, "float32": 2.0**-126, "float16": 2.0**-14, "bfloat16": 2.0**-126}
_LARGEST = {"float64": 1e300, "float32": 1e37, "float16": 6e4, "bfloat16": 1e37}


def make_inputs(case: Case, shape: Mapping[str, int], seed: int, adversarial: Adversarial | None = None) -> list[bytes]:
    """The bytes of each array, in the case's order; outputs are poisoned. ``adversarial``: what floats that would be
    random hold instead."""
    return [
        _bytes_of(array, shape, np.random.default_rng([seed, number]), adversarial)
        for number, array in enumerate(case.arrays)
    ]


def draw_shape(case: Case, seed: int) -> dict[str, int]:
    """A shape that the case does not name: its first one, with every dimension that has a range drawn from it."""
    generator = np.random.default_rng([seed, len(case.shapes)])
    shape = dict(case.shapes[0])
    for name, bounds in sorted(case.ranges.items()):
        first, last = -(-bounds.low // bounds.multiple), bounds.high // bounds.multiple
        shape[name] = int(generator.integers(first, last + 1)) * bounds.multiple
    return shape


def _bytes_of(
    array: Array, shape: Mapping[str, int], generator: np.random.Generator, adversarial: Adversarial | None
) -> bytes:
    size = evaluate(array.size, shape)
    if array.role == "output":
        kind = np.dtype("uint16" if array.type == "bfloat16" else array.type)
        return bytes([POISON]) * (size * kind.itemsize)
    fill = array.fill
    if adversarial is not None and array.type in _LARGEST and fill.kind in ("normal", "uniform"):
        fill = Fill(kind=adversarial)
    values = _values(array.type, fill, size, shape, generator)
    if array.type == "bfloat16":
        return bytes(_bfloat16(values.astype(np.float32)).tobytes())
    return bytes(values.astype(array.type).tobytes())


def _values(kind: str, fill: Fill, size: int, shape: Mapping[str, int], generator: np.random.Generator) -> Any:
    low, high = evaluate(fill.low, shape), evaluate(fill.high, shape)
    is_float = kind in _LARGEST
    match fill.kind:
        case "normal":
            values = generator.standard_normal(size)
            return values if is_float else np.rint(values * 25) if kind.startswith("i") else np.rint(abs(values) * 25)
        case "uniform":
            return generator.uniform(low, high, size)
        case "integers":
            return generator.integers(low, max(high, low + 1), size)
        case "permutation":
            return generator.permutation(size)
        case "offsets":
            inner = np.sort(generator.integers(0, evaluate(fill.total, shape) + 1, max(size - 2, 0)))
            return np.concatenate([[0], inner, [evaluate(fill.total, shape)]])[-size:]
        case "iota":
            return np.arange(size)
        case "zeros":
            return np.zeros(size)
        case "ones":
            return np.ones(size)
        case "denormals":
            return generator.uniform(-1, 1, size) * _SMALLEST_NORMAL.get(kind, 0.0)
        case "huge":
            return generator.uniform(-1, 1, size) * _LARGEST.get(kind, float(high))
        case "special":
            return generator.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0], size)


def _bfloat16(values: Any) -> Any:
    """To nearest even; NaNs stay NaNs."""
    bits = values.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)
