"""PTX's types in C++, and the words that describe operands in the table."""

from __future__ import annotations

import re

C_TYPES = {
    "b8": "unsigned char", "u8": "unsigned char", "s8": "signed char",
    "b16": "unsigned short", "u16": "unsigned short", "s16": "short",
    "b32": "unsigned", "u32": "unsigned", "s32": "int",
    "b64": "unsigned long long", "u64": "unsigned long long", "s64": "long long",
    "b128": "w2w::ptx::u128", "f32": "float", "f64": "double",
    "f16": "w2w::ptx::f16", "bf16": "w2w::ptx::bf16", "f16x2": "w2w::ptx::f16x2", "bf16x2": "w2w::ptx::bf16x2",
    "u16x2": "w2w::ptx::u16x2", "s16x2": "w2w::ptx::s16x2",
    "tf32": "w2w::ptx::tf32", "s4": "w2w::ptx::s4", "u4": "w2w::ptx::u4",
}  # fmt: skip
SIZES = {
    "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "b32": 4, "u32": 4, "s32": 4,
    "f32": 4, "f16x2": 4, "bf16x2": 4, "u16x2": 4, "s16x2": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16,
}  # fmt: skip
"""In bytes."""
UNSIGNED = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long long", 16: "w2w::ptx::u128"}
WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
SIGNED = frozenset({"s8", "s16", "s32", "s64"})
FLOATS = frozenset({"f32", "f64"})

OPERAND_WORDS = re.compile(
    r"=?(?:V\*)?(?:wide\()?(?:[TSDABC]|pred|[bus](?:8|16|32|64)|b128|f16|bf16|f16x2|bf16x2|f32|f64)\)?\^?\??(?:\|p)?"
    r"|=?p(?:\|p)?|\[(?:S|shared|global)\]|imm\??|policy\?|table|zero|label|=?\{\}|=?sel|_"
)
"""How the table describes an operand: a type or a name of the pattern, ``=`` before results, ``^`` where the register
may be wider, ``?`` where it may be absent; ``p`` a predicate, ``|p`` a second result; ``[S]`` an address."""
