"""Strongly connected components of a graph."""

from __future__ import annotations

from collections.abc import Iterable


def find_components(edges: dict[int, list[int]]) -> Iterable[list[int]]:
    """In topological order; of those that may stand anywhere, low numbers first (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in sorted(edges, reverse=True):
        if root in index:
            continue
        work = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            following = sorted(edges[node], reverse=True)
            for offset in range(position, len(following)):
                successor = following[offset]
                if successor not in index:
                    work += [(node, offset + 1), (successor, 0)]
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                if low[node] == index[node]:
                    found.append(_pop_component(node, stack, on_stack))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return reversed(found)


def _pop_component(node: int, stack: list[int], on_stack: set[int]) -> list[int]:
    component = []
    while True:
        member = stack.pop()
        on_stack.discard(member)
        component.append(member)
        if member == node:
            return component
