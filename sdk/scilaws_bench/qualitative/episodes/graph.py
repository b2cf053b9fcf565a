"""The episode graph of a table, explored on demand (Definition 2 and the exact-depth layers of paper A.4)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from scilaws_bench.errors import MechanismError, WorkLimitError
from scilaws_bench.qualitative.episode_table import EpisodeTable
from scilaws_bench.qualitative.episodes.causes import Cause
from scilaws_bench.qualitative.episodes.clauses import Step
from scilaws_bench.qualitative.episodes.edges import ComponentChange, Edge, component_changes
from scilaws_bench.qualitative.episodes.explanation import Explanation, explain_step
from scilaws_bench.qualitative.episodes.layout import Position
from scilaws_bench.qualitative.episodes.vectorised import Choices, VectorisedEdges

WORK_LIMIT = 20_000_000
"""Keys compared and candidate rows looked at in one question; the largest catalogue item stays far below."""


@dataclass(frozen=True)
class ReachableGraph:
    """What can be reached from some episodes within a horizon, by row number.

    Attributes:
        table: the episodes.
        layers: R_0 … R_H, each in rising order; an episode may be in several (revisits count).
        edges_by_depth: A^(1) … A^(H), the edges out of R_0 … R_(H-1), each by (source, target, cause).
        edges: A^(≤H), the distinct edges.
        sources: the distinct episodes of R_0 … R_(H-1), with edges or without.
    """

    table: EpisodeTable = field(repr=False)
    layers: tuple[tuple[int, ...], ...]
    edges_by_depth: tuple[tuple[Edge, ...], ...]
    edges: tuple[Edge, ...]
    sources: tuple[int, ...]

    @property
    def horizon(self) -> int:
        """H, the number of steps."""
        return len(self.edges_by_depth)

    @property
    def nodes(self) -> tuple[int, ...]:
        """The distinct episodes of all layers."""
        return tuple(sorted({row for layer in self.layers for row in layer}))

    def first_depth(self) -> dict[int, int]:
        """Episode → the first layer it is in."""
        depths: dict[int, int] = {}
        for depth, layer in enumerate(self.layers):
            for row in layer:
                depths.setdefault(row, depth)
        return depths


class EpisodeGraph:
    """Causes, edges and reachability of the episodes of a table; what was computed is kept.

    Args:
        table: the nodes. Row numbers name episodes in every question and answer.
        work_limit: most keys and candidate rows that one question may look at.

    Raises:
        MechanismError (every method): a row that the table doesn't have.
        WorkLimitError: a question beyond the limit. Whether it is raised depends on the question
            alone, not on what was asked before.
    """

    def __init__(self, table: EpisodeTable, *, work_limit: int = WORK_LIMIT) -> None:
        self.table = table
        self.work_limit = work_limit
        self._finder = VectorisedEdges(table)
        self._choices: dict[int, Choices] = {}
        self._edges: dict[int, tuple[Edge, ...]] = {}

    def causes(self, row: int) -> tuple[Cause, ...]:
        """The causes C_r(x) of an episode: one united departure, or the empty cause and each termination set."""
        return self._choices_of(row).causes

    def edges(self, row: int) -> tuple[Edge, ...]:
        """The edges out of an episode by (target, cause); none for a dead end."""
        self._spend(self._choices_of(row).work)
        return self._edges_of(row)

    def reachable(self, initial_rows: Iterable[int], horizon: int) -> ReachableGraph:
        """Exact-depth layers and edges from some episodes through a horizon ≥ 0.

        Raises:
            ValueError: a negative horizon.
        """
        if horizon < 0:
            raise ValueError(f"horizon: expected a whole number ≥ 0, found {horizon}")
        layers = [tuple(sorted({self._known(row) for row in initial_rows}))]
        by_depth: list[tuple[Edge, ...]] = []
        expanded: set[int] = set()
        work = 0
        for _ in range(horizon):
            for row in layers[-1]:
                if row not in expanded:
                    work += self._choices_of(row).work
                    self._spend(work)
                    expanded.add(row)
            edges = tuple(edge for row in layers[-1] for edge in self._edges_of(row))
            by_depth.append(edges)
            layers.append(tuple(sorted({edge.target for edge in edges})))
        edges = tuple(edge for row in sorted(expanded) for edge in self._edges_of(row))
        return ReachableGraph(self.table, tuple(layers), tuple(by_depth), edges, tuple(sorted(expanded)))

    def component_changes(self, edges: Iterable[Edge]) -> tuple[ComponentChange, ...]:
        """The component changes that edges witness (Definition 7), sorted by name."""
        return component_changes(self.table, edges)

    def boundary_cause_count(self, row: int) -> int:
        """B_x: the causes of an episode without the empty one."""
        return sum(1 for cause in self.causes(row) if cause)

    def declaration_count(self, row: int) -> int:
        """T_x: the declarations out of the episode's component states, T(s), whether their guards hold or not."""
        states = self.table.states[self._known(row)].tolist()
        outgoing = self._finder.layout.declarations_from
        return sum(len(outgoing.get((place, state), ())) for place, state in enumerate(states))

    def explain(self, source: int, target: int) -> Explanation:
        """What every clause says to a step between two episodes, for each cause of the source."""
        produced = self.causes(source)
        before, after = (self._position(self._known(row)) for row in (source, target))
        steps = (Step(self._finder.layout, before, after, cause, produced, self._episodes) for cause in produced)
        return Explanation(source, target, tuple(explain_step(step) for step in steps))

    @cached_property
    def _episodes(self) -> Container[Position]:
        return _Episodes(self.table)

    def _position(self, row: int) -> Position:
        return Position(tuple(self.table.states[row].tolist()), tuple(self.table.cells[row].tolist()))

    def _known(self, row: int) -> int:
        if not 0 <= row < len(self.table):
            raise MechanismError(f"episode {row}", f"a row from 0 to {len(self.table) - 1}", str(row))
        return int(row)

    def _choices_of(self, row: int) -> Choices:
        if row not in self._choices:
            known = self._known(row)
            self._choices[known] = self._finder.choices(known)
        return self._choices[row]

    def _edges_of(self, row: int) -> tuple[Edge, ...]:
        if row not in self._edges:
            self._edges[row] = self._finder.edges(row, self._choices_of(row))
        return self._edges[row]

    def _spend(self, work: int) -> None:
        if work > self.work_limit:
            raise WorkLimitError(
                f"inconclusive: limit of {self.work_limit:,} candidates",
                "an answer within the limit",
                f"{work:,} candidates and perhaps more",
                "Shorten the horizon, restrict the scenario or raise work_limit.",
            )


class _Episodes:
    """Membership of a position in a table."""

    def __init__(self, table: EpisodeTable) -> None:
        self._rows = {
            states.tobytes() + cells.tobytes() for states, cells in zip(table.states, table.cells, strict=True)
        }

    def __contains__(self, position: object) -> bool:
        if not isinstance(position, Position):
            return False
        return np.array([*position.states, *position.cells], dtype=np.int8).tobytes() in self._rows
