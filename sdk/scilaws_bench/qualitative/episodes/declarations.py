"""Declared transitions: every component that changes its state needs a compatible declaration (paper A.4)."""

from __future__ import annotations

from scilaws_bench.qualitative.episodes.clauses import Refusal, Step
from scilaws_bench.qualitative.episodes.layout import Guards, Layout, PlacedDeclaration, Position

CLAUSE = "declaration"


def undeclared(step: Step) -> tuple[Refusal, ...]:
    """A refusal for each component whose change no declaration allows, in the mechanism's order; () if none."""
    refusals = []
    pairs = zip(step.source.states, step.target.states, strict=True)
    for place, (before, after) in enumerate(pairs):
        if before != after:
            refusal = _refusal(step, place)
            if refusal is not None:
                refusals.append(refusal)
    return tuple(refusals)


def _refusal(step: Step, place: int) -> Refusal | None:
    component = step.layout.mechanism.components[place]
    before, after = step.source.states[place], step.target.states[place]
    change = f"{component.states[before]} → {component.states[after]}"
    outgoing = step.layout.declarations_from.get((place, before), ())
    candidates = [item for item in outgoing if item.target == after]
    if not candidates:
        others = ", ".join(dict.fromkeys(component.states[item.target] for item in outgoing)) or "no state"
        found = f"none of that pair; {component.states[before]} is declared to change to {others}"
        return Refusal(CLAUSE, component.id, f"a declaration of {change}", found)
    faults = []
    for item in candidates:
        fault = _fault(step, item)
        if fault is None:
            return None
        faults.append(f"{item.id}: {fault}")
    return Refusal(CLAUSE, component.id, f"a compatible declaration of {change}", "; ".join(faults))


def _fault(step: Step, item: PlacedDeclaration) -> str | None:
    """What keeps a declaration of the right pair from applying."""
    layout = step.layout
    if item.event is not None and item.event not in step.moved:
        return f"its event {layout.names[item.event]} is not in the cause"
    source = _broken(layout, item.source_guards, step.source)
    if source is not None:
        return f"source guard {source}"
    target = _broken(layout, item.target_guards, step.target)
    return None if target is None else f"target guard {target}"


def _broken(layout: Layout, guards: Guards, episode: Position) -> str | None:
    for column, allowed in guards:
        if episode.cells[column] not in allowed:
            names = ", ".join(layout.cell_name(column, cell) for cell in sorted(allowed))
            return (
                f"{layout.names[column]} in {{{names}}} fails: it is {layout.cell_name(column, episode.cells[column])}"
            )
    return None
