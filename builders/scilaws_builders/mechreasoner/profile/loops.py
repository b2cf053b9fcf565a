"""Simple cycles of a small multigraph, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Walk = tuple[tuple[int, int], ...]
"""A cycle as (edge number, +1 if walked from its first end to its second, else -1)."""


def simple_cycles(edges: Sequence[tuple[int, int]]) -> Iterator[Walk]:
    """Every simple cycle once, started along its lowest-numbered edge in that edge's direction.

    Args:
        edges: the two ends of each edge; several edges may join the same ends.
    """
    for number, (first, second) in enumerate(edges):
        if first == second:
            yield ((number, 1),)
        else:
            yield from _closed(edges, ((number, 1),), second, first, (first, second))


def _closed(
    edges: Sequence[tuple[int, int]], walk: Walk, here: int, home: int, visited: tuple[int, ...]
) -> Iterator[Walk]:
    """The ways to lead a walk home over higher-numbered edges and unvisited nodes."""
    for number in range(walk[0][0] + 1, len(edges)):
        for direction, (tail, head) in ((1, edges[number]), (-1, edges[number][::-1])):
            if tail != here or tail == head or any(number == used for used, _ in walk):
                continue
            longer = (*walk, (number, direction))
            if head == home:
                yield longer
            elif head not in visited:
                yield from _closed(edges, longer, head, home, (*visited, head))
