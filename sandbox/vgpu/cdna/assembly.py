"""Reads the text of one instruction as llvm-objdump prints it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from .instruction import Instruction, Operand, OperandKind

_LINE = re.compile(r"^\t(\S+) ?(.*?)\s*// ([0-9A-F]{12}): ([0-9A-F]{8}(?: [0-9A-F]{8})*)", re.MULTILINE)
_SUFFIX = re.compile(r"_(e64_dpp|e32|e64|dpp|sdwa)$")
_REGISTER = re.compile(r"([vas])(\d+)")
_REGISTER_RANGE = re.compile(r"([vas])\[(\d+):(\d+)\]")
_INTEGER = re.compile(r"-?\d+")
_LITERAL = re.compile(r"(?:lit\()?(-?0x[0-9a-f]+)\)?")
_FLOAT = re.compile(r"-?\d+\.\d+(e-?\d+)?")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MODIFIER = re.compile(r"([a-z_0-9]+):(.+)")
_REGISTER_KIND = {"v": OperandKind.VECTOR, "a": OperandKind.ACCUMULATOR, "s": OperandKind.SCALAR}


def read_listing(listing: str) -> dict[int, Instruction]:
    """All instructions of a listing by llvm-objdump, by address."""
    return {
        int(match[3], 16): parse_instruction(match[1], match[2], int(match[3], 16), match[4])
        for match in _LINE.finditer(listing)
    }


def parse_instruction(mnemonic: str, text: str, address: int, words: str) -> Instruction:
    """One instruction; ``words`` are its dwords in hex."""
    suffix = _SUFFIX.search(mnemonic)
    base = mnemonic[: suffix.start()] if suffix else mnemonic
    operands, modifiers = _parse_arguments(text)
    return Instruction(
        address=address,
        size=4 * (words.count(" ") + 1),
        mnemonic=base,
        encoding=suffix[1].replace("e64_dpp", "dpp") if suffix else "",
        operands=operands,
        modifiers=modifiers,
        word=int(words[:8], 16),
        text=f"{mnemonic} {text}".strip(),
    )


def _parse_arguments(text: str) -> tuple[tuple[Operand, ...], dict[str, str]]:
    """Operands are separated by commas, the modifiers after the last one by spaces."""
    if not text:
        return (), {}
    parts = _split(text, ",")
    last, *trailing = _split(parts[-1].strip(), " ")
    words = [*(part.strip() for part in parts[:-1]), last]
    modifiers = dict(_parse_modifier(word) for word in trailing if word)
    while words and _is_modifier(words[-1]):  # instructions without operands
        modifiers.update([_parse_modifier(words.pop())])
    return tuple(parse_operand(word) for word in words), modifiers


def _split(text: str, separator: str) -> list[str]:
    """Split outside of brackets and quotes."""
    if not any(character in text for character in '[("'):
        return text.split(separator)
    parts, depth, quoted, start = [], 0, False, 0
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif character == separator and depth == 0 and not quoted:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _is_modifier(word: str) -> bool:
    return word in _FLAGS or _MODIFIER.fullmatch(word) is not None


_FLAGS = frozenset({"offen", "idxen", "sc0", "sc1", "nt", "lds", "gds", "clamp"})


def _parse_modifier(word: str) -> tuple[str, str]:
    match = _MODIFIER.fullmatch(word)
    return (match[1], match[2]) if match else (word, "1")


@lru_cache(maxsize=65536)
def parse_operand(text: str) -> Operand:
    """One operand with its source modifiers: ``-|v1|``, ``neg(2)``, ``sext(v3)``, ``s[4:5]``, ``0x1234``."""
    negate = absolute = sign_extend = False
    while True:
        if text.startswith("sext(") and text.endswith(")"):
            sign_extend, text = True, text[5:-1]
        elif text.startswith("neg(") and text.endswith(")"):
            negate, text = True, text[4:-1]
        elif text.startswith("-") and not (text[1:2].isdigit()):
            negate, text = True, text[1:]
        elif text.startswith("|") and text.endswith("|") and len(text) > 2:
            absolute, text = True, text[1:-1]
        else:
            break
    return replace(_parse_unsigned(text), negate=negate, absolute=absolute, sign_extend=sign_extend)


def _parse_unsigned(text: str) -> Operand:
    if match := _REGISTER.fullmatch(text):
        return Operand(_REGISTER_KIND[match[1]], index=int(match[2]))
    if match := _REGISTER_RANGE.fullmatch(text):
        first, last = int(match[2]), int(match[3])
        return Operand(_REGISTER_KIND[match[1]], index=first, count=last - first + 1)
    if _INTEGER.fullmatch(text):
        return Operand(OperandKind.INTEGER, value=int(text))
    if match := _LITERAL.fullmatch(text):
        return Operand(OperandKind.LITERAL, value=int(match[1], 16))
    if _FLOAT.fullmatch(text):
        return Operand(OperandKind.FLOAT, number=float(text))
    if text == "off":
        return Operand(OperandKind.OFF)
    return Operand(OperandKind.SPECIAL if _NAME.fullmatch(text) else OperandKind.TEXT, name=text)
