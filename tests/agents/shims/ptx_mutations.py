"""Random damage to PTX forms, to see that nothing crashes and nothing wrong is accepted."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from agents.shims.contracts.forms import Form

_TOKEN = re.compile(r"\$\d|[A-Za-z_][\w]*|0[xXfFdD][0-9a-fA-F]+|\d+\.\d+|\d+|\s+|.", re.DOTALL)
_WORDS = re.compile(r"\w+")
_MODIFIERS = _WORDS.findall(
    "u16 s16 u32 s32 u64 s64 b16 b32 b64 f32 f64 f16 bf16 f16x2 bf16x2 lo hi wide cc sat ftz rn rz rm rp rni rzi "
    "approx full relu NaN clamp wrap l r lt ge eq ne and or xor pred e4m3x2 tf32 h0 b3"
)
_OPCODES = _WORDS.findall(
    "add addc sub subc mul mad madc fma div rem min max and or xor shl shr shf prmt lop3 bfe bfi cvt mov selp setp "
    "slct abs neg popc clz bfind brev sad dp4a vadd vadd4 copysign not cnot sqrt rcp tanh bra"
)
_LITERALS = ("0", "1", "-1", "31", "32", "255", "0x80000000", "0xffffffff", "4294967296", "1.0", "0f3f800000", "$0")


def mutate(form: Form, random: Random) -> Form:
    """``form`` with one to three changes to its PTX."""
    text = form.ptx
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(_CHANGES)(text, random)
    return replace(form, ptx=text)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _drop(text: str, random: Random) -> str:
    tokens = _tokens(text)
    del tokens[random.randrange(len(tokens))]
    return "".join(tokens) or ";"


def _repeat(text: str, random: Random) -> str:
    tokens = _tokens(text)
    at = random.randrange(len(tokens))
    return "".join([*tokens[: at + 1], *tokens[at:]])


def _swap(text: str, random: Random) -> str:
    tokens = _tokens(text)
    a, b = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return "".join(tokens)


def _replace(text: str, random: Random) -> str:
    """A word becomes another of its kind."""
    tokens = _tokens(text)
    at = random.randrange(len(tokens))
    before = tokens[at - 1] if at else ";"
    if tokens[at].isidentifier():
        tokens[at] = random.choice(_MODIFIERS if before == "." else _OPCODES)
    elif tokens[at][0].isdigit() or tokens[at][0] == "$":
        tokens[at] = random.choice((*_LITERALS, "$1", "$2"))
    return "".join(tokens)


def _modifier(text: str, random: Random) -> str:
    """One modifier more."""
    tokens = _tokens(text)
    places = [at for at, token in enumerate(tokens) if token == "."]
    if places:
        tokens.insert(random.choice(places), f".{random.choice(_MODIFIERS)}")
    return "".join(tokens)


def _cut(text: str, random: Random) -> str:
    return text[: random.randrange(1, len(text) + 1)]


def _noise(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice("{}[]()<>@!|%$;:,.\\\"'\x00\xe9 \n0_-") + text[at:]


_CHANGES = (_drop, _repeat, _swap, _replace, _replace, _replace, _modifier, _modifier, _cut, _noise)
