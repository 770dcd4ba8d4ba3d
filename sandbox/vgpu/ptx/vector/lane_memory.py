"""The ``.local`` and ``.param`` variables of a warp's lanes: one piece of memory a lane, one behind the other."""

from __future__ import annotations

from ..errors import NotVectorisedError
from ..syntax import Function

MAX_BYTES = 256 << 10
_CACHE_LINE = 64


class LaneMemory:
    """``stride``: bytes of a lane."""

    def __init__(self, kernel: Function) -> None:
        self._offsets: dict[str, tuple[str, int]] = {}
        shared: dict[tuple[str, ...], tuple[int, int]] = {}
        end = 0
        for variable in kernel.variables:
            if variable.space not in ("local", "param"):
                continue
            size, align = max(variable.size, 8), max(variable.align, 16)
            key = _storage(variable.name) if variable.space == "param" else ("", variable.name)
            offset, known = shared.get(key, (0, 0))
            if known < size:
                offset = (end + align - 1) // align * align
                end = offset + size
                shared[key] = (offset, size)
            self._offsets[variable.name] = (variable.space, offset)
        self.stride = (end + _CACHE_LINE - 1) // _CACHE_LINE * _CACHE_LINE
        if self.stride > MAX_BYTES:
            raise NotVectorisedError("much local memory")

    def find(self, name: str) -> tuple[str, int] | None:
        """State space and offset in the lane's memory, None if ``name`` is no variable of it."""
        return self._offsets.get(name)


def _storage(name: str) -> tuple[str, ...]:
    """Scopes of calls follow each other: their variables of one name and depth, in one copy of a function, share."""
    stem, _, scope = name.partition("@")
    scope, _, copy = scope.partition("@")
    return (stem, scope.partition(".")[0], copy)
