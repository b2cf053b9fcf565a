"""The clauses E1 to E8 and the declarations, each a predicate over (source, target, cause) (paper A.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .causes import Cause, departures, direction, held_cells_after, indivisible, is_cause, terminations
from .worlds import Episode, World


def e1(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Coordinates in the cause stand at their event's target; all else that is held is unchanged."""
    return tuple(world.cell(y, name) for name in world.held) == held_cells_after(world, x, c)


def e2(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Every event of the cause reaches the nearest cell in its direction."""
    return all(direction(world, x, name) != 0 and _steps(world, x, y, name) == direction(world, x, name) for name in c)


def e3(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Departures come first and all together; terminations only as one indivisible group."""
    leaving = departures(world, x)
    if leaving:
        return c == leaving
    return c <= terminations(world, x) and indivisible(world, x, c)


def e4(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Every changed dependent quantity shares an active law with another changed variable."""
    changed = _changed(world, x, y)
    return all(
        any(name in law and changed & law - {name} for law in _active_laws(world, x, y))
        for name in _dependent(world, changed)
    )


def e5(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """The target is a solved interpretation of its composite state."""
    return y in world.nodes


def e6(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Every continuous quantity moves one cell at most; under the empty cause every derivative does (A2)."""
    return all(
        abs(_steps(world, x, y, name)) <= 1
        for name in _changed(world, x, y)
        if world.quantities[name].continuous or (not c and world.quantities[name].role == "derivative")
    )


def e7(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Every changed coordinate moved the way its derivative had at the source."""
    changed = _changed(world, x, y)
    return all(
        _steps(world, x, y, name) * direction(world, x, name) > 0 for name in world.coordinates if name in changed
    )


def e8(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Every changed dependent quantity is reached from an event along active laws over changed variables."""
    changed = _changed(world, x, y)
    laws = _active_laws(world, x, y)
    reached, grown = frozenset[str](), changed & c
    while grown != reached:
        reached = grown
        grown = reached.union(*(law & changed for law in laws if law & reached))
    return _dependent(world, changed) <= reached


def declared(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Every component whose state differs has a declaration for it that fits guards and cause (Decl)."""
    return all(
        any(
            (declaration.component, declaration.source, declaration.target) == (component, before, after)
            and all(world.cell(x, name) in cells for name, cells in declaration.source_guards)
            and all(world.cell(y, name) in cells for name, cells in declaration.target_guards)
            and (declaration.event is None or declaration.event in c)
            for declaration in world.declarations
        )
        for component, before, after in zip(world.components, x.state, y.state, strict=True)
        if before != after
    )


Clause = Callable[[World, Episode, Episode, Cause], bool]

CLAUSES: Mapping[str, Clause] = MappingProxyType(
    {"E1": e1, "E2": e2, "E3": e3, "E4": e4, "E5": e5, "E6": e6, "E7": e7, "E8": e8, "Decl": declared}
)


def refusals(world: World, x: Episode, y: Episode, c: Cause) -> list[str]:
    """Names of the clauses that refuse an edge, in the order of `CLAUSES`; the cause itself is not judged."""
    return [name for name, clause in CLAUSES.items() if not clause(world, x, y, c)]


def licensed(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Whether no clause refuses: asked from the cheapest on, so that most pairs end early."""
    cheap_first = (e1, e2, e6, e5, declared, e7, e4, e8, e3)
    return all(clause(world, x, y, c) for clause in cheap_first)


def admitted(world: World, x: Episode, y: Episode, c: Cause) -> bool:
    """Whether (x, y, c) is an edge: two different nodes, a cause of x, every clause and declaration."""
    return x != y and x in world.nodes and is_cause(world, x, c) and licensed(world, x, y, c)


def _steps(world: World, x: Episode, y: Episode, name: str) -> int:
    cells = world.quantities[name].cells
    return cells.index(world.cell(y, name)) - cells.index(world.cell(x, name))


def _changed(world: World, x: Episode, y: Episode) -> frozenset[str]:
    pairs = zip(world.quantities, x.cells, y.cells, strict=True)
    return frozenset(name for name, before, after in pairs if before != after)


def _dependent(world: World, changed: frozenset[str]) -> frozenset[str]:
    """The changed quantities that need a causal path: neither held (E1 rules those) nor derivatives (A2)."""
    quantities = (world.quantities[name] for name in changed)
    return frozenset(one.name for one in quantities if not one.is_held and one.role != "derivative")


def _active_laws(world: World, x: Episode, y: Episode) -> tuple[frozenset[str], ...]:
    """The variables of each law active in the source's or the target's composite state (A5)."""
    return world.links[x.state] + world.links[y.state]
