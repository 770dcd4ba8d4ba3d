"""Inline PTX: it does not assemble for AMD, so each statement that the device compiles is a blocking finding."""

from __future__ import annotations

import re

from agents.faults.reports import report_fault
from agents.models import Action
from agents.syntax.draft import Draft
from agents.syntax.source import UNMATCHED, SourceText
from agents.syntax.tokens import CODE, TokenKind

ASM_WORDS = frozenset({"asm", "__asm__", "__asm"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "goto", "inline"})
_OPCODE = re.compile(r"(?:^|[;{}\n]|\\n|\\t)\s*(?:@!?%?\w+\s+)?([a-z][\w.:]*)(?=\s|;|$)")
_FAULTS = (
    (re.compile(r"\bbra(\.uni)?\s"), "P07"),
    (re.compile(r"%%?(laneid|lanemask)"), "P01"),
    (re.compile(r"%%?(smid|globaltimer|clock|nsmid|warpid)"), "X11"),
    (re.compile(r"\b(wgmma|cp\.async\.bulk|wmma|tcgen05|tensormap)"), "X10"),
    (re.compile(r"\b(ldmatrix|stmatrix|mma\.sync|movmatrix)"), "P09"),
    (re.compile(r"\bmbarrier"), "P12"),
    (re.compile(r"\bcp\.async"), "P08"),
    (re.compile(r"\b(bar|barrier)\."), "P10"),
    (re.compile(r"\bshfl\."), "P13"),
    (re.compile(r"\blop3\."), "P02"),
    (re.compile(r"\bprmt\."), "P03"),
    (re.compile(r"\b(bfe|bfi)\."), "P04"),
    (re.compile(r"\b(mad|madc)\.[\w.]*cc|\bmadc\."), "P16"),
    (re.compile(r"\b(add|sub)\.cc\.|\b(addc|subc)\."), "P05"),
    (re.compile(r"\b(createpolicy|prefetch|ld\.global\.(nc|cg|cs|ca)|st\.global\.(cs|cg|wt)|red\.)"), "P11"),
    (re.compile(r"\b(ld|st|atom|fence|membar)\.(acquire|release|relaxed|acq_rel|sc|gl|cta|sys)"), "P14"),
    (re.compile(r"\bcvt\.[\w.]*sat"), "P06"),
    (re.compile(r"\b(shl|shr|shf)\."), "P15"),
)
_OTHER = "P07"


def find_inline_asm(draft: Draft) -> None:
    for index, token in enumerate(draft.source.code):
        if token.text not in ASM_WORDS or token.kind is not TokenKind.IDENTIFIER:
            continue
        if draft.edits.claimed(token):
            continue
        text = read_assembly(draft.source, index)
        if not text.strip() or draft.excluded(index):
            continue
        on_host = token.directive == CODE and draft.function_at(index) is not None
        if on_host and not draft.on_device(index):
            continue
        fault = next((fault for pattern, fault in _FAULTS if pattern.search(text)), _OTHER)
        opcodes = ", ".join(dict.fromkeys(_OPCODE.findall(text))) or text.strip()
        report_fault(
            draft,
            fault,
            index,
            Action.TO_DO,
            f"Write it in C++ or with AMD's builtins. Instructions: {opcodes}.",
        )


def read_assembly(source: SourceText, index: int) -> str:
    """The template of the ``asm`` at ``index``, its string literals joined; empty where there is none."""
    at = source.after(index)
    while at is not None and source.code[at].text in _QUALIFIERS:
        at = source.after(at)
    if at is None or source.code[at].text != "(" or source.partner[at] == UNMATCHED:
        return ""
    parts: list[str] = []
    for token in source.code[at + 1 : source.partner[at]]:
        if token.kind is not TokenKind.STRING:
            break
        parts.append(_content(token.text))
    return "".join(parts)


def _content(literal: str) -> str:
    raw = re.match(r'(?:u8|u|U|L)?R"([^()\\\s]{0,16})\((.*)\)\1"$', literal, re.DOTALL)
    if raw is not None:
        return raw.group(2)
    start = literal.find('"')
    return literal[start + 1 :].removesuffix('"').replace("\\n", "\n").replace("\\t", "\t")
