"""What a translation does beside computing: checks of memory accesses, counters, a record for finding races."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

from ..translator.frontend import TranslationError


@dataclass(frozen=True)
class Flavour:
    """``str()`` gives the name that requests and the cache use: "" for plain, else e.g. "checks+counters".

    ``checks``: memory accesses are looked at before they happen. ``counters``: what a profiler would count is counted.
    ``races``: accesses of global memory are remembered, so that unordered ones are found; only together with checks.
    ``bounds``: of the checks those that cost little, for most work-groups of a large dispatch; instead of checks.
    """

    checks: bool = False
    counters: bool = False
    races: bool = False
    bounds: bool = False

    def __post_init__(self) -> None:
        if self.checks and self.bounds:
            raise ValueError("checks include those of bounds")
        if self.races and not self.checks:
            raise ValueError("races are found by checks: races without checks is no flavour")

    @property
    def watches_memory(self) -> bool:
        """Whether accesses of global memory are looked at."""
        return self.checks or self.bounds

    def __str__(self) -> str:
        chosen = zip(fields(self), astuple(self), strict=True)
        return "+".join(field.name for field, is_on in chosen if is_on)


PLAIN = Flavour()


def parse_flavour(text: str) -> Flavour:
    """The inverse of ``str()``; other orders are refused. Raises TranslationError ``unknown-flavour``."""
    words = text.split("+") if text else []
    known = {field.name for field in fields(Flavour)}
    try:
        flavour = Flavour(**dict.fromkeys(words, True)) if known.issuperset(words) else None
    except ValueError:
        flavour = None
    if flavour is None or str(flavour) != text:
        raise TranslationError("unknown-flavour", f"{text!r} is no flavour of a translation")
    return flavour
