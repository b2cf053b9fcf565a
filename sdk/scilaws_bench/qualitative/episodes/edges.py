"""Edges of the episode graph (Definition 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scilaws_bench.qualitative.episode_table import EpisodeTable
from scilaws_bench.qualitative.episodes.causes import Cause
from scilaws_bench.qualitative.episodes.layout import Layout


@dataclass(frozen=True, slots=True)
class Edge:
    """An admitted step between two different episodes, by row number; identified by all three fields."""

    source: int
    target: int
    cause: Cause


@dataclass(frozen=True, order=True, slots=True)
class ComponentChange:
    """A component that changes its state along some edge (Definition 7), by name."""

    component: str
    source: str
    target: str


def component_changes(table: EpisodeTable, edges: Iterable[Edge]) -> tuple[ComponentChange, ...]:
    """The distinct component changes of edges, sorted by name; edges within one composite state give none."""
    components = table.mechanism.components
    found = set()
    for pair in {(edge.source, edge.target) for edge in edges}:
        before, after = (table.states[row].tolist() for row in pair)
        for component, left, right in zip(components, before, after, strict=True):
            if left != right:
                found.add(ComponentChange(component.id, component.states[left], component.states[right]))
    return tuple(sorted(found))


def sorted_edges(layout: Layout, edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Distinct edges by (source, target, cause); causes by the columns and cells of their events."""

    def key(edge: Edge) -> tuple[int, int, tuple[tuple[int, int], ...]]:
        return edge.source, edge.target, cause_key(layout, edge.cause)

    return tuple(sorted(set(edges), key=key))


def cause_key(layout: Layout, cause: Cause) -> tuple[tuple[int, int], ...]:
    """The place of a cause in every order; the empty cause is first."""
    columns = [layout.column[event.variable] for event in cause]
    return tuple(
        (column, layout.spaces[column].index(event.target)) for column, event in zip(columns, cause, strict=True)
    )
