"""An order of basic blocks in which lanes that have diverged meet again as early as they can.

Of the groups of lanes of a warp the one that stands first in this order runs. So a loop's blocks must stand together,
before what follows the loop, and whatever a block branches to (but back to its loop's head) must stand behind it.
"""

from __future__ import annotations

from ..components import find_components


def order_blocks(successors: list[list[int]]) -> list[int]:
    """The blocks that can be reached from block 0, which comes first."""
    reachable = _reach(successors)
    return _order(reachable, 0, successors)


def _reach(successors: list[list[int]]) -> set[int]:
    seen: set[int] = set()
    work = [0]
    while work:
        node = work.pop()
        if node not in seen:
            seen.add(node)
            work += successors[node]
    return seen


def _order(nodes: set[int], head: int, successors: list[list[int]]) -> list[int]:
    """Order of ``nodes``, all reached from ``head``; edges back to ``head`` do not count."""
    ordered = [head]
    inside = {node: [s for s in successors[node] if s in nodes and s != head] for node in nodes if node != head}
    entered = set(successors[head])
    for component in find_components(inside):
        if len(component) == 1:
            ordered += component
            continue
        members = set(component)
        outside = entered | {s for node, targets in inside.items() if node not in members for s in targets}
        heads = sorted(members & outside) or [min(members)]
        # Where a loop has several entries, one of them counts as its head.
        ordered += _order(members, heads[0], inside_lists(inside, len(successors)))
    return ordered


def inside_lists(inside: dict[int, list[int]], count: int) -> list[list[int]]:
    return [inside.get(node, []) for node in range(count)]
