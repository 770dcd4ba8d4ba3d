"""PTX's fundamental types."""

from __future__ import annotations

BYTES = {
    "pred": 1, "b8": 1, "u8": 1, "s8": 1, "e4m3": 1, "e5m2": 1,
    "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "e4m3x2": 2, "e5m2x2": 2,
    "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4, "u16x2": 4, "s16x2": 4, "tf32": 4,
    "b64": 8, "u64": 8, "s64": 8, "f64": 8, "f32x2": 8,
    "b128": 16, "u128": 16, "s128": 16,
}  # fmt: skip
"""Size of a value of each type, in bytes. Predicates take a byte here."""

UNSIGNED = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "u128"}
"""C type (see ``support/core.h``) that holds the bits of a register, by size."""

SIGNED = {1: "s8", 2: "s16", 4: "s32", 8: "s64", 16: "s128"}

FLOATS = frozenset({"f16", "bf16", "f32", "f64"})
PACKED_FLOATS = frozenset({"f16x2", "bf16x2"})


def is_signed(name: str) -> bool:
    """True for s8 to s64 and their packed forms."""
    return name.startswith("s")
