"""The episode graph the slow and obvious way: every cause, every row, every clause. The test oracle.

It shares the clause functions with the explanations and nothing with `vectorised.py` but the data
model, so that the two agree only if both are right.
"""

from __future__ import annotations

from collections.abc import Sequence

from scilaws_bench.qualitative.episode_table import EpisodeTable
from scilaws_bench.qualitative.episodes.causes import INTRASTATE, Cause, cause_of, moves
from scilaws_bench.qualitative.episodes.clauses import CLAUSES, Step
from scilaws_bench.qualitative.episodes.declarations import undeclared
from scilaws_bench.qualitative.episodes.edges import Edge, cause_key, sorted_edges
from scilaws_bench.qualitative.episodes.layout import Layout, Position


class PlainEdges:
    """Causes and edges of a table's episodes, computed afresh at each call. For tables of some hundred rows."""

    def __init__(self, table: EpisodeTable) -> None:
        self._layout = Layout(table.mechanism)
        self._positions = tuple(
            Position(tuple(states), tuple(cells))
            for states, cells in zip(table.states.tolist(), table.cells.tolist(), strict=True)
        )
        self._episodes = frozenset(self._positions)

    def causes(self, row: int) -> tuple[Cause, ...]:
        """The causes of an episode, the empty one first (clause E3)."""
        layout, cells = self._layout, self._positions[row].cells
        offered = moves(layout, cells)
        if offered.departures:
            return (cause_of(layout, cells, offered.departures.items()),)
        realised = {
            frozenset(column for column in layout.held if target.cells[column] != cells[column])
            for target in self._positions
            if self._ends_terminations(cells, target.cells, offered.terminations)
        }
        minimal = [one for one in realised if one and not any(other and other < one for other in realised)]
        causes = [
            cause_of(layout, cells, [(column, offered.terminations[column]) for column in one]) for one in minimal
        ]
        return (INTRASTATE, *sorted(causes, key=lambda cause: cause_key(layout, cause)))

    def edges(self, row: int) -> tuple[Edge, ...]:
        """The edges out of an episode, by (target, cause)."""
        found = []
        produced = self.causes(row)
        for cause in produced:
            for target, position in enumerate(self._positions):
                if target == row:
                    continue
                step = Step(self._layout, self._positions[row], position, cause, produced, self._episodes)
                if all(clause(step) is None for _, clause in CLAUSES) and not undeclared(step):
                    found.append(Edge(row, target, cause))
        return sorted_edges(self._layout, found)

    def _ends_terminations(self, before: Sequence[int], after: Sequence[int], targets: dict[int, int]) -> bool:
        """Whether each held column either stays or is at the target of its termination."""
        return all(after[column] in (before[column], targets.get(column)) for column in self._layout.held)
