"""Which fault of the catalogue a piece of PTX that was not carried over is about."""

from __future__ import annotations

import re

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


def classify(ptx: str) -> str:
    return next((fault for pattern, fault in _FAULTS if pattern.search(ptx)), _OTHER)
