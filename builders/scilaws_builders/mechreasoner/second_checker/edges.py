"""All edges out of an episode: by testing every triple, and the same with one sound shortcut."""

from __future__ import annotations

from .causes import Cause, causes_of, held_cells_after, subsets
from .clauses import admitted, licensed
from .worlds import Episode, World

# Target episode and cause.
Edge = tuple[Episode, Cause]


def edges_of(world: World, x: Episode) -> set[Edge]:
    """Every (target, cause) of an episode, in a world of up to some thousand episodes.

    Only targets with the very held cells that E1 demands are looked at: the group is found by
    those cells, and every clause, E1 too, is then asked of each.
    """
    found: set[Edge] = set()
    for c in causes_of(world, x):
        group = world.by_held_cells.get(held_cells_after(world, x, c), ())
        found |= {(y, c) for y in group if y != x and licensed(world, x, y, c)}
    return found


def edges_by_brute_force(world: World, x: Episode) -> set[Edge]:
    """The same without any shortcut: every set of coordinates as cause, every episode as target; for small worlds."""
    return {(y, c) for c in subsets(world.coordinates) for y in world.episodes if admitted(world, x, y, c)}
