"""Events of coordinates, and which sets of events are a cause (paper A.4, E2 and E3; table 3.6, A1 to A3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations

from .worlds import Episode, World

# The variables whose events make up a cause; empty: the intrastate cause.
Cause = frozenset[str]


def direction(world: World, x: Episode, name: str) -> int:
    """Which way a coordinate is moving in `x`: the sign of its derivative's cell."""
    derivative = world.quantities[name].derivative
    return 0 if derivative is None else world.quantities[derivative].signs[world.cell(x, derivative)]


def event_target(world: World, x: Episode, name: str) -> str | None:
    """Where the event of a variable in `x` brings it; None when it has no event.

    From a point a moving coordinate goes to the neighbouring cell; from an interval only to a
    neighbouring point; past the end of its space nowhere.
    """
    quantity, here, way = world.quantities[name], world.cell(x, name), direction(world, x, name)
    there = quantity.neighbour(here, way) if way else None
    return there if here in quantity.points or there in quantity.points else None


def departures(world: World, x: Episode) -> Cause:
    """Coordinates that leave a point in `x`."""
    return frozenset(name for name in _moving(world, x) if world.cell(x, name) in world.quantities[name].points)


def terminations(world: World, x: Episode) -> Cause:
    """Coordinates that reach a point from within an interval."""
    return _moving(world, x) - departures(world, x)


def held_cells_after(world: World, x: Episode, events: Cause) -> tuple[str | None, ...]:
    """Cells of the held variables once these events, and nothing else, have happened (None: there is no such event)."""
    return tuple(event_target(world, x, name) if name in events else world.cell(x, name) for name in world.held)


def subsets(events: Iterable[str]) -> Iterator[Cause]:
    """Every subset, the small ones first."""
    ordered = sorted(events)
    sized = (combinations(ordered, size) for size in range(len(ordered) + 1))
    return (frozenset(names) for names in chain.from_iterable(sized))


def realised(world: World, x: Episode, events: Cause) -> bool:
    """Whether some episode has exactly these events done and all else that is held as in `x`."""
    return held_cells_after(world, x, events) in world.by_held_cells


def indivisible(world: World, x: Episode, events: Cause) -> bool:
    """Whether no non-empty part of the events could happen without the rest."""
    return not any(realised(world, x, part) for part in subsets(events) if part and part != events)


def is_cause(world: World, x: Episode, c: Cause) -> bool:
    """Whether a set of variables is a cause of change in `x`.

    Departures take no time: if there are any, all of them together are the only cause. Otherwise
    the empty set is one, and every indivisible set of terminations that some episode realises.
    """
    leaving = departures(world, x)
    if leaving:
        return c == leaving
    return not c or (c <= terminations(world, x) and realised(world, x, c) and indivisible(world, x, c))


def causes_of(world: World, x: Episode) -> list[Cause]:
    """Every cause of `x`: of all sets of events of `x` those that pass `is_cause`, in a fixed order."""
    return [c for c in subsets(_moving(world, x)) if is_cause(world, x, c)]


def _moving(world: World, x: Episode) -> Cause:
    return frozenset(name for name in world.coordinates if event_target(world, x, name) is not None)
