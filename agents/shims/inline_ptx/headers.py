"""Which shim headers a piece of C++ needs, from the names that it calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from agents.shims.library import list_shims, read_shim

_CALLED = re.compile(r"\bw2w::(ptx::)?(\w+)")
_DEFINED = re.compile(
    r"^\s*__device__ inline [\w:<>\s*,]*?\b(\w+)\(|^\s*(?:enum(?: class)?|struct|using) (\w+)|^W2W_\w+\((\w+),",
    re.MULTILINE,
)
_ENUMERATOR = re.compile(r"^enum (?!class)\w+ \{([^}]*)\}", re.MULTILINE)
_PTX = "ptx_"
_PLAIN = frozenset({"warp32.h", "intrinsics.h", "ptx_lanes.h"})
"""Headers whose functions outside ``w2w::ptx`` the table calls."""


def headers_of(text: str) -> frozenset[str]:
    """The headers that define the ``w2w::`` names in ``text``; of several, the first by name."""
    places = _places()
    found = set()
    for ptx, name in _CALLED.findall(text):
        header = places.get((bool(ptx), name))
        if header is not None:
            found.add(header)
    return frozenset(found)


@cache
def _places() -> Mapping[tuple[bool, str], str]:
    places: dict[tuple[bool, str], str] = {}
    for header in sorted(list_shims(), key=lambda name: (name != "ptx_types.h", name)):
        text = read_shim(header)
        names = {name for groups in _DEFINED.findall(text) for name in groups if name}
        for names_of_enum in _ENUMERATOR.findall(text):
            names |= {word.strip() for word in names_of_enum.split(",")}
        for name in names:
            if header.startswith(_PTX):
                places.setdefault((True, name), header)
            if header in _PLAIN:
                places.setdefault((False, name), header)
    return places
