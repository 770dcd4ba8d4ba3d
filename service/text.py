"""Text from outside, fit for keeping and showing."""

from __future__ import annotations


def printable(text: str) -> str:
    """``text`` for a terminal: control characters, which could rewrite the screen, become visible escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def storable(text: str, limit: int | None = None) -> str:
    """``text`` fit for a text column of any database: NUL and lone surrogates become visible escapes, and
    what is over ``limit`` characters is cut with a mark."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")
    return clean if limit is None or len(clean) <= limit else clean[: limit - 1] + "…"
